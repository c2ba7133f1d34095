"""What the bounds promise, held against every assignment there is."""

import numpy as np
import pytest

from albic.model import Budget, PlanRequest, metrics
from albic.optimize.assignment import Goal
from albic.optimize.bound import EXACTNESS, CountBound
from albic.optimize.count_bound import NEVER
from albic.optimize.descent import limits_of
from albic.planners.problem import problem_of
from albic.sim.workload import synthetic
from tests.tiny_problems import MANY, everything, tiny_problem
from tests.worlds import world

#: Sums of the same numbers in another order differ by this much.
ROUNDING = 1e-9


@pytest.mark.parametrize("goal", Goal)
def test_no_assignment_within_the_budget_is_below_the_bound(goal):
    beaten = {}
    for seed in range(MANY):
        problem = tiny_problem(seed, goal)
        bound, least = limits_of(problem).bound, everything(problem).value.min()
        if bound > least + ROUNDING:
            beaten[seed] = (bound, least)
    assert beaten == {}


@pytest.mark.parametrize("goal", Goal)
def test_no_assignment_of_any_budget_is_below_the_floor(goal):
    beaten = {}
    for seed in range(MANY):
        problem = tiny_problem(seed, goal)
        floor, least = limits_of(problem).floor, everything(problem, any_budget=True).value.min()
        if floor > least + ROUNDING:
            beaten[seed] = (floor, least)
    assert beaten == {}


@pytest.mark.parametrize("goal", Goal)
def test_the_bound_is_not_below_the_floor_and_often_is_the_best_value_itself(goal):
    problems = [tiny_problem(seed, goal) for seed in range(200)]
    limits = [limits_of(problem) for problem in problems]
    assert all(limit.bound >= limit.floor - ROUNDING for limit in limits)
    tight = [
        limit.bound >= everything(problem).value.min() - 2 * EXACTNESS
        for problem, limit in zip(problems, limits, strict=True)
    ]
    assert np.mean(tight) >= 0.6


def test_no_assignment_reaches_a_distance_with_fewer_moves_than_proven():
    beaten = {}
    for seed in range(MANY):
        problem = tiny_problem(seed, Goal.DISTANCE)
        all_of_them, bound = everything(problem), CountBound(problem)
        for share in (0.0, 0.1, 0.5):
            # Exactly a distance that some assignment has: rounding must not make it impossible.
            distance = float(np.quantile(all_of_them.value, share, method="nearest"))
            fewest = all_of_them.moves[all_of_them.value <= distance + ROUNDING / 10].min()
            if bound.fewest_moves(distance) > fewest:
                beaten[seed] = (distance, bound.fewest_moves(distance), fewest)
    assert beaten == {}


def test_the_largest_key_group_sets_the_floor():
    problem = problem_of(world("a: 40 10 | b: 10 | c: | d:"))
    assert limits_of(problem).floor == 40 - 15


def test_too_few_key_groups_for_all_nodes_set_the_floor():
    problem = problem_of(world("a: 5 5 | b: | c:"))
    assert limits_of(problem).floor == pytest.approx(10 / 3)


def test_a_key_group_too_dear_to_leave_a_draining_node_sets_no_floor():
    asked = world(
        "a: 4 3 3 4 | b: | c: | d: | z(draining): 10",
        budget=3,
        unit="cost",
        state_bytes=[1, 1, 1, 1, 9],
    )
    problem = problem_of(asked)
    limits = limits_of(problem)
    assert limits.bound <= problem.value(np.array([0, 1, 2, 3, 4]))
    assert limits.floor == 0


def test_an_impossible_distance_takes_more_moves_than_there_are():
    bound = CountBound(problem_of(world("a: 40 | b: 10 | c:")))
    assert bound.fewest_moves(bound.floor - 0.1) == NEVER


def test_a_larger_budget_never_raises_the_bound():
    snapshot = synthetic(10, 200, 5, 40, 0.5, 3)
    bounds = [
        CountBound(problem_of(PlanRequest(snapshot, Budget(budget)))).distance()
        for budget in range(0, 30, 3)
    ]
    assert bounds == sorted(bounds, reverse=True)
    unmoved = metrics.load_distance(snapshot, snapshot.allocation)
    assert bounds[0] == pytest.approx(unmoved, abs=2 * EXACTNESS)


def test_the_short_count_of_large_clusters_is_a_bound_as_well(monkeypatch):
    snapshot = synthetic(20, 400, 5, 40, 0.5, 1)
    problem = problem_of(PlanRequest(snapshot, Budget(20)))
    full = CountBound(problem).distance()
    monkeypatch.setattr("albic.optimize.bound.FULL_PROGRAM", 0)
    short = CountBound(problem)
    assert short.sums is None
    assert short.distance() <= full + EXACTNESS
    beaten = {}
    for seed in range(MANY):
        tiny = tiny_problem(seed, Goal.DISTANCE)
        bound, least = CountBound(tiny).distance(), everything(tiny).value.min()
        if bound > least + ROUNDING:
            beaten[seed] = (bound, least)
    assert beaten == {}
