"""The fewest moves that bring every bin below a height, looked for among all packings.

Only a bin that is too full has to give something, and what it gives may make another one too full.
So the search takes a bin that is too full, tries every item of it that may go and every bin that it
may go to, and goes on from there. It gives up a branch where the bins that are too full need more
departures, of their largest items, than there are moves left.
"""

from typing import NamedTuple

import numpy as np

from albic.arrays import Bools, Floats, Ints
from albic.optimize.assignment import AssignmentProblem
from albic.optimize.compiled import compiled, inlined
from albic.optimize.count_bound import NEVER

#: What a search may find out.
IMPOSSIBLE, POSSIBLE, UNKNOWN = 0, 1, 2
#: Positions in a frame, and in the counts of a search.
SOURCE, ITEM, TARGET, TOTAL_BEFORE, SOURCE_BEFORE, TARGET_BEFORE, FIRST_BEFORE = range(7)
DEPTH, TOTAL = 0, 1
#: The steps after which one search gives up.
PATIENCE = 60_000
#: How exactly the least height is wanted, as a part of it, and how little below a height is less.
EXACTNESS, LESS = 2e-3, 1e-4
#: Differences below this are rounding, in points.
ROUNDING = 1e-9


class Stage(NamedTuple):
    """One dimension: work and capacity of bins, and their movable items from heavy to light."""

    work: Floats
    capacity: Floats
    enterable: Bools
    own: Floats
    pointer: Ints

    def relief(self) -> Floats:
        """Return by how much each item's departure lowers its bin."""
        relief: Floats = self.own / np.repeat(self.capacity, np.diff(self.pointer))
        return relief


def stages_of(problem: AssignmentProblem) -> list[Stage]:
    """Return all goal dimensions."""
    columns, loads = problem.weights.tocsc(), problem.loads(problem.home)
    stages = []
    for dim in range(problem.goal_dims):
        entries = slice(columns.indptr[dim], columns.indptr[dim + 1])
        items, weight = columns.indices[entries], columns.data[entries]
        kept = problem.movable[items] & (weight > 0)
        bins = problem.home[items[kept]]
        order = np.lexsort((-weight[kept], bins))
        pointer: Ints = np.searchsorted(bins[order], np.arange(problem.bins + 1)).astype(np.int64)
        stages.append(
            Stage(
                loads[dim] * problem.capacity,
                problem.capacity.astype(np.float64),
                np.array(problem.enterable, dtype=np.bool_),
                weight[kept][order].astype(np.float64),
                pointer,
            )
        )
    return stages


def least_height(
    stage: Stage, low: float, moves: int, steps: int, within: float = 0.0
) -> tuple[float, int]:
    """Return a height below which ``moves`` bring no stage, and the steps that this took.

    ``low`` is such a height already; the answer is not below it. Once it is ``within`` that part of
    the least height, it is near enough.
    """
    taken, high, met = 0, float((stage.work / stage.capacity).max()), True
    trial = low
    while taken < steps and trial < high:
        limit = trial * stage.capacity + ROUNDING * (1 + trial)
        answer, used, height = packs(stage, limit, moves, min(PATIENCE, steps - taken))
        taken += used
        if answer == IMPOSSIBLE:
            low = trial
        else:
            met = answer == POSSIBLE
            high = height if met else trial
        if high - low <= max(LESS + ROUNDING, within * high):
            break
        near = high - low <= EXACTNESS * high
        if near and not met:
            break
        # Heights are few: where one is reached and nothing just below it, it is the least.
        trial = high - LESS if near else (low + high) / 2
    return low, taken


class Walk(NamedTuple):
    """Where a search is: the loads so far, and a frame for each move that led there.

    ``first`` is the heaviest item of each bin that may still go, ``need`` how many have to. A frame
    is a bin, one of its items and where that goes, with what was before it; ``before`` are loads.
    """

    load: Floats
    limit: Floats
    first: Ints
    need: Ints
    frames: Ints
    before: Floats
    counts: Ints


@inlined
def _needed(stage: Stage, walk: Walk, bin_: int, load: float, first: int) -> int:
    """Return how many items from ``first`` on have to go, or NEVER where all are not enough."""
    count = 0
    while load > walk.limit[bin_] and first + count < stage.pointer[bin_ + 1]:
        load -= stage.own[first + count]
        count += 1
    return NEVER if load > walk.limit[bin_] else count


@inlined
def _open(walk: Walk) -> None:
    """Begin a frame with the bin that is most too full; with -1 where none is."""
    chosen, most, depth = -1, 0.0, walk.counts[DEPTH]
    for bin_ in range(walk.load.size):
        if walk.load[bin_] - walk.limit[bin_] > most:
            chosen, most = bin_, walk.load[bin_] - walk.limit[bin_]
    walk.frames[depth, SOURCE], walk.frames[depth, ITEM] = chosen, -1
    walk.frames[depth, TARGET] = walk.load.size


@inlined
def _next_item(stage: Stage, walk: Walk, moves: int) -> bool:
    """Go on to the next item that is not like the one before; return whether one may help.

    Items that leave one bin do so from heavy to light, or a packing would be met in every order.
    """
    depth = walk.counts[DEPTH]
    source, item = walk.frames[depth, SOURCE], walk.frames[depth, ITEM]
    item = walk.first[source] if item < 0 else item + 1
    while (
        walk.first[source] < item < stage.pointer[source + 1]
        and stage.own[item] == stage.own[item - 1]
    ):
        item += 1
    if item >= stage.pointer[source + 1]:
        return False
    walk.frames[depth, ITEM] = item
    left = _needed(stage, walk, source, walk.load[source] - stage.own[item], item + 1)
    # Lighter items only leave more to do.
    return depth + 1 + walk.counts[TOTAL] - walk.need[source] + left <= moves


@inlined
def _back(walk: Walk) -> None:
    """Take the last move back."""
    walk.counts[DEPTH] -= 1
    depth = walk.counts[DEPTH]
    source, target = walk.frames[depth, SOURCE], walk.frames[depth, TARGET]
    walk.counts[TOTAL] = walk.frames[depth, TOTAL_BEFORE]
    walk.need[source] = walk.frames[depth, SOURCE_BEFORE]
    walk.need[target] = walk.frames[depth, TARGET_BEFORE]
    walk.first[source] = walk.frames[depth, FIRST_BEFORE]
    walk.load[source], walk.load[target] = walk.before[depth, 0], walk.before[depth, 1]


@inlined
def _go(stage: Stage, walk: Walk, moves: int) -> None:
    """Make the move of the last frame if it may be and leaves enough moves; then begin another."""
    depth = walk.counts[DEPTH]
    source, item = walk.frames[depth, SOURCE], walk.frames[depth, ITEM]
    target = walk.frames[depth, TARGET]
    if target == source or not stage.enterable[target]:
        return
    weight = stage.own[item]
    left = _needed(stage, walk, source, walk.load[source] - weight, item + 1)
    there = _needed(stage, walk, target, walk.load[target] + weight, walk.first[target])
    total = walk.counts[TOTAL] - walk.need[source] - walk.need[target] + left + there
    if depth + 1 + total <= moves:
        walk.frames[depth, TOTAL_BEFORE] = walk.counts[TOTAL]
        walk.frames[depth, SOURCE_BEFORE] = walk.need[source]
        walk.frames[depth, TARGET_BEFORE] = walk.need[target]
        walk.frames[depth, FIRST_BEFORE] = walk.first[source]
        walk.before[depth, 0], walk.before[depth, 1] = walk.load[source], walk.load[target]
        walk.load[source] -= weight
        walk.load[target] += weight
        walk.need[source], walk.need[target] = left, there
        walk.first[source], walk.counts[TOTAL] = item + 1, total
        walk.counts[DEPTH] += 1
        _open(walk)


@compiled
def packs(stage: Stage, limit: Floats, moves: int, steps: int) -> tuple[int, int, float]:
    """Return whether ``moves`` can bring every bin below its limit, the steps, and how high it is.

    How high says something only where it is possible.
    """
    bins, load = stage.work.size, stage.work.copy()
    frames, before = np.zeros((moves + 1, 7), np.int64), np.zeros((moves + 1, 2))
    first, need = stage.pointer[:-1].copy(), np.zeros(bins, np.int64)
    walk = Walk(load, limit, first, need, frames, before, np.zeros(2, np.int64))
    for bin_ in range(bins):
        walk.need[bin_] = _needed(stage, walk, bin_, walk.load[bin_], walk.first[bin_])
    walk.counts[TOTAL] = walk.need.sum()
    if walk.counts[TOTAL] > moves:
        return IMPOSSIBLE, 1, 0.0
    _open(walk)
    taken = 0
    while walk.frames[walk.counts[DEPTH], SOURCE] >= 0:
        if taken == steps:
            return UNKNOWN, taken, 0.0
        taken += 1
        depth = walk.counts[DEPTH]
        target = walk.frames[depth, TARGET] + 1
        if target >= bins:
            target = 0
            if not _next_item(stage, walk, moves):
                if depth == 0:
                    return IMPOSSIBLE, taken, 0.0
                _back(walk)
                continue
        walk.frames[depth, TARGET] = target
        _go(stage, walk, moves)
    return POSSIBLE, taken, (walk.load / stage.capacity).max()
