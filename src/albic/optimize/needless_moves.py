"""The compiled end of the local search: who is away for nothing goes home."""

import numpy as np

from albic.arrays import Floats
from albic.optimize.compiled import compiled
from albic.optimize.greedy import NOTHING
from albic.optimize.kernel import MOVED, State, Table, relocate


@compiled
def _peak(table: Table, state: State, dimension: int) -> float:
    """Return what counts as the maximum of one goal dimension."""
    first = dimension * table.closed.size
    return max(table.least[dimension], state.load[first : first + table.closed.size].max())


@compiled
def _spread_of(
    table: Table, state: State, means: Floats, item: int, ends: tuple[int, int]
) -> float:
    """Return the gaps to the means, summed over what ``item`` weighs on in two open bins."""
    spread = 0.0
    for entry in range(table.pointer[item], table.pointer[item + 1]):
        dimension = table.dimension[entry]
        if dimension >= means.size:
            continue
        for bin_ in ends:
            if not table.closed[bin_]:
                spread += abs(state.load[dimension * table.closed.size + bin_] - means[dimension])
    return spread


@compiled
def _within(table: Table, state: State, first: int, item: int, bin_: int) -> bool:
    """Return whether ``bin_`` keeps to its limits in the dimensions from ``first`` on."""
    for entry in range(table.pointer[item], table.pointer[item + 1]):
        row = table.dimension[entry] * table.closed.size + bin_
        if table.dimension[entry] >= first and state.load[row] > state.high[row] + NOTHING:
            return False
    return True


@compiled
def _even(
    table: Table, state: State, means: Floats, item: int, ends: tuple[int, int], ceiling: float
) -> bool:
    """Return whether two bins are no further from the mean than ``ceiling``; a distance's value."""
    for entry in range(table.pointer[item], table.pointer[item + 1]):
        dimension = table.dimension[entry]
        if dimension >= means.size:
            continue
        for bin_ in ends:
            gap = abs(state.load[dimension * table.closed.size + bin_] - means[dimension])
            if gap > ceiling + NOTHING and not table.closed[bin_]:
                return False
    return True


@compiled
def _peaks_change(
    table: Table, state: State, peaks: Floats, item: int, ends: tuple[int, int]
) -> None:
    """Bring the maxima up to date after ``item`` went from the second of two bins to the first.

    A whole dimension is looked at only where its maximum may have become less.
    """
    home, left = ends
    bins = table.closed.size
    for entry in range(table.pointer[item], table.pointer[item + 1]):
        dimension, weight = table.dimension[entry], table.weight[entry]
        if dimension >= peaks.size:
            continue
        before = state.load[dimension * bins + left] + weight * table.inverse_capacity[left]
        if before >= peaks[dimension] - NOTHING:
            peaks[dimension] = _peak(table, state, dimension)
        peaks[dimension] = max(peaks[dimension], state.load[dimension * bins + home])


@compiled
def send_home(
    table: Table, state: State, means: Floats, two_sided: bool, demands: tuple[float, float]
) -> None:
    """Send home every item whose journey pays neither the goal nor, enough, the spread.

    ``demands`` are the value that must not be exceeded and the spread that one move has to earn.
    """
    ceiling, worth = demands
    peaks = np.empty(means.size)
    for dimension in range(means.size):
        peaks[dimension] = _peak(table, state, dimension)
    changed = True
    while changed:
        changed = False
        for item in state.moved[: state.counts[MOVED]].copy():
            home, now = table.home[item], state.owner[item]
            if table.closed[home]:
                continue
            ends, kept = (home, now), peaks.copy()
            before = _spread_of(table, state, means, item, ends)
            relocate(table, state, item, home)
            _peaks_change(table, state, peaks, item, ends)
            wider = _spread_of(table, state, means, item, ends) - before
            allowed = peaks.sum() <= ceiling + NOTHING
            if two_sided:
                allowed = _even(table, state, means, item, ends, ceiling)
            if allowed and wider < worth and _within(table, state, means.size, item, home):
                changed = True
            else:
                relocate(table, state, item, now)
                peaks[:] = kept
