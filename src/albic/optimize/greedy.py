"""The compiled start of the local search: empty what must be emptied, then level the worst bin."""

import numpy as np

from albic.arrays import Bools, Floats, Ints
from albic.optimize.compiled import compiled
from albic.optimize.kernel import MOVED, SPENT, State, Table, relocate

#: An improvement below this is rounding.
NOTHING = 1e-9


@compiled
def fits(table: Table, state: State, goal_dims: int, item: int, target: int) -> bool:
    """Return whether ``target`` may take in ``item``, and stays within its limits with it."""
    if not table.enterable[target]:
        return False
    bins = table.closed.size
    for entry in range(table.pointer[item], table.pointer[item + 1]):
        if table.dimension[entry] < goal_dims:
            continue
        row = table.dimension[entry] * bins + target
        load = state.load[row] + table.weight[entry] * table.inverse_capacity[target]
        if load > state.high[row] + NOTHING:
            return False
    return True


@compiled
def evacuate(table: Table, state: State, goal_dims: int, budget: float, order: Ints) -> None:
    """Move the items of ``order`` one by one to the bin that is emptiest with them in it."""
    bins = table.closed.size
    for item in order:
        if state.sums[SPENT] + table.charge[item] > budget:
            continue
        offset = table.primary[item] * bins
        weight = 0.0
        for entry in range(table.pointer[item], table.pointer[item + 1]):
            if table.dimension[entry] == table.primary[item]:
                weight = table.weight[entry]
        best, lowest = -1, np.inf
        for target in table.open_bins:
            load = state.load[offset + target] + weight * table.inverse_capacity[target]
            if load < lowest and fits(table, state, goal_dims, item, target):
                best, lowest = target, load
        if best >= 0:
            relocate(table, state, item, best)


@compiled
def _extreme(table: Table, state: State, dimension: int, other: int, sign: int) -> int:
    """Return the emptiest enterable (sign 1) or fullest (-1) open bin but ``other``, or -1."""
    offset = dimension * table.closed.size
    chosen, least = -1, np.inf
    for bin_ in table.open_bins:
        load = sign * state.load[offset + bin_]
        if sign > 0 and not table.enterable[bin_]:
            continue
        if bin_ != other and load < least:
            chosen, least = bin_, load
    return chosen


@compiled
def _best_transfer(
    table: Table, state: State, goal_dims: int, ends: tuple[int, int, int], mean: float, left: float
) -> tuple[int, float]:
    """Return the resident of the source whose move leaves the smaller worse gap, and that gap."""
    dimension, source, target = ends
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
        there = abs(state.load[row] - weight * table.inverse_capacity[source] - mean)
        here = abs(state.load[offset + target] + weight * table.inverse_capacity[target] - mean)
        worse = max(there, here)
        if worse < least and fits(table, state, goal_dims, item, target):
            chosen, least = item, worse
    return chosen, least


@compiled
def level(
    table: Table, state: State, goal_dims: int, means: Floats, budget: float, two_sided: bool
) -> None:
    """Take the worst row again and again and make the one move that helps it most.

    A row that no move helps is passed over for good, so that one huge item does not stop the rest.
    """
    bins = table.closed.size
    stuck: Bools = np.zeros(goal_dims * bins, np.bool_)
    while True:
        worst, widest = -1, NOTHING
        for row in range(goal_dims * bins):
            gap = state.load[row] - means[row // bins]
            if two_sided:
                gap = 0.0 if table.closed[row % bins] else abs(gap)
            if not stuck[row] and gap > widest:
                worst, widest = row, gap
        if worst < 0:
            return
        dimension, bin_ = worst // bins, worst % bins
        over = state.load[worst] > means[dimension]
        partner = _extreme(table, state, dimension, bin_, 1 if over else -1)
        source, target = (bin_, partner) if over else (partner, bin_)
        left = budget - state.sums[SPENT]
        if partner < 0 or left < 0.0:
            return
        item, gap = _best_transfer(
            table, state, goal_dims, (dimension, source, target), means[dimension], left
        )
        if item < 0 or gap >= widest - NOTHING:
            stuck[worst] = True
        else:
            relocate(table, state, item, target)


@compiled
def _score(table: Table, state: State, means: Floats, two_sided: bool) -> tuple[float, float]:
    """Return the goal's value and the spread of the present assignment."""
    bins = table.closed.size
    value, spread = 0.0, 0.0
    for dimension in range(means.size):
        peak = 0.0 if two_sided else table.least[dimension]
        for bin_ in range(bins):
            load = state.load[dimension * bins + bin_]
            gap = abs(load - means[dimension])
            if not table.closed[bin_]:
                spread += gap
            if not two_sided:
                peak = max(peak, load)
            elif not table.closed[bin_]:
                peak = max(peak, gap)
        value += peak
    return value, spread


@compiled
def _kept(state: State, first: int) -> bool:
    """Return whether all rows from ``first`` on are within their limits."""
    for row in range(first, state.load.size):
        if state.load[row] > state.high[row] + NOTHING:
            return False
    return True


@compiled
def send_home(
    table: Table, state: State, means: Floats, two_sided: bool, demands: tuple[float, float]
) -> None:
    """Send home every item whose journey pays neither the goal nor, enough, the spread.

    ``demands`` are the value that must not be exceeded and the spread that one move has to earn.
    """
    ceiling, worth = demands
    _, spread = _score(table, state, means, two_sided)
    changed = True
    while changed:
        changed = False
        for item in state.moved[: state.counts[MOVED]].copy():
            home, now = table.home[item], state.owner[item]
            if table.closed[home]:
                continue
            relocate(table, state, item, home)
            value, wider = _score(table, state, means, two_sided)
            if (
                value <= ceiling + NOTHING
                and wider - spread < worth
                and _kept(state, means.size * table.closed.size)
            ):
                spread = wider
                changed = True
            else:
                relocate(table, state, item, now)
