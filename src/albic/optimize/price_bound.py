"""The compiled part of the priced bound: touches that bins need when scarce items have a price.

Every move touches two bins, the one that an item leaves and the one that it enters. The count bound
lets several bins take in the same large item, and forgets what its leaving does to the bin at home.
Here a bin that takes in an item pays its price, and the bin at home gets it. Whatever the prices,
they cancel out in every assignment. So the sum over all bins of the least that each needs, prices
included, is no more than twice the number of moves.
"""

import numpy as np

from albic.arrays import Floats, Ints
from albic.optimize.compiled import compiled
from albic.optimize.count_bound import Tables

#: Touches beyond which a bin's own prices are all that is looked at.
EXACT = 2


@compiled
def _alone(low: float, high: float, own: Floats, ordered: Floats) -> int:
    """Return about how few touches bring a bin into its window, prices aside."""
    if low <= 0.0 <= high:
        return 0
    if low > 0.0:
        at = np.searchsorted(own, low)
        return 1 if at < own.size and own[at] <= high else 2
    at = np.searchsorted(ordered, -high)
    return 1 if at < ordered.size and ordered[at] <= -low else 2


@compiled
def prices(
    windows: tuple[Floats, Floats],
    owned: tuple[Floats, Ints],
    ordered: tuple[Floats, Ints],
    scarce: int,
) -> Floats:
    """Return a price for each of the ``scarce`` heaviest items: the touches its leaving adds."""
    weights, bins = ordered
    own, pointer = owned
    price = np.zeros(weights.size)
    for at in range(max(0, weights.size - scarce), weights.size):
        bin_ = bins[at]
        if bin_ < 0:
            continue
        low, high, weight = windows[0][bin_], windows[1][bin_], weights[at]
        mine = own[pointer[bin_] : pointer[bin_ + 1]]
        before = _alone(low, high, mine, weights)
        after = 1 + _alone(low - weight, high - weight, mine, weights)
        price[at] = max(0, after - before)
    return price


@compiled
def _cheapest(
    low: float, high: float, bin_: int, ordered: tuple[Floats, Ints], price: Floats
) -> int:
    """Return the cheapest item outside ``bin_`` that weighs between ``low`` and ``high``, or -1."""
    weights, bins = ordered
    chosen = -1
    for at in range(np.searchsorted(weights, low), weights.size):
        if weights[at] > high or (chosen >= 0 and price[chosen] == 0.0):
            break
        if bins[at] != bin_ and (chosen < 0 or price[at] < price[chosen]):
            chosen = at
    return chosen


@compiled
def _one_or_two(
    window: tuple[float, float], bin_: int, own: Ints, ordered: tuple[Floats, Ints], price: Floats
) -> tuple[float, tuple[int, int, int]]:
    """Return the least cost with one touch, or two of which at most one is an arrival, and how.

    How is two items that leave and one that comes, -1 where there is none.
    """
    low, high = window
    weights = ordered[0]
    least, how = np.inf, (-1, -1, _cheapest(-high, -low, bin_, ordered, price))
    if how[2] >= 0:
        least = 1.0 + price[how[2]]
    for first in range(own.size):
        weight, earned = weights[own[first]], price[own[first]]
        if low <= weight <= high and 1.0 - earned < least:
            least, how = 1.0 - earned, (own[first], -1, -1)
        if least > 2.0 - earned:
            back = _cheapest(weight - high, weight - low, bin_, ordered, price)
            if back >= 0 and 2.0 - earned + price[back] < least:
                least, how = 2.0 - earned + price[back], (own[first], -1, back)
        for second in range(first):
            both = earned + price[own[second]]
            if low <= weight + weights[own[second]] <= high and 2.0 - both < least:
                least, how = 2.0 - both, (own[first], own[second], -1)
    return least, how


@compiled
def _several(
    window: tuple[float, float],
    sums: tuple[Floats, Floats, Floats, Floats],
    earned: Floats,
    free: Floats,
    dues: tuple[Floats, float],
    least: float,
) -> float:
    """Return ``least``, or less where more touches, as far as sums tell, cost less.

    ``earned`` is the most that so many departures bring in, ``free`` the most that so many items
    without a price weigh, ``dues`` the same for those with one, and the least of their prices.
    """
    low, high = window
    own_smallest, own_largest, smallest, largest = sums
    most = smallest.size - 1
    for departures in range(min(earned.size - 1, most) + 1):
        for arrivals in range(most + 1):
            touches = departures + arrivals
            cost = touches - earned[departures]
            if cost >= least:
                break
            if touches < EXACT or (touches == EXACT and departures > 0):
                continue
            if (
                own_smallest[departures] - largest[arrivals] > high
                or own_largest[departures] - smallest[arrivals] < low
            ):
                continue
            needed, paid = own_smallest[departures] - high, 0
            while paid < arrivals and free[arrivals - paid] + dues[0][paid] < needed:
                paid += 1
            least = min(least, cost + paid * dues[1])
    return least


@compiled
def _heaviest(weights: Floats, price: Floats, most: int) -> tuple[Floats, Floats, float]:
    """Return what the heaviest items without and with a price weigh, and the least price."""
    free, due, cheapest = np.zeros(most + 1), np.zeros(most + 1), np.inf
    without, with_price = 0, 0
    for at in range(price.size - 1, -1, -1):
        if price[at] > 0.0:
            cheapest = min(cheapest, price[at])
            with_price += 1
            if with_price <= most:
                due[with_price] = due[with_price - 1] + weights[at]
        elif without < most:
            without += 1
            free[without] = free[without - 1] + weights[at]
    # Where there are no more items, more of them weigh no more.
    free[without + 1 :] = free[without]
    due[with_price + 1 :] = due[min(with_price, most)]
    return free, due, cheapest if with_price > 0 else 0.0


@compiled
def priced_touches(
    windows: tuple[Floats, Floats],
    ordered: tuple[Floats, Ints],
    by_bin: tuple[Ints, Ints],
    sums: Tables,
    price: Floats,
    demand: Floats,
) -> float:
    """Return what all bins need at least, prices included; no assignment has fewer touches.

    ``by_bin`` are the positions of each bin's items, and where each bin's begin. ``demand`` is
    filled with how many more bins would like to take each item in than give it away.
    """
    positions, pointer = by_bin
    free, due, cheapest = _heaviest(ordered[0], price, sums[0].shape[1] - 1)
    total = 0.0
    demand[:] = 0.0
    for bin_ in range(pointer.size - 1):
        window = (windows[0][bin_], windows[1][bin_])
        own = positions[pointer[bin_] : pointer[bin_ + 1]]
        earned = np.concatenate((np.zeros(1), np.cumsum(np.sort(price[own])[::-1])))
        least, how = 0.0 if window[0] <= 0.0 <= window[1] else np.inf, (-1, -1, -1)
        if least > 1.0 - earned[-1]:
            cost, touched = _one_or_two(window, bin_, own, ordered, price)
            if cost < least:
                least, how = cost, touched
        row = (sums[0][bin_], sums[1][bin_], sums[2][bin_], sums[3][bin_])
        cost = _several(window, row, earned, free, (due, cheapest), least)
        if cost == least:
            for place in range(3):
                if how[place] >= 0:
                    demand[how[place]] += 1.0 if place == 2 else -1.0
        total += cost
    return total
