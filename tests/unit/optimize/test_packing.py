"""What the search over packings says, held against every assignment there is."""

from dataclasses import replace

import numpy as np
import pytest

from albic.model import Budget, Objective, PlanRequest, metrics
from albic.optimize.assignment import Goal
from albic.optimize.makespan import STEPS, makespan_floor, makespan_shares
from albic.optimize.packing import (
    IMPOSSIBLE,
    LESS,
    POSSIBLE,
    ROUNDING,
    UNKNOWN,
    least_height,
    packs,
    stages_of,
)
from albic.planners.problem import problem_of
from albic.planners.search import SearchPlanner
from albic.sim.workload import synthetic
from tests.tiny_problems import MANY, everything, tiny_problem

#: More than a tiny problem ever takes.
ALL = 10_000_000


def one_stage(seed):
    """Return a tiny problem of one stage, in which moves are what is counted."""
    problem = tiny_problem(seed, Goal.MAKESPAN)
    free = np.full((1, problem.bins), np.inf)
    return replace(
        problem,
        weights=problem.weights[:, :1],
        base=np.zeros((1, problem.bins)),
        limit=free,
        goal_dims=1,
        charge=np.ones(problem.items),
        budget=float(min(problem.budget, problem.items)),
        movable=np.ones(problem.items, dtype=np.bool_),
        least=np.zeros(1),
    )


def test_the_least_height_is_the_best_maximum_there_is():
    wrong = {}
    for seed in range(MANY):
        problem = one_stage(seed)
        height, _ = least_height(stages_of(problem)[0], 0.0, int(problem.budget), ALL)
        best = everything(problem).value.min()
        if not best - LESS - 2 * ROUNDING <= height <= best + ROUNDING:
            wrong[seed] = (height, best)
    assert wrong == {}


def test_what_it_calls_possible_is_and_what_it_calls_impossible_is_not():
    for seed in range(MANY):
        problem = one_stage(seed)
        stage, values = stages_of(problem)[0], everything(problem).value
        for share in (0.0, 0.05, 0.5):
            height = float(np.quantile(values, share, method="nearest"))
            for trial, expected in ((height, POSSIBLE), (values.min() - 0.01, IMPOSSIBLE)):
                limit = trial * stage.capacity + ROUNDING * (1 + abs(trial))
                answer, _, reached = packs(stage, limit, int(problem.budget), ALL)
                assert answer == expected, (seed, trial)
                assert answer == IMPOSSIBLE or reached <= trial + 2 * ROUNDING * (1 + trial)


def test_out_of_steps_it_does_not_know():
    problem = problem_of(asked(nodes=6, key_groups=60, stages=1, moves=20, seed=1))
    stage = stages_of(problem)[0]
    limit = 1.001 * makespan_floor(problem)[0] * stage.capacity
    assert packs(stage, limit, 20, 10)[:2] == (UNKNOWN, 10)


def test_with_few_steps_the_bound_is_lower_and_holds(monkeypatch):
    for seed in range(MANY // 5):
        problem = tiny_problem(seed, Goal.MAKESPAN)
        best = everything(problem).value.min()
        bounds = []
        for steps in (0, 5, 50, STEPS):
            monkeypatch.setattr("albic.optimize.makespan.STEPS", steps)
            bounds.append(makespan_shares(problem).bound)
        assert bounds[-1] <= best + 1e-9
        assert max(bounds) <= bounds[-1] + problem.goal_dims * LESS + 1e-9, seed


def test_shares_along_hulls_are_a_bound_below_that_of_the_program(monkeypatch):
    monkeypatch.setattr("albic.optimize.makespan.FULL_PROGRAM", -1)
    for seed in range(MANY):
        problem = tiny_problem(seed, Goal.MAKESPAN)
        shares = makespan_shares(problem)
        assert shares.bound <= everything(problem).value.min() + 1e-9, seed
        assert shares.bound >= makespan_floor(problem).sum() - 1e-9
        assert (shares.peaks >= makespan_floor(problem) - 1e-9).all()


@pytest.mark.parametrize("stages", [1, 2, 3, 4])
def test_on_small_clusters_a_plan_is_within_three_percent_of_its_bound(stages):
    for seed in range(4):
        request = asked(nodes=4, key_groups=32, stages=stages, moves=8, seed=seed)
        plan = SearchPlanner().plan(request)
        assert plan.bound is not None
        makespan = metrics.makespan(request.snapshot, plan.target)
        assert plan.bound <= makespan <= 1.03 * plan.bound, seed


def test_roughly_right_everywhere_is_nearer_than_exact_somewhere(monkeypatch):
    # With steps without end the bound is 57.448, so a plan of 57.449 is the best there is.
    problem = problem_of(asked(nodes=6, key_groups=48, stages=3, moves=10, seed=3))
    bound = makespan_shares(problem).bound
    monkeypatch.setattr("albic.optimize.makespan.PASSES", (0.0,))
    assert makespan_shares(problem).bound < bound
    assert 57.449 / 1.03 <= bound <= 57.449


def test_near_enough_is_within_that_part_of_the_least_height():
    for seed in range(MANY):
        problem = one_stage(seed)
        stage, moves = stages_of(problem)[0], int(problem.budget)
        best = everything(problem).value.min()
        height, taken = least_height(stage, 0.0, moves, ALL, within=0.1)
        assert height <= best + ROUNDING, seed
        assert height >= 0.89 * best - LESS, seed
        assert taken <= least_height(stage, 0.0, moves, ALL)[1], seed


def asked(nodes, key_groups, stages, moves, seed):
    """Return a request for a small makespan."""
    return PlanRequest(
        synthetic(nodes, key_groups, stages, 40.0, 0.0, seed),
        Budget(moves),
        time_limit_s=0.2,
        seed=seed,
        objective=Objective.MAKESPAN,
    )
