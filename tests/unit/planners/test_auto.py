"""The product's default: the local search, and a proof where there is time for one."""

from contextlib import AbstractContextManager, nullcontext

import pytest

from albic.model import Budget, Objective, Outcome, PlanRequest, metrics, violations
from albic.optimize.solver import Solver
from albic.planners.auto import PROOF_S, SEARCH_S, AutoPlanner
from albic.planners.search import SearchPlanner
from albic.sim.workload import synthetic
from tests.worlds import drawn, request, world

AMPLE_S = 30.0


#: The count bound of this cluster is 0; only trying all shows what the best is.
GAP = "a: 5 | b: 10 5 7 3 | c: 10 10 4"


def no_solver() -> AbstractContextManager[Solver]:
    raise AssertionError("there is no time for a solver")


@pytest.fixture
def auto(highs):
    """Return the planner with a solver that is running."""
    return AutoPlanner(solver=lambda: nullcontext(highs))


def test_without_time_for_a_proof_it_is_the_search_and_starts_no_process():
    asked = PlanRequest(synthetic(10, 200, 5, 40, 0.5, 1), Budget(10), time_limit_s=0.1)
    plan, searched = AutoPlanner(solver=no_solver).plan(asked), SearchPlanner().plan(asked)
    assert violations(plan, asked) == []
    assert plan.planner == "auto"
    assert plan.bound == searched.bound
    assert Outcome.TIME_LIMIT in (plan.outcome, searched.outcome) or (
        plan.target.owner.tolist() == searched.target.owner.tolist()
    )


def test_where_the_bound_leaves_a_gap_it_proves_the_plan(auto):
    asked = world(GAP, budget=4, time_limit_s=AMPLE_S)
    searched = SearchPlanner().plan(world(GAP, budget=4))
    assert searched.bound == pytest.approx(0)
    assert searched.outcome is not Outcome.OPTIMAL
    plan = auto.plan(asked)
    assert plan.outcome is Outcome.OPTIMAL
    assert "proven best within the budget" in plan.reason
    assert metrics.load_distance(asked.snapshot, plan.target) == pytest.approx(1)
    assert plan.bound == pytest.approx(1, abs=1e-3)


def test_what_the_search_proves_needs_no_program(auto):
    asked = world("a: 20 20 | b:", time_limit_s=SEARCH_S + PROOF_S)
    plan = auto.plan(asked)
    assert drawn(plan, asked) == "a: 20 | b: 20"
    assert plan.outcome is Outcome.OPTIMAL


def test_a_solver_that_fails_leaves_the_plan_of_the_search():
    dead = Solver(("false",))
    asked = world(GAP, budget=4, time_limit_s=AMPLE_S)
    plan = AutoPlanner(solver=lambda: dead).plan(asked)
    assert violations(plan, asked) == []
    assert plan.outcome in (Outcome.HEURISTIC, Outcome.TIME_LIMIT)
    assert len(plan.moves) > 0


def test_the_makespan_is_proven_too(auto):
    asked = request(
        [9, 7, 5, 8, 3, 4],
        [0, 0, 0, 1, 1, 1],
        3,
        operators=[3, 3],
        objective=Objective.MAKESPAN,
        budget=3,
        time_limit_s=AMPLE_S,
    )
    plan = auto.plan(asked)
    assert violations(plan, asked) == []
    assert plan.outcome is Outcome.OPTIMAL
    assert metrics.makespan(asked.snapshot, plan.target) == pytest.approx(plan.bound, abs=1e-3)


def test_a_target_distance_gets_the_fewest_moves(auto):
    asked = world("a: 5 5 5 5 | b: | c: | d:", target_distance_pct=5.0, time_limit_s=AMPLE_S)
    plan = auto.plan(asked)
    assert metrics.load_distance(asked.snapshot, plan.target) <= 5
    assert len(plan.moves) == 2
