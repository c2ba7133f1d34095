"""A proven lower bound of the load distance within a number of moves, in milliseconds.

The *count bound*: for a trial distance d, bin i needs some s departures and r arrivals so that what
leaves minus what comes brings it into [mean - d, mean + d]. The sums of the s smallest and largest
own items and of the r smallest and largest items elsewhere say which (s, r) are possible at all;
for s, r <= 1 the real items do, so that gaps between sizes count. Every move is one departure and
one arrival, so the cheapest choice over all bins with equal sums (a dynamic program over s - r) is
the fewest moves that any assignment with distance d needs. The smallest d for which that is within
the budget is the bound. The linear relaxation is no help: it moves fractions of large items.
"""

from collections.abc import Callable

import numpy as np

from albic.arrays import Floats, Ints
from albic.optimize.assignment import AssignmentProblem
from albic.optimize.count_bound import NEVER, Tables, fewest_moves, separate_counts, sums_of
from albic.optimize.price_bound import priced_touches, prices

#: Above this many (open bins x moves), arrivals are counted without the dynamic program.
FULL_PROGRAM = 20_000
#: The bisection ends when it knows the bound this exactly, in points.
EXACTNESS = 5e-4
#: Differences below this are rounding, in points.
ROUNDING = 1e-9
#: Above this many (open bins x moves), prices take longer than they have ever brought.
PRICED_PROGRAM = 2_000
#: How many of the heaviest items have a price at first, as multiples of the moves.
SCARCE = (0.5, 1.0, 2.0)
#: How often prices follow demand, and how far each time.
ROUNDS, FOLLOWS = 4, 0.5
#: How far above the count bound is looked, as parts of it or of a fifth of a point.
ABOVE = (0.02, 0.04, 0.07, 0.12, 0.2, 0.32, 0.5, 0.75, 1.0, 1.4)
#: The most touches that prices have ever added; with more to spare they are not tried.
MOST_ADDED = 6


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
        self.moves = problem.affordable()
        self.outside = int((movable & problem.closed[problem.home]).sum())
        self.floor = distance_floor(problem)
        items = np.flatnonzero(movable)
        items = items[np.argsort(weight[items], kind="stable")]
        self.sorted: Floats = weight[items]
        position = np.full(problem.bins, -1)
        position[self.open] = np.arange(self.open.size)
        self.sorted_bin: Ints = position[problem.home[items]]
        by_bin = np.argsort(self.sorted_bin, kind="stable")
        self.by_bin: Ints = by_bin
        self.own: Floats = self.sorted[by_bin]
        self.own_pointer: Ints = np.searchsorted(
            self.sorted_bin[by_bin], np.arange(self.open.size + 1)
        )
        self.sums: Tables | None = None
        if self.open.size * self.moves <= FULL_PROGRAM:
            self.sums = sums_of(
                self.own, self.own_pointer, self.sorted, self.sorted_bin, self.moves
            )

    def _windows(self, distance: float) -> tuple[Floats, Floats]:
        """Return what has to leave each bin, at least and at most."""
        # Loads summed in another order may miss a window by a hair; a wider one proves the same.
        window = (distance + ROUNDING) * self.capacity
        return self.excess - window, self.excess + window

    def _separately(self, distance: float) -> int:
        """Return the fewest moves as far as departures and arrivals on their own tell."""
        low, high = self._windows(distance)
        return int(separate_counts(low, high, self.own, self.own_pointer, self.sorted))

    def fewest_moves(self, distance: float) -> int:
        """Return a number of moves below which no assignment has this distance."""
        if distance + ROUNDING < self.floor:
            return NEVER
        fewest = self._separately(distance)
        if self.sums is not None and fewest <= self.moves:
            fewest = fewest_moves(
                self._windows(distance),
                (self.own, self.own_pointer),
                (self.sorted, self.sorted_bin),
                self.sums,
                self.outside,
            )
        return int(fewest)

    def distance(self) -> float:
        """Return a distance below which no assignment within the budget comes."""
        low, high = self.floor, self.start
        if high <= low:
            return high
        if self.fewest_moves(low) <= self.moves:
            return self._priced(low, high)
        low = self._between(low, high, self._separately)
        # The full program is dear and its answer near, so it is asked from below, ever further on.
        step = 4 * EXACTNESS
        while low + step < high and self.fewest_moves(low + step) > self.moves:
            low, step = low + step, 4 * step
        return self._priced(self._between(low, min(low + step, high), self.fewest_moves), high)

    def _priced(self, low: float, high: float) -> float:
        """Return ``low``, or the largest distance found above it that prices prove too small."""
        if self.open.size * self.moves > PRICED_PROGRAM:
            return low
        width, proven, open_ = max(low, 0.2), low, high
        for part in ABOVE:
            trial = low + part * width
            if trial >= high:
                break
            if not self._may_be_too_small(trial):
                open_ = min(open_, trial)
                break
            proven, open_ = (trial, high) if self._too_small(trial) else (proven, min(open_, trial))
        while open_ < high and open_ - proven > 0.01 * width:
            trial = (proven + open_) / 2
            if self._too_small(trial):
                proven = trial
            else:
                open_ = trial
        return proven

    def _may_be_too_small(self, distance: float) -> bool:
        """Return whether bins need nearly all touches that there are, without prices."""
        none = np.zeros(self.sorted.size)
        return self._touches(distance, none, none.copy()) > 2 * self.moves - MOST_ADDED

    def _too_small(self, distance: float) -> bool:
        """Return whether prices prove that no assignment within the budget has this distance."""
        windows = self._windows(distance)
        demand = np.zeros(self.sorted.size)
        for share in SCARCE:
            scarce = int(np.ceil(share * self.moves))
            owned, ordered = (self.own, self.own_pointer), (self.sorted, self.sorted_bin)
            price = prices(windows, owned, ordered, scarce)
            for _ in range(ROUNDS):
                if self._touches(distance, price, demand) > 2 * self.moves + ROUNDING:
                    return True
                price = np.maximum(price + FOLLOWS * demand, 0.0)
        return False

    def _touches(self, distance: float, price: Floats, demand: Floats) -> float:
        """Return what all bins need at least, with prices; nothing where there are no sums."""
        if self.sums is None:
            return 0.0
        # What a closed bin gives away belongs to no window, so it must not have a price.
        price[self.sorted_bin < 0] = 0.0
        return float(
            priced_touches(
                self._windows(distance),
                (self.sorted, self.sorted_bin),
                (self.by_bin, self.own_pointer),
                self.sums,
                price,
                demand,
            )
        )

    def _between(self, low: float, high: float, fewest: Callable[[float], int]) -> float:
        """Return the largest distance found between two that needs more moves than there are."""
        while high - low > EXACTNESS:
            trial = (low + high) / 2
            if fewest(trial) <= self.moves:
                high = trial
            else:
                low = trial
        return low


def distance_floor(problem: AssignmentProblem) -> float:
    """Return the distance that no assignment beats, whatever it may move.

    The largest item has to be somewhere, and with fewer items than bins some bins stay empty. An
    item in a closed bin may be too dear to ever leave it, so it does not count as the largest.
    """
    stays = ~problem.closed
    mean = float(problem.means()[0])
    base, capacity = problem.base[0, stays], problem.capacity[stays]
    largest = float(problem.item_weight()[stays[problem.home]].max(initial=0.0))
    floor = max(0.0, float((base + largest / capacity).min()) - mean)
    empty = int(stays.sum()) - problem.items
    if empty > 0:
        floor = max(floor, mean - float(np.sort(base)[-empty]))
    return floor
