"""Compiled draws of the local search: which item might change bins, and where to."""

from albic.optimize.compiled import inlined
from albic.optimize.kernel import MOVED, UNHAPPY, State, Table, draw, gap_of

#: How often a random draw is repeated before a proposal is given up.
DRAWS = 6


@inlined
def any_resident(table: Table, state: State, row: int) -> int:
    """Return a random movable item that is at home in the bin of ``row``, or -1."""
    start = table.resident_pointer[row]
    size = table.resident_pointer[row + 1] - start
    if size == 0:
        return -1
    for _ in range(DRAWS):
        item = table.resident[start + draw(state, size)]
        if state.moved_at[item] < 0:
            return item
    return -1


@inlined
def resident_of_size(table: Table, state: State, row: int, weight: float) -> int:
    """Return a movable item that is at home in the bin of ``row`` and weighs about ``weight``."""
    start, end = table.resident_pointer[row], table.resident_pointer[row + 1]
    near, above = start, end
    while near < above:
        middle = (near + above) // 2
        if table.resident_weight[middle] < weight:
            near = middle + 1
        else:
            above = middle
    for _ in range(DRAWS):
        at = near + draw(state, 5) - 2
        if start <= at < end and state.moved_at[table.resident[at]] < 0:
            return table.resident[at]
    return -1


@inlined
def some_resident(table: Table, state: State, row: int, weight: float, wanted: float) -> int:
    """Return a resident of about ``weight``; where no size is ``wanted``, just any."""
    if wanted > 0.0:
        return resident_of_size(table, state, row, weight)
    return any_resident(table, state, row)


@inlined
def some_traveller(table: Table, state: State, bin_: int) -> int:
    """Return a random item away from home, if possible one to or from ``bin_``, or -1."""
    count = state.counts[MOVED]
    if count == 0:
        return -1
    item = state.moved[draw(state, count)]
    for _ in range(DRAWS):
        if state.owner[item] == bin_ or table.home[item] == bin_:
            break
        item = state.moved[draw(state, count)]
    return item


@inlined
def some_partner(table: Table, state: State, offset: int, other: int, sign: int) -> int:
    """Return the emptier (sign 1) or fuller (-1) of two random open bins, not ``other``, or -1.

    Every other time one of them is unhappy itself: in a large cluster chance rarely meets it.
    """
    count = table.open_bins.size
    first = table.open_bins[draw(state, count)]
    second = table.open_bins[draw(state, count)]
    if draw(state, 2) == 0:
        unhappy = state.unhappy[draw(state, state.counts[UNHAPPY])] % table.closed.size
        second = second if table.closed[unhappy] else unhappy
    if sign * state.load[offset + second] < sign * state.load[offset + first]:
        first, second = second, first
    if first != other:
        return first
    return -1 if second == other else second


@inlined
def wanted_weight(table: Table, state: State, row: int, bin_: int) -> float:
    """Return a random weight whose leaving (or coming) brings the row into its window."""
    window = min(state.high[row] - state.low[row], 0.5 * abs(state.load[row]))
    share = draw(state, 1024) / 1024.0
    return (gap_of(state, row) + share * window) / table.inverse_capacity[bin_]
