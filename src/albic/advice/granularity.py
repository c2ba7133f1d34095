"""Rules about the size and the number of key groups."""

import math
from collections.abc import Iterator

import numpy as np

from albic.advice.evidence import Evidence
from albic.advice.finding import SECONDS, Finding
from albic.advice.words import amount
from albic.model import Resource, metrics

#: What a cause must cost to be worth a word, as a share of what a batch waits for.
LEAST_SHARE = 0.1
#: A key group that is so many times its stage's mean one is heavy by its keys, not by their number.
SKEWED = 2.0
#: Key groups a slot with which nearly any load can be spread evenly.
PER_SLOT = 3
#: The part of a task that may be fixed cost before fewer and larger ones are better.
MOSTLY = 0.5
NEW_CHECKPOINT = "state keeps its partitions, so start with a new checkpoint or repartition it"


def oversized_key_groups(seen: Evidence) -> Iterator[Finding]:
    """Yield the key groups that take longer alone than their stage would, evenly spread."""
    snapshot, load = seen.snapshot, seen.snapshot.usage[Resource.CPU]
    best_slot = snapshot.cluster.slot_capacity()
    for stage, share in _working(seen):
        groups = seen.groups(stage)
        alone = load[groups] / best_slot
        for at, group in enumerate(groups.tolist()):
            large = alone[at] - share
            if large < LEAST_SHARE * seen.makespan or alone[at] < SKEWED * alone.mean():
                break
            parts = math.ceil(alone[at] / share)
            below = alone[at + 1] if at + 1 < groups.size else 0.0
            won = alone[at] - max(share, alone[at] / parts, below)
            operator, number = seen.key_group(group)
            cost, unit = seen.of_batch(large)
            yield Finding(
                rule="oversized key group",
                cost=cost,
                unit=unit,
                win=seen.of_batch(won)[0],
                remedy=f"salt its hottest key {parts} ways if one key makes it heavy; else have "
                f"{groups.size * parts} partitions ({NEW_CHECKPOINT})",
                sentence=f"key group {number} of {operator} is {alone[at] / share:.1f} times the "
                f"fair share of a slot; every batch waits {amount(cost, unit)} for it alone, "
                f"wherever it lies",
                operator=operator,
                key_group=number,
            )


def too_few_key_groups(seen: Evidence) -> Iterator[Finding]:
    """Yield the stages that cannot be spread evenly because they have too few key groups."""
    snapshot, slots = seen.snapshot, seen.slots
    best_slot = snapshot.cluster.slot_capacity()
    for stage, share in _working(seen):
        groups = seen.groups(stage)
        least = crowded(snapshot.usage[Resource.CPU][groups] / best_slot, slots)
        if least - share < LEAST_SHARE * seen.makespan:
            continue
        wanted = max(PER_SLOT, math.ceil(groups.size / slots)) * slots
        cost, unit = seen.of_batch(least - share)
        name = seen.stage_name(stage)
        yield Finding(
            rule="too few key groups",
            cost=cost,
            unit=unit,
            win=cost,
            remedy=f"have {wanted} partitions, {wanted // slots} for each slot ({NEW_CHECKPOINT})",
            sentence=f"{name} has {groups.size} key groups for {slots} slots, so some slots wait "
            f"while others work: {amount(cost, unit)} in every batch, wherever they lie",
            operator=name,
            setting="spark.sql.shuffle.partitions",
        )


def _working(seen: Evidence) -> list[tuple[int, float]]:
    """Return the stages that have any work, each with a node's fair share of it."""
    shares = metrics.stage_shares(seen.snapshot).tolist()
    return [(stage, share) for stage, share in enumerate(shares) if share > 0]


def crowded(loads: np.ndarray, slots: int) -> float:
    """Return what the fullest of equal slots has at least because of the number of ``loads``.

    ``loads`` come heaviest first. Of the first k·slots + 1 of them some slot has k + 1, at best the
    lightest of these. Where there are fewer than slots, the fullest has at least the mean one.
    What a single one is beyond all others is another rule's.
    """
    if not loads.size:
        return 0.0
    if loads.size <= slots:
        return float(loads.mean())
    return max(
        float(loads[many * slots - many : many * slots + 1].sum())
        for many in range(1, (loads.size - 1) // slots + 1)
    )


def mostly_fixed_cost(seen: Evidence) -> Iterator[Finding]:
    """Yield the stages whose tasks spend more on being tasks than on their rows."""
    for cost in seen.task_costs:
        groups, wanted = seen.groups(cost.stage).size, PER_SLOT * seen.slots
        if cost.fixed_s < MOSTLY * cost.task_s or groups <= wanted:
            continue
        spent_s, name = groups * cost.fixed_s / seen.slots, seen.stage_name(cost.stage)
        yield Finding(
            rule="mostly fixed cost",
            cost=spent_s,
            unit=SECONDS,
            win=(groups - wanted) * cost.fixed_s / seen.slots,
            remedy=f"have {wanted} partitions instead of {groups} ({NEW_CHECKPOINT})",
            sentence=f"of the {1e3 * cost.task_s:.0f} ms that a task of {name} takes, "
            f"{1e3 * cost.fixed_s:.0f} ms are spent whatever it reads: "
            f"{amount(spent_s, SECONDS)} in every batch for {groups} tasks",
            operator=name,
            setting="spark.sql.shuffle.partitions",
        )
