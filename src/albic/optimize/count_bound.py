"""The compiled part of the count bound: which departures and arrivals a bin needs, and all bins."""

import numpy as np

from albic.arrays import Floats, Ints
from albic.optimize.compiled import compiled

#: More moves than any budget.
NEVER = 1 << 40

#: Sums of the fewest and most that r own items weigh, and r items elsewhere; a row a bin.
Tables = tuple[Floats, Floats, Floats, Floats]
#: The same for one bin.
Sums = tuple[Floats, Floats, Floats, Floats]
#: All weights in order, the bin of each, and the bin in question.
Others = tuple[Floats, Ints, int]


@compiled
def separate_counts(low: Floats, high: Floats, own: Floats, pointer: Ints, ordered: Floats) -> int:
    """Return the larger of all needed departures and all needed arrivals, each on its own."""
    largest = np.concatenate((np.zeros(1), np.cumsum(ordered[::-1])))
    departures, arrivals, surplus, deficit = 0, 0, 0.0, 0.0
    for bin_ in range(low.size):
        if low[bin_] > 0.0:
            surplus += low[bin_]
            left, at = low[bin_], pointer[bin_ + 1]
            while left > 0.0:
                at -= 1
                if at < pointer[bin_]:
                    return NEVER
                left -= own[at]
                departures += 1
        elif high[bin_] < 0.0:
            deficit -= high[bin_]
            needed = np.searchsorted(largest, -high[bin_])
            if needed == largest.size:
                return NEVER
            arrivals += needed
    carried = np.searchsorted(largest, max(surplus, deficit) - 1e-9)
    if carried == largest.size:
        return NEVER
    fewest: int = max(departures, arrivals, int(carried))
    return fewest


@compiled
def sums_of(
    own: Floats, pointer: Ints, ordered: Floats, ordered_bin: Ints, most: int
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return, a row a bin, the sums of its r smallest and r largest items, and of those elsewhere.

    Where there are not so many items, the smallest sum is infinite, which no window meets.
    """
    bins = pointer.size - 1
    own_smallest, own_largest = np.full((bins, most + 1), np.inf), np.full((bins, most + 1), np.inf)
    smallest, largest = np.full((bins, most + 1), np.inf), np.full((bins, most + 1), np.inf)
    for bin_ in range(bins):
        _accumulate(own_smallest[bin_], own[pointer[bin_] : pointer[bin_ + 1]])
        _accumulate(own_largest[bin_], own[pointer[bin_] : pointer[bin_ + 1]][::-1])
        # The most + own.size extreme items hold the most extreme ones that lie elsewhere.
        reach = min(ordered.size, most + pointer[bin_ + 1] - pointer[bin_])
        _accumulate(smallest[bin_], ordered[:reach][ordered_bin[:reach] != bin_])
        last = ordered.size - reach
        _accumulate(largest[bin_], ordered[last:][ordered_bin[last:] != bin_][::-1])
    return own_smallest, own_largest, smallest, largest


@compiled
def _accumulate(sums: Floats, values: Floats) -> None:
    """Fill ``sums`` with the running sum of ``values``, as far as both go."""
    sums[0] = 0.0
    for at in range(min(sums.size - 1, values.size)):
        sums[at + 1] = sums[at] + values[at]


@compiled
def _one_fits(ordered: Floats, ordered_bin: Ints, bin_: int, low: float, high: float) -> bool:
    """Return whether an item outside ``bin_`` weighs between ``low`` and ``high``."""
    for at in range(np.searchsorted(ordered, low), ordered.size):
        if ordered[at] > high:
            return False
        if ordered_bin[at] != bin_:
            return True
    return False


@compiled
def _single(
    departures: int, arrivals: int, window: tuple[float, float], own: Floats, others: Others
) -> bool:
    """Return whether at most one departure and one arrival can bring a bin into its window."""
    low, high = window
    ordered, ordered_bin, bin_ = others
    if departures == 0 and arrivals == 0:
        return low <= 0.0 <= high
    if departures == 0:
        return _one_fits(ordered, ordered_bin, bin_, -high, -low)
    for weight in own:
        if arrivals == 0 and low <= weight <= high:
            return True
        if arrivals == 1 and _one_fits(ordered, ordered_bin, bin_, weight - high, weight - low):
            return True
    return False


@compiled
def _departures(
    difference: int, window: tuple[float, float], own: Floats, sums: Sums, others: Others
) -> int:
    """Return the fewest departures that can bring a bin into its window, or NEVER.

    ``difference`` is departures minus arrivals.
    """
    low, high = window
    own_smallest, own_largest, smallest, largest = sums
    most = smallest.size - 1
    for departures in range(max(0, difference), min(own.size, most) + 1):
        arrivals = departures - difference
        if arrivals > most:
            return NEVER
        if departures <= 1 and arrivals <= 1:
            if _single(departures, arrivals, window, own, others):
                return departures
        elif (
            own_smallest[departures] - largest[arrivals] <= high
            and own_largest[departures] - smallest[arrivals] >= low
        ):
            return departures
    return NEVER


@compiled
def _choices(
    windows: tuple[Floats, Floats],
    owned: tuple[Floats, Ints],
    ordered: tuple[Floats, Ints],
    sums: Tables,
) -> Ints:
    """Return, a row a bin, the fewest departures for each difference, from -moves to moves."""
    own_all, pointer = owned
    moves = sums[0].shape[1] - 1
    needed = np.full((pointer.size - 1, 2 * moves + 1), NEVER)
    for bin_ in range(pointer.size - 1):
        own = own_all[pointer[bin_] : pointer[bin_ + 1]]
        row = (sums[0][bin_], sums[1][bin_], sums[2][bin_], sums[3][bin_])
        window = (windows[0][bin_], windows[1][bin_])
        for difference in range(-moves, min(own.size, moves) + 1):
            needed[bin_, moves + difference] = _departures(
                difference, window, own, row, (ordered[0], ordered[1], bin_)
            )
    return needed


@compiled
def fewest_moves(
    windows: tuple[Floats, Floats],
    owned: tuple[Floats, Ints],
    ordered: tuple[Floats, Ints],
    sums: Tables,
    outside: int,
) -> int:
    """Return the fewest moves over all bins; the state is departures minus arrivals so far."""
    pointer = owned[1]
    bins, moves = pointer.size - 1, sums[0].shape[1] - 1
    needed = _choices(windows, owned, ordered, sums)
    least = np.empty(bins, np.int64)
    for bin_ in range(bins):
        least[bin_] = needed[bin_].min()
    # What the other bins need at least cannot be spent on this one.
    spare = moves - least.sum()
    fewest = np.full(2 * moves + 1, NEVER)
    fewest[moves] = 0
    following = np.empty_like(fewest)
    for bin_ in range(bins):
        following[:] = NEVER
        for difference in range(-moves, moves + 1):
            departures = needed[bin_, moves + difference]
            if departures > least[bin_] + spare:
                continue
            for state in range(max(0, -difference), 2 * moves + 1 - max(0, difference)):
                total = fewest[state] + departures
                if total <= moves and total < following[state + difference]:
                    following[state + difference] = total
        fewest, following = following, fewest
    best = NEVER
    for brought in range(min(outside, moves) + 1):
        best = min(best, fewest[moves - brought] + brought)
    return best
