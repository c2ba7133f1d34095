"""A proven lower bound of the load distance within a number of moves, in milliseconds.

The *count bound*: for a trial distance d, bin i needs some s departures and r arrivals so that what
leaves minus what comes brings it into [mean - d, mean + d]. The sums of the s smallest and largest
own items and of the r smallest and largest items elsewhere say which (s, r) are possible at all;
for s, r <= 1 the real items do, so that gaps between sizes count. Every move is one departure and
one arrival, so the cheapest choice over all bins with equal sums (a dynamic program over s - r) is
the fewest moves that any assignment with distance d needs. The smallest d for which that is within
the budget is the bound. The linear relaxation is no help: it moves fractions of large items.
"""

import numpy as np

from albic.arrays import Floats, Ints
from albic.optimize.assignment import AssignmentProblem
from albic.optimize.compiled import compiled

#: Above this many (open bins x moves), arrivals are counted without the dynamic program.
FULL_PROGRAM = 20_000
#: The bisection ends when it knows the bound this exactly, in points.
EXACTNESS = 1e-4
#: More moves than any budget.
NEVER = 1 << 40

Tables = tuple[Floats, Floats, Floats, Floats]
Sums = tuple[Floats, Floats, Floats, Floats]
Others = tuple[Floats, Ints, int]


class CountBound:
    """The fewest moves for a distance, and the least distance for a number of moves."""

    def __init__(self, problem: AssignmentProblem) -> None:
        weight = problem.item_weight()
        movable = problem.movable
        self.open = np.flatnonzero(~problem.closed)
        self.capacity = problem.capacity[self.open]
        gap = problem.loads(problem.home)[0, self.open] - problem.means()[0]
        self.excess: Floats = gap * self.capacity
        self.start = float(np.abs(gap).max())
        self.moves = _affordable(problem)
        self.outside = int((movable & problem.closed[problem.home]).sum())
        self.floor = distance_floor(problem)
        items = np.flatnonzero(movable)
        items = items[np.argsort(weight[items], kind="stable")]
        self.sorted: Floats = weight[items]
        position = np.full(problem.bins, -1)
        position[self.open] = np.arange(self.open.size)
        self.sorted_bin: Ints = position[problem.home[items]]
        by_bin = np.argsort(self.sorted_bin, kind="stable")
        self.own: Floats = self.sorted[by_bin]
        self.own_pointer: Ints = np.searchsorted(
            self.sorted_bin[by_bin], np.arange(self.open.size + 1)
        )
        self.sums: Tables | None = None
        if self.open.size * self.moves <= FULL_PROGRAM:
            self.sums = _sums(self.own, self.own_pointer, self.sorted, self.sorted_bin, self.moves)

    def fewest_moves(self, distance: float) -> int:
        """Return a number of moves below which no assignment has this distance."""
        if distance < self.floor:
            return NEVER
        window = distance * self.capacity
        low, high = self.excess - window, self.excess + window
        fewest = _separate_counts(low, high, self.own, self.own_pointer, self.sorted)
        if self.sums is not None and fewest <= self.moves:
            fewest = _program(
                (low, high),
                (self.own, self.own_pointer),
                (self.sorted, self.sorted_bin),
                self.sums,
                self.outside,
            )
        return int(fewest)

    def distance(self) -> float:
        """Return a distance below which no assignment within the budget comes."""
        low, high = self.floor, self.start
        if high <= low or self.fewest_moves(low) <= self.moves:
            return min(low, high)
        while high - low > EXACTNESS:
            trial = (low + high) / 2
            if self.fewest_moves(trial) <= self.moves:
                high = trial
            else:
                low = trial
        return low


def distance_floor(problem: AssignmentProblem) -> float:
    """Return the distance that no assignment beats, whatever it may move.

    The largest item has to be somewhere, and with fewer items than bins some bins stay empty.
    """
    stays = ~problem.closed
    mean = float(problem.means()[0])
    base, capacity = problem.base[0, stays], problem.capacity[stays]
    weight = problem.item_weight()
    largest = float(weight.max()) if weight.size else 0.0
    floor = max(0.0, float((base + largest / capacity).min()) - mean)
    empty = int(stays.sum()) - problem.items
    if empty > 0:
        floor = max(floor, mean - float(np.sort(base)[-empty]))
    return floor


def makespan_floor(problem: AssignmentProblem) -> Floats:
    """Return, for each goal dimension, the maximum that no assignment beats."""
    work: Floats = np.asarray(problem.weights.sum(axis=0)).ravel()[: problem.goal_dims]
    largest: Floats = problem.weights[:, : problem.goal_dims].max(axis=0).toarray().ravel()
    floor: Floats = np.maximum(work / problem.capacity.sum(), largest / problem.capacity.max())
    return floor


def makespan_bound(problem: AssignmentProblem) -> float:
    """Return a sum of maxima below which no assignment within the budget comes.

    Departures only lower a bin by its largest items, so the best that m moves can do for one
    dimension is to take from the fullest bin each time. The moves are then shared out among the
    dimensions by a dynamic program; where one item weighs in several dimensions, each dimension is
    granted all moves instead.
    """
    moves = min(_affordable(problem), problem.items)
    floor = makespan_floor(problem)
    loads = problem.loads(problem.home)
    dims = problem.goal_dims
    best = np.empty((dims, moves + 1))
    columns = problem.weights.tocsc()
    for dim in range(dims):
        entries = slice(columns.indptr[dim], columns.indptr[dim + 1])
        items, weight = columns.indices[entries], columns.data[entries]
        kept = problem.movable[items]
        order = np.argsort(-weight[kept], kind="stable")
        bins = problem.home[items[kept][order]]
        relief = weight[kept][order] / problem.capacity[bins]
        by_bin = np.argsort(bins, kind="stable")
        pointer = np.searchsorted(bins[by_bin], np.arange(problem.bins + 1))
        _relieve(best[dim], loads[dim].copy(), relief[by_bin], pointer)
        np.maximum(best[dim], floor[dim], out=best[dim])
    goal_entries = problem.weights[:, :dims]
    if (np.diff(goal_entries.indptr) > 1).any():
        return float(best[:, moves].sum())
    return float(_share_out(best)[moves])


def _affordable(problem: AssignmentProblem) -> int:
    """Return the most items that the budget can move."""
    charges = np.sort(problem.charge[problem.movable])
    return int(np.searchsorted(np.cumsum(charges), problem.budget * (1 + 1e-12), side="right"))


@compiled
def _relieve(best: Floats, load: Floats, relief: Floats, pointer: Ints) -> None:
    """Fill ``best`` with the fullest load after each number of departures from the fullest bin."""
    taken = pointer[:-1].copy()
    for moves in range(best.size):
        fullest = np.argmax(load)
        best[moves] = load[fullest]
        if taken[fullest] == pointer[fullest + 1]:
            best[moves:] = load[fullest]
            return
        load[fullest] -= relief[taken[fullest]]
        taken[fullest] += 1


@compiled
def _share_out(best: Floats) -> Floats:
    """Return the least sum over rows for each number of moves shared among them."""
    total = best[0].copy()
    for dim in range(1, best.shape[0]):
        combined = np.full(total.size, np.inf)
        for here in range(total.size):
            if here > 0 and best[dim, here] == best[dim, here - 1]:
                continue
            for before in range(total.size - here):
                value = best[dim, here] + total[before]
                combined[here + before] = min(combined[here + before], value)
        for moves in range(1, total.size):
            combined[moves] = min(combined[moves], combined[moves - 1])
        total = combined
    return total


@compiled
def _separate_counts(low: Floats, high: Floats, own: Floats, pointer: Ints, ordered: Floats) -> int:
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
def _sums(
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
def _program(
    windows: tuple[Floats, Floats],
    owned: tuple[Floats, Ints],
    ordered: tuple[Floats, Ints],
    sums: Tables,
    outside: int,
) -> int:
    """Return the fewest moves over all bins; the state is departures minus arrivals so far."""
    own_all, pointer = owned
    moves = sums[0].shape[1] - 1
    fewest = np.full(2 * moves + 1, NEVER)
    fewest[moves] = 0
    following = np.empty_like(fewest)
    for bin_ in range(pointer.size - 1):
        own = own_all[pointer[bin_] : pointer[bin_ + 1]]
        row = (sums[0][bin_], sums[1][bin_], sums[2][bin_], sums[3][bin_])
        window = (windows[0][bin_], windows[1][bin_])
        following[:] = NEVER
        for difference in range(-moves, min(own.size, moves) + 1):
            departures = _departures(difference, window, own, row, (ordered[0], ordered[1], bin_))
            if departures == NEVER:
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
