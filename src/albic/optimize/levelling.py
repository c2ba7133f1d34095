"""The compiled greedy step of the local search: again and again the move that helps the worst bin.

Tournaments tell the worst row and the emptiest and fullest bins, so that a move takes as many steps
as the number of bins has digits: ten thousand bins in fifty dimensions are levelled in a second.
"""

from typing import NamedTuple

import numpy as np

from albic.arrays import Floats, Ints
from albic.optimize.compiled import compiled
from albic.optimize.greedy import NOTHING, fits
from albic.optimize.kernel import SPENT, State, Table, relocate
from albic.optimize.tournament import play, tournament


class Ranks(NamedTuple):
    """Which rows are the worst, and which bins of each dimension the emptiest and the fullest.

    Keys are by row, trees by dimension but for that of the worst; what is out of question has a
    key of minus infinity.
    """

    worst: Floats
    emptiest: Floats
    fullest: Floats
    worst_tree: Ints
    emptiest_trees: Ints
    fullest_trees: Ints


@compiled
def _ranks(table: Table, state: State, goal_dims: int, levels: Floats, two_sided: bool) -> Ranks:
    """Return the ranks of all rows."""
    bins = table.closed.size
    rows = goal_dims * bins
    worst, emptiest, fullest = np.empty(rows), np.empty(rows), np.empty(rows)
    for row in range(rows):
        worst[row], emptiest[row], fullest[row] = _keys(table, state, levels, two_sided, row)
    size = tournament(emptiest[:bins]).size
    emptiest_trees = np.empty((goal_dims, size), np.int64)
    fullest_trees = np.empty((goal_dims, size), np.int64)
    for dimension in range(goal_dims):
        mine = slice(dimension * bins, (dimension + 1) * bins)
        emptiest_trees[dimension] = tournament(emptiest[mine])
        fullest_trees[dimension] = tournament(fullest[mine])
    return Ranks(worst, emptiest, fullest, tournament(worst), emptiest_trees, fullest_trees)


@compiled
def _keys(
    table: Table, state: State, levels: Floats, two_sided: bool, row: int
) -> tuple[float, float, float]:
    """Return how bad a row is, and how empty and how full its bin."""
    bins = table.closed.size
    bin_, load = row % bins, state.load[row]
    gap = load - levels[row // bins]
    if two_sided:
        gap = 0.0 if table.closed[bin_] else abs(gap)
    empty = -load if table.enterable[bin_] else -np.inf
    return gap, empty, -np.inf if table.closed[bin_] else load


@compiled
def _update(
    table: Table, state: State, levels: Floats, two_sided: bool, row: int, ranks: Ranks
) -> None:
    """Rank a row anew whose load changed; one that was passed over stays so."""
    bins = table.closed.size
    dimension, bin_ = row // bins, row % bins
    gap, ranks.emptiest[row], ranks.fullest[row] = _keys(table, state, levels, two_sided, row)
    if ranks.worst[row] > -np.inf:
        ranks.worst[row] = gap
        play(ranks.worst_tree, ranks.worst, row)
    mine = slice(dimension * bins, (dimension + 1) * bins)
    play(ranks.emptiest_trees[dimension], ranks.emptiest[mine], bin_)
    play(ranks.fullest_trees[dimension], ranks.fullest[mine], bin_)


@compiled
def _extreme(tree: Ints, key: Floats, other: int) -> int:
    """Return the bin of the largest key but ``other``, or -1."""
    kept = key[other]
    key[other] = -np.inf
    play(tree, key, other)
    chosen = tree[1]
    if key[chosen] == -np.inf:
        chosen = -1
    key[other] = kept
    play(tree, key, other)
    return chosen


@compiled
def _best_transfer(
    table: Table,
    state: State,
    goal_dims: int,
    ends: tuple[int, int, int],
    terms: tuple[float, bool, float],
) -> tuple[int, float]:
    """Return the resident of the source whose move leaves the smaller worse gap, and that gap.

    ``terms`` are the level that gaps are to, whether they count below it too, and what is left of
    the budget.
    """
    dimension, source, target = ends
    level, two_sided, left = terms
    bins = table.closed.size
    offset = dimension * bins
    chosen, least = -1, np.inf
    row = offset + source
    for at in range(table.resident_pointer[row], table.resident_pointer[row + 1]):
        item = table.resident[at]
        if state.moved_at[item] >= 0 or table.charge[item] > left:
            continue
        weight = 0.0
        for entry in range(table.pointer[item], table.pointer[item + 1]):
            if table.dimension[entry] == dimension:
                weight = table.weight[entry]
        there = state.load[row] - weight * table.inverse_capacity[source] - level
        here = state.load[offset + target] + weight * table.inverse_capacity[target] - level
        worse = max(abs(there), abs(here)) if two_sided else max(there, here)
        if worse < least and fits(table, state, goal_dims, item, target):
            chosen, least = item, worse
    return chosen, least


@compiled
def level(
    table: Table, state: State, goal_dims: int, levels: Floats, budget: float, two_sided: bool
) -> None:
    """Take the worst row again and again and make the one move that helps it most.

    A row's gap is to its dimension's level, on both sides or above it only. A row that no move
    helps is passed over for good, so that one huge item does not stop the rest.
    """
    bins = table.closed.size
    ranks = _ranks(table, state, goal_dims, levels, two_sided)
    cheapest = table.charge[table.movable].min() if table.movable.any() else np.inf
    while True:
        worst = ranks.worst_tree[1]
        widest = ranks.worst[worst]
        if widest <= NOTHING:
            return
        dimension, bin_ = worst // bins, worst % bins
        over = state.load[worst] > levels[dimension]
        mine = slice(dimension * bins, (dimension + 1) * bins)
        if over:
            partner = _extreme(ranks.emptiest_trees[dimension], ranks.emptiest[mine], bin_)
        else:
            partner = _extreme(ranks.fullest_trees[dimension], ranks.fullest[mine], bin_)
        source, target = (bin_, partner) if over else (partner, bin_)
        left = budget - state.sums[SPENT]
        if partner < 0 or left < cheapest:
            return
        item, gap = _best_transfer(
            table,
            state,
            goal_dims,
            (dimension, source, target),
            (levels[dimension], two_sided, left),
        )
        if item < 0 or gap >= widest - NOTHING:
            ranks.worst[worst] = -np.inf
            play(ranks.worst_tree, ranks.worst, worst)
            continue
        relocate(table, state, item, target)
        for entry in range(table.pointer[item], table.pointer[item + 1]):
            if table.dimension[entry] < goal_dims:
                row = table.dimension[entry] * bins
                _update(table, state, levels, two_sided, row + source, ranks)
                _update(table, state, levels, two_sided, row + target, ranks)
