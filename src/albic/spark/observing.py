"""From Spark's words to those of the loop: key groups of all queries in one row of numbers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import accumulate

import numpy as np

from albic.arrays import Ints
from albic.control.invariants import Ground
from albic.control.move_costs import MeasuredMove
from albic.control.ports import Effect
from albic.control.samples import GroupSample, NodeSample, Observation, RawBatch, StreamSample
from albic.control.task_costs import task_costs
from albic.model import Throughput
from albic.spark.batch import BatchSample
from albic.spark.batch_summary import Seen
from albic.spark.executors import Executor
from albic.spark.measures import SeenMove
from albic.spark.operators import labels, topology
from albic.spark.placement import KeyGroup
from albic.spark.watch import QueryWatch


def observation(
    watches: Sequence[QueryWatch],
    usable: Sequence[Executor],
    generation: int,
    memory_bytes: int | None,
) -> Observation:
    """Return what was seen of all queries; their key groups follow each other.

    An executor that is gone stays in the list for as long as it owns something. ``memory_bytes``
    is what each has for state, or None where state is not held in memory.
    """
    owned = [watch.placement.owners() for watch in watches]
    sizes = np.concatenate([watch.sizes.sizes() for watch in watches])
    seen = _observation(watches, usable, owned, sizes)
    nodes = tuple(replace(node, memory_bytes=memory_bytes) for node in seen.nodes)
    return replace(seen, nodes=nodes, generation=generation)


def newest(watches: Sequence[QueryWatch], usable: Sequence[Executor]) -> Observation:
    """Return what the last batch of each query says about the owners that its moves will lead to.

    State sizes are left at 0: to look them up takes longer than all the rest.
    """
    meant = [{**watch.placement.owners(), **watch.placement.waiting()} for watch in watches]
    groups = sum(len(watch.groups()) for watch in watches)
    seen = _observation(watches, usable, meant, np.zeros(groups, dtype=np.int64))
    batches = sorted((*seen.earlier, *seen.batches), key=lambda batch: batch.ended_s)
    last = {min(sample.key_group for sample in batch.groups): batch for batch in batches}
    return replace(seen, batches=tuple(last.values()), earlier=tuple(batches))


def effect_of(
    told: Sequence[tuple[Seen, tuple[MeasuredMove, ...]]], watches: Sequence[QueryWatch]
) -> Effect:
    """Return what batches showed that were seen one after the other, each with its moves."""
    seen = [one for one, _ in told]
    batches = sum(one.batches for one in seen)
    return Effect(
        batches=batches,
        batch_s=sum(one.batch_s for one in seen) / batches if batches else None,
        read=sum(one.read for one in seen),
        judged=sum(one.judged for one in seen),
        compliant=sum(one.compliant for one in seen),
        cpu_s=sum(one.cpu_s for one in seen),
        rows=sum(one.rows for one in seen),
        local_bytes=sum(one.local_bytes for one in seen),
        remote_bytes=sum(one.remote_bytes for one in seen),
        moves=tuple(move for _, moves in told for move in moves),
        notes=tuple(note for watch in watches for note in watch.copying.dropped()),
        busy_s=sum(one.busy_s for one in seen),
        wait_s=sum(one.wait_s for one in seen),
        task_costs=task_costs(newest(watches, ())) if watches else (),
    )


def holding(watches: Sequence[QueryWatch]) -> frozenset[str]:
    """Return the executors that own a key group, or are about to."""
    meant = [(each.placement.owners(), each.placement.waiting()) for each in watches]
    return frozenset(e.id for both in meant for owners in both for e in owners.values())


def slowest(watches: Sequence[QueryWatch]) -> Throughput:
    """Return how the query kept up that has the least time to spare."""
    return min(
        (watch.throughput() for watch in watches),
        key=lambda kept: (kept.interval_s or 0.0) - (kept.batch_s or 0.0),
        default=Throughput(),
    )


def ground(watches: Sequence[QueryWatch], generation: int, usable: frozenset[str]) -> Ground:
    """Return how the key groups of all queries stand now."""
    owners: list[str | None] = []
    under_way: dict[int, str] = {}
    prepared = 0
    for watch in watches:
        groups, placed, first = watch.groups(), watch.placement.owners(), len(owners)
        owners += [placed[group].id if group in placed else None for group in groups]
        if moves := watch.placement.waiting():
            at = {group: first + number for number, group in enumerate(groups)}
            under_way.update((at[group], target.id) for group, target in moves.items())
            prepared += len(watch.placement.held())
    return Ground(generation, tuple(owners), usable, under_way, prepared)


def _observation(
    watches: Sequence[QueryWatch],
    usable: Sequence[Executor],
    owned: Sequence[Mapping[KeyGroup, Executor]],
    sizes: Ints,
) -> Observation:
    """Return all batches that are kept, beside the owners and sizes given."""
    owners = [
        mine.get(group)
        for watch, mine in zip(watches, owned, strict=True)
        for group in watch.groups()
    ]
    there = {executor.id for executor in usable}
    lost = {owner.id: owner for owner in owners if owner is not None and owner.id not in there}
    nodes = [
        NodeSample(each.id, each.slots, lost=each.id in lost) for each in (*usable, *lost.values())
    ]
    firsts = first_groups(watches)
    pairs = list(zip(watches, firsts, strict=True))
    return Observation(
        topology=topology([watch.shape for watch in watches]),
        nodes=tuple(nodes),
        owner=tuple(None if owner is None else owner.id for owner in owners),
        state_bytes=sizes,
        batches=tuple(
            raw_batch(sample, first, watch.interval_s)
            for watch, first in pairs
            for sample in watch.period
        ),
        earlier=tuple(
            raw_batch(sample, first, watch.interval_s)
            for watch, first in pairs
            for sample in watch.earlier
        ),
        chain_work={
            f"{label} / {name}": shares
            for label, watch in zip(labels([w.shape for w in watches]), watches, strict=True)
            for name, shares in watch.chain_work().items()
        },
    )


@lru_cache(maxsize=64)
def raw_batch(
    sample: BatchSample, first: tuple[int, ...], interval_s: float | None = None
) -> RawBatch:
    """Return a batch with key groups by number; ``first`` is where each stage's begin.

    Kept, for a batch is asked for many times.
    """
    return RawBatch(
        started_s=sample.started_s,
        ended_s=max(sample.ended_s, sample.lasted_to_s),
        groups=tuple(
            GroupSample(
                key_group=first[stage.stage] + task.partition,
                node_id=task.executor_id,
                busy_s=task.run_s,
                loaded=not task.usual,
                cpu_s=task.cpu_s,
                rows=task.records,
                local_bytes=task.local_bytes,
                remote_bytes=task.remote_bytes,
            )
            for stage in sample.stages
            for task in stage.tasks
        ),
        background_s=sample.background_s,
        traffic=tuple(
            StreamSample(first[stream.upstream], first[stream.downstream], stream.sent_bytes)
            for stream in sample.traffic
        ),
        interval_s=interval_s or 0.0,
        batches=1 + sample.unread,
    )


def first_groups(watches: Sequence[QueryWatch]) -> Iterator[tuple[int, ...]]:
    """Yield, for each query, the number of the first key group of each of its stages."""
    at = 0
    for watch in watches:
        *firsts, at = accumulate((info.partitions for info in watch.shape.stages), initial=at)
        yield tuple(firsts)


def measured_moves(
    watches: Sequence[QueryWatch], watch: QueryWatch, moves: Sequence[SeenMove]
) -> tuple[MeasuredMove, ...]:
    """Return the moves that a query showed, by name and with the bytes that were loaded."""
    if not moves:
        return ()
    network = topology([each.shape for each in watches])
    operator_of, offsets = network.operator_of(), network.offsets()
    firsts = dict(zip(watches, first_groups(watches), strict=True))[watch]
    sizes = dict(zip(watch.groups(), watch.sizes.sizes().tolist(), strict=True))
    numbers = [firsts[move.group.stage] + move.group.partition for move in moves]
    return tuple(
        MeasuredMove(
            operator=network.operators[operator_of[number]].name,
            partition=int(number - offsets[operator_of[number]]),
            source=move.source,
            target=move.target,
            loaded_bytes=sizes[move.group],
            late_s=move.late_s,
            prepared_s=watch.copying.prepared_s(move.group),
        )
        for number, move in zip(numbers, moves, strict=True)
    )
