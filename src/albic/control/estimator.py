"""From raw samples to a snapshot.

The load of a key group is the share of a reference node's slots that its tasks kept busy, in
percent. Busy time and not processor time, for a batch waits for a task whatever the task waits for,
and engines count their own processor time only: on Spark, that of Python workers is missing. Time
on a fast node counts for more, by the node's speed, so that loads of different nodes compare.

Network is what a key group reads from others, as a share of an assumed bandwidth; where it comes
from the same node it counts too, for that is a matter of placement. Memory is the state as a share
of the memory that holds it. What is not known of either is 0.

A batch in which it was loaded from the checkpoint does not count for its load: that is a
price of moving, paid once. A key group that nobody measured makes the whole snapshot *not ready*,
for to call it idle would be an invention.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp

from albic.arrays import Bools, Floats, Ints, Sparse
from albic.control.change_detection import since_change
from albic.control.samples import Observation, RawBatch
from albic.model import (
    Allocation,
    Cluster,
    Node,
    NodeState,
    NotReady,
    Period,
    Resource,
    Snapshot,
    Topology,
)

#: 10 Gbit/s, what a node of a data centre has at least; no more than a scale to read loads by.
BANDWIDTH_BYTES_PER_S = 1.25e9


def estimate(seen: Observation) -> Snapshot:
    """Return the snapshot of a period, or raise NotReady with what is missing."""
    batches = _window(seen)
    if not batches:
        raise NotReady("no batch has ended yet")
    if all(node.lost for node in seen.nodes):
        raise NotReady("there is no live node")
    groups = seen.topology.key_groups
    work_s, runs = _work_per_batch(seen, batches), _runs(batches, groups)
    owner = _owners(seen)
    _expect_covered(seen.topology, np.isfinite(work_s) & (runs > 0) & (owner >= 0))
    # The rest of a trigger interval is the last batch's too, or few batches would seem more load.
    ended_s = max(max(b.ended_s, b.started_s + b.interval_s * b.batches) for b in batches)
    period = Period(min(b.started_s for b in batches), ended_s)
    length_s = period.end_s - period.start_s
    reference = max(node.slots for node in seen.nodes)
    usage = np.zeros((len(Resource), groups))
    usage[Resource.CPU] = 100 * work_s * runs / (length_s * reference)
    usage[Resource.MEMORY] = _memory(seen, reference)
    usage[Resource.NETWORK] = (
        100 * _read_bytes(batches, groups) / (length_s * BANDWIDTH_BYTES_PER_S)
    )
    return Snapshot(
        period=period,
        topology=seen.topology,
        cluster=_cluster(seen, reference),
        allocation=Allocation(owner),
        usage=usage,
        state_bytes=seen.state_bytes,
        traffic=_traffic(seen, batches, length_s),
        background=_background(seen, batches, length_s),
        generation=seen.generation,
        chain_work=seen.chain_work,
    )


def _window(seen: Observation) -> tuple[RawBatch, ...]:
    """Return the batches to measure: the period's, or more if it has not one of each key group.

    Batches may be longer than a period, and a loss may end one before its first batch does. Those
    from before a change of the job tell nothing any more.
    """
    if _runs(seen.batches, seen.topology.key_groups).all():
        return since_change(seen.batches)
    return since_change((*seen.earlier, *seen.batches))


def _runs(batches: Sequence[RawBatch], groups: int) -> Ints:
    """Return in how many batches each key group ran."""
    ran = np.zeros(groups, dtype=np.int64)
    for batch in batches:
        ran[[sample.key_group for sample in batch.groups]] += batch.batches
    return ran


def _work_per_batch(seen: Observation, batches: Sequence[RawBatch]) -> Floats:
    """Return how long each key group would work in a batch at speed 1; NaN where no batch tells.

    One that was loaded in every batch of the window is taken from the last batch before it, even
    if that was before a change: an old measurement is better than none.
    """
    speed = {node.id: node.speed for node in seen.nodes}
    total, count = np.zeros(seen.topology.key_groups), np.zeros(seen.topology.key_groups)
    for batch in batches:
        for sample in batch.groups:
            if not sample.loaded:
                total[sample.key_group] += sample.busy_s * speed.get(sample.node_id, 1.0)
                count[sample.key_group] += 1
    for batch in reversed((*seen.earlier, *seen.batches)):
        if count.all():
            break
        for sample in batch.groups:
            if not sample.loaded and not count[sample.key_group]:
                total[sample.key_group] = sample.busy_s * speed.get(sample.node_id, 1.0)
                count[sample.key_group] = 1
    work_s: Floats = np.divide(total, count, out=np.full(total.size, np.nan), where=count > 0)
    return work_s


def _memory(seen: Observation, reference: int) -> Floats:
    """Return each key group's state in percent of a reference node's memory; 0 if not known."""
    sizes = [node.memory_bytes for node in seen.nodes if node.slots == reference]
    memory_bytes = min((size for size in sizes if size), default=0)
    if not memory_bytes:
        return np.zeros(seen.topology.key_groups)
    share: Floats = 100 * seen.state_bytes / memory_bytes
    return share


def _read_bytes(batches: Sequence[RawBatch], groups: int) -> Floats:
    """Return what each key group read in all."""
    total = np.zeros(groups)
    for batch in batches:
        for sample in batch.groups:
            read_bytes = sample.local_bytes + sample.remote_bytes
            total[sample.key_group] += read_bytes * batch.batches
    return total


def _owners(seen: Observation) -> Ints:
    """Return each key group's node by position; -1 where it is not known."""
    position = {node.id: at for at, node in enumerate(seen.nodes)}
    return np.array([position.get(owner or "", -1) for owner in seen.owner], dtype=np.int64)


def _expect_covered(topology: Topology, covered: Bools) -> None:
    """Refuse to go on while a key group is not measured; name the first."""
    if covered.all():
        return
    first = int(np.argmin(covered))
    operator = int(topology.operator_of()[first])
    partition = first - int(topology.offsets()[operator])
    raise NotReady(
        f"{int(covered.sum())} of {covered.size} key groups are measured; the first that is not: "
        f"{topology.operators[operator].name}, partition {partition}"
    )


def _cluster(seen: Observation, reference: int) -> Cluster:
    """Return the nodes; a lost one is there to be emptied as long as it owns something."""
    return Cluster(
        tuple(
            Node(
                node.id,
                node.speed * node.slots / reference,
                NodeState.DRAINING if node.lost else NodeState.ACTIVE,
                node.slots,
            )
            for node in seen.nodes
        )
    )


def _background(seen: Observation, batches: Sequence[RawBatch], length_s: float) -> Floats:
    """Return what each node did for no key group, in percent of its slots."""
    busy_s: defaultdict[str, float] = defaultdict(float)
    for batch in batches:
        for node_id, spent_s in batch.background_s.items():
            busy_s[node_id] += spent_s * batch.batches
    return np.array([100 * busy_s[node.id] / (length_s * node.slots) for node in seen.nodes])


def _traffic(seen: Observation, batches: Sequence[RawBatch], length_s: float) -> Sparse:
    """Return bytes per second between key groups.

    Spark forgets a shuffle soon, so a stream's traffic is the mean over the batches that still had
    it, as often as batches ran. One that none of them had is taken from earlier batches.
    """
    groups = seen.topology.key_groups
    per_batch = {**_mean_bytes((*seen.earlier, *seen.batches)), **_mean_bytes(batches)}
    runs = _runs(batches, groups)
    rate = sp.lil_array((groups, groups))
    for (sender, receiver), sent_bytes in per_batch.items():
        rows, columns = sent_bytes.shape
        per_s = sent_bytes * runs[sender] / length_s
        rate[sender : sender + rows, receiver : receiver + columns] = per_s
    return sp.csr_array(rate)


def _mean_bytes(batches: Sequence[RawBatch]) -> dict[tuple[int, int], Floats]:
    """Return the mean bytes of each stream, by its first sender and first receiver."""
    found: defaultdict[tuple[int, int], list[Floats]] = defaultdict(list)
    for batch in batches:
        for stream in batch.traffic:
            found[stream.first_sender, stream.first_receiver].append(stream.sent_bytes)
    return {ends: np.mean(sent, axis=0) for ends, sent in found.items()}
