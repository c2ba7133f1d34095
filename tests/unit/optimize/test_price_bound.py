"""Prices of scarce items: whatever they are, no assignment has fewer touches than they prove."""

import numpy as np

from albic.model import Budget, PlanRequest
from albic.optimize.assignment import Goal
from albic.optimize.bound import CountBound
from albic.optimize.price_bound import priced_touches
from albic.planners.problem import problem_of
from bench.instances import skewed
from tests.tiny_problems import MANY, everything, tiny_problem


def touches(bound, distance, price):
    """Return what the bins need with the given prices."""
    price = np.where(bound.sorted_bin < 0, 0.0, price)
    return priced_touches(
        bound._windows(distance),
        (bound.sorted, bound.sorted_bin),
        (bound.by_bin, bound.own_pointer),
        bound.sums,
        price,
        np.zeros(price.size),
    )


def test_no_assignment_has_fewer_touches_than_any_prices_prove():
    beaten = {}
    for seed in range(MANY):
        problem = tiny_problem(seed, Goal.DISTANCE)
        rng, bound, table = np.random.default_rng(seed), CountBound(problem), everything(problem)
        for share in (0.0, 0.2):
            distance = float(np.quantile(table.value, share, method="nearest"))
            fewest = table.moves[table.value <= distance + 1e-10].min()
            for highest in (0.0, 1.0, 3.0):
                chosen = rng.random(bound.sorted.size) < 0.6
                price = chosen * rng.uniform(0, highest, bound.sorted.size)
                proven = touches(bound, distance, price)
                if proven > 2 * fewest + 1e-9:
                    beaten[seed] = (proven, fewest)
    assert beaten == {}


def test_without_prices_several_bins_may_take_the_same_item_and_with_prices_not():
    snapshot = skewed(4)
    bound = CountBound(problem_of(PlanRequest(snapshot, Budget(10))))
    counted = bound._between(bound.floor, bound.start, bound.fewest_moves)
    assert bound.distance() > counted + 0.5
