"""From the journal of a run to a trace: what the job was asked to do, wherever it ran.

Everything in a trace is measured but two things. Snapshots do not count tuples, so a key group's
tuples are the bytes that it read over the mean bytes of a row. And what a tuple of an operator
costs is told by its busy time, with the mean operator at an effort of 1; the pace of the whole is
then set so that the nodes it is laid on are half busy, as those of the paper's figures are.
"""

from collections.abc import Sequence

import numpy as np

from albic.arrays import Floats
from albic.control.estimator import BANDWIDTH_BYTES_PER_S
from albic.control.journal import RoundRecord
from albic.model import Cluster, InvalidInput, Node, Resource, Snapshot, Topology
from albic.model.snapshot_file import snapshot_from
from albic.sim import PAPER_COSTS, Trace, apart, half_busy, paired


def trace_of(records: Sequence[RoundRecord], nodes: int) -> Trace:
    """Return what the recorded rounds measured, laid on ``nodes`` equal nodes.

    Partners of different operators begin apart, as in the paper. Rounds without a snapshot are
    left out.
    """
    if nodes < 1:
        raise InvalidInput(f"the trace was asked for {nodes} nodes; it must be 1 or more")
    found = [record for record in records if record.snapshot is not None]
    if not found:
        raise InvalidInput(f"none of its {len(records)} rounds holds a snapshot")
    snapshots = [snapshot_from(record.snapshot) for record in found]
    topology = snapshots[0].topology
    for record, snapshot in zip(found, snapshots, strict=True):
        if snapshot.topology != topology:
            raise InvalidInput(f"round {record.number} is of another job than those before it")
    read = np.stack([_read_bytes_per_s(snapshot) for snapshot in snapshots])
    tuples = read * _rows_per_byte(found, snapshots, read)
    sender, receiver, sent = paired([snapshot.traffic for snapshot in snapshots])
    received = np.stack([_received_bytes_per_s(snapshot) for snapshot in snapshots])
    trace = Trace(
        topology=topology,
        cluster=Cluster(tuple(Node(f"node-{at:03d}") for at in range(nodes))),
        allocation=apart(topology, nodes),
        step_s=float(np.mean([_length_s(snapshot) for snapshot in snapshots])),
        effort=_effort(topology, snapshots, tuples),
        tuples_per_s=tuples,
        source_bytes_per_s=np.maximum(read - received, 0.0),
        state_bytes=np.stack([snapshot.state_bytes for snapshot in snapshots]),
        sender=sender,
        receiver=receiver,
        traffic_bytes_per_s=sent,
        about="a journal of Spark",
    )
    return half_busy(trace, PAPER_COSTS)


def _length_s(snapshot: Snapshot) -> float:
    """Return how long a period was."""
    return snapshot.period.end_s - snapshot.period.start_s


def _read_bytes_per_s(snapshot: Snapshot) -> Floats:
    """Return what each key group read, from others and from outside of the job."""
    read: Floats = snapshot.usage[Resource.NETWORK] * BANDWIDTH_BYTES_PER_S / 100
    # Traffic that Spark has forgotten is taken from earlier batches, so it may be the larger.
    most: Floats = np.maximum(read, _received_bytes_per_s(snapshot))
    return most


def _received_bytes_per_s(snapshot: Snapshot) -> Floats:
    """Return what each key group got from others."""
    received: Floats = np.asarray(snapshot.traffic.sum(axis=0), dtype=np.float64)
    return received


def _rows_per_byte(
    records: Sequence[RoundRecord], snapshots: Sequence[Snapshot], read: Floats
) -> float:
    """Return the rows in a byte that key groups read, over the whole run."""
    rows = sum(_rows(record) for record in records)
    lengths_s = np.array([_length_s(snapshot) for snapshot in snapshots])
    read_bytes = float((read.sum(axis=1) * lengths_s).sum())
    if not (rows and read_bytes):
        raise InvalidInput("its rounds have no rows that key groups read, so nothing can be traced")
    return rows / read_bytes


def _rows(record: RoundRecord) -> float:
    """Return the rows of all batches of a record; they are counted where batches were read."""
    return record.rows * record.batches / record.read if record.read else record.rows


def _effort(topology: Topology, snapshots: Sequence[Snapshot], tuples: Floats) -> Floats:
    """Return what a tuple of each operator costs beside the mean tuple."""
    operator, operators = topology.operator_of(), len(topology.operators)
    busy = np.mean([snapshot.usage[Resource.CPU] for snapshot in snapshots], axis=0)
    work = np.bincount(operator, weights=busy, minlength=operators)
    amount = np.bincount(operator, weights=tuples.mean(axis=0), minlength=operators)
    each = np.divide(work, amount, out=np.zeros(operators), where=amount > 0)
    effort: Floats = each * amount.sum() / work.sum()
    return effort
