"""From Spark's words to those of the loop: key groups of all queries in one row of numbers."""

from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from albic.arrays import Ints
from albic.control.samples import GroupSample, NodeSample, Observation, RawBatch, StreamSample
from albic.spark.checkpoint import state_bytes
from albic.spark.executors import Executor
from albic.spark.operators import QueryShape, topology
from albic.spark.statistics import BatchSample
from albic.spark.watch import QueryWatch


def observation(
    watches: Sequence[QueryWatch], usable: Sequence[Executor], generation: int
) -> Observation:
    """Return what was seen of all queries; their key groups follow each other.

    An executor that is gone stays in the list for as long as it owns something.
    """
    network = topology([watch.shape for watch in watches])
    owners = [watch.placement.owners().get(group) for watch in watches for group in watch.groups()]
    there = {executor.id for executor in usable}
    lost = {owner.id: owner for owner in owners if owner is not None and owner.id not in there}
    nodes = [NodeSample(executor.id, executor.slots) for executor in usable]
    nodes += [NodeSample(executor.id, executor.slots, lost=True) for executor in lost.values()]
    firsts = _firsts(watches)
    pairs = list(zip(watches, firsts, strict=True))
    return Observation(
        topology=network,
        nodes=tuple(nodes),
        owner=tuple(None if owner is None else owner.id for owner in owners),
        state_bytes=np.concatenate([_sizes(watch.shape) for watch in watches]),
        batches=tuple(
            raw_batch(sample, first) for watch, first in pairs for sample in watch.period
        ),
        earlier=tuple(
            raw_batch(sample, first) for watch, first in pairs for sample in watch.earlier
        ),
        generation=generation,
    )


def raw_batch(sample: BatchSample, first: Sequence[int]) -> RawBatch:
    """Return a batch with key groups by number; ``first`` is where each stage's begin."""
    return RawBatch(
        started_s=sample.started_s,
        ended_s=sample.ended_s,
        groups=tuple(
            GroupSample(
                first[stage.stage] + task.partition, task.executor_id, task.run_s, task.loaded
            )
            for stage in sample.stages
            for task in stage.tasks
        ),
        background_s=sample.background_s,
        traffic=tuple(
            StreamSample(first[stream.upstream], first[stream.downstream], stream.sent_bytes)
            for stream in sample.traffic
        ),
    )


def _firsts(watches: Sequence[QueryWatch]) -> Iterator[tuple[int, ...]]:
    """Yield, for each query, the number of the first key group of each of its stages."""
    at = 0
    for watch in watches:
        *firsts, at = accumulate((info.partitions for info in watch.shape.stages), initial=at)
        yield tuple(firsts)


def _sizes(shape: QueryShape) -> Ints:
    """Return the state of each key group of a query in bytes.

    Where we cannot look into the checkpoint all are 0: only the number of moves is limited then.
    """
    sizes: list[int] = []
    for stage, info in enumerate(shape.stages):
        sizes += state_bytes(shape, stage) or (0,) * info.partitions
    return np.array(sizes, dtype=np.int64)
