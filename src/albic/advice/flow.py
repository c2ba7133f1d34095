"""Rules about what goes between operators, and what else than processors runs short."""

from collections.abc import Iterator

import numpy as np

from albic.advice.evidence import Evidence
from albic.advice.finding import BYTES_PER_S, MEMORY, TASK_TIME, Finding
from albic.advice.surroundings import HDFS_BACKED, PROVIDER, setting
from albic.advice.words import amount
from albic.arrays import Sparse
from albic.model import Resource, metrics

#: The share of a stream that has to go from each key group to one partner.
ONE_TO_ONE = 0.95
#: The share of their time that tasks may wait for rows from other nodes.
MOST_WAITING = 0.2
#: The share of a node's memory that state may take.
MOST_MEMORY_PCT = 50.0


def one_to_one_edges(seen: Evidence) -> Iterator[Finding]:
    """Yield the streams on which each key group has one partner, so that both could be one."""
    topology = seen.snapshot.topology
    offsets = topology.offsets()
    for up, down in dict.fromkeys(topology.streams):
        if any(other != up and end == down for other, end in topology.streams):
            continue
        between = seen.snapshot.traffic[
            offsets[up] : offsets[up + 1], offsets[down] : offsets[down + 1]
        ]
        if not one_to_one(between):
            continue
        sent, names = float(between.sum()), [topology.operators[end].name for end in (up, down)]
        yield Finding(
            rule="one-to-one edge",
            cost=sent,
            unit=BYTES_PER_S,
            win=sent,
            remedy=f"let {names[0]} and {names[1]} run as one, with no shuffle between them: in a "
            f"network say keeps_key=True for the first, elsewhere let one operator do both",
            sentence=f"each key group of {names[0]} sends to one of {names[1]} alone, and "
            f"{amount(sent, BYTES_PER_S)} go through a shuffle for that",
            operator=names[1],
        )


def one_to_one(between: Sparse) -> bool:
    """Return whether nearly all of a stream goes between partners that have no other."""
    pairs = between.tocoo()
    total = float(pairs.data.sum())
    if not total or min(between.shape) < 2:
        return False
    senders, receivers = np.zeros(between.shape[0]), np.zeros(between.shape[1])
    np.maximum.at(senders, pairs.row, pairs.data)
    np.maximum.at(receivers, pairs.col, pairs.data)
    # Partners are each other's largest; a few senders that share a receiver fail the second.
    return bool(min(senders.sum(), receivers.sum()) >= ONE_TO_ONE * total)


def short_of_network(seen: Evidence) -> Iterator[Finding]:
    """Yield the network where tasks stand still for rows from other nodes."""
    if not seen.busy_s or seen.wait_s < MOST_WAITING * seen.busy_s:
        return
    waiting = 100 * seen.wait_s / seen.busy_s
    snapshot = seen.snapshot
    local = metrics.collocation_factor(snapshot.traffic, snapshot.allocation)
    gather = snapshot.traffic.nnz > 0 and local < ONE_TO_ONE
    yield Finding(
        rule="short of network",
        cost=waiting,
        unit=TASK_TIME,
        win=waiting * (1 - local) if gather else None,
        remedy='gather what talks to each other (planner="joint"), send fewer bytes, or have '
        "faster links"
        if gather
        else "send fewer bytes to key groups (drop columns, aggregate before the shuffle), or "
        "have faster links",
        sentence=f"tasks stand still for {waiting:.0f} % of their time until rows of other nodes "
        f"are there: links are the bottleneck, not processors",
    )


def short_of_memory(seen: Evidence) -> Iterator[Finding]:
    """Yield the nodes whose memory runs short before their processors do."""
    snapshot = seen.snapshot
    memory, cpu = (
        metrics.node_usage(snapshot, snapshot.allocation, resource)
        for resource in (Resource.MEMORY, Resource.CPU)
    )
    fullest = int(np.argmax(memory))
    if memory[fullest] < max(MOST_MEMORY_PCT, cpu[fullest] + snapshot.background[fullest]):
        return
    on_heap = setting(seen, PROVIDER) in (HDFS_BACKED, "")
    yield Finding(
        rule="short of memory",
        cost=float(memory[fullest]),
        unit=MEMORY,
        win=float(memory[fullest]) if on_heap else None,
        remedy=f"keep state on disk: {PROVIDER}=org.apache.spark.sql.execution.streaming.state."
        f"RocksDBStateStoreProvider; or have executors with more memory"
        if on_heap
        else "have executors with more memory, or more of them",
        sentence=f"state takes {memory[fullest]:.0f} % of the memory of executor "
        f"{snapshot.cluster.nodes[fullest].id}, whose processors are {cpu[fullest]:.0f} % busy: "
        f"memory is the bottleneck",
        executor=snapshot.cluster.nodes[fullest].id,
        setting=PROVIDER if on_heap else None,
    )
