"""The paper's program as printed, with the examples on which it goes wrong."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest

from albic.model import Budget, Objective, Outcome, metrics, violations
from albic.optimize.solver import Limits
from albic.planners.milp import MilpPlanner
from albic.planners.printed_milp import Printed, formulate_as_printed, printed_mean
from albic.planners.problem import problem_of
from albic.planners.search import SearchPlanner
from tests.worlds import drawn, later, request, world

SIGNED, POSITIVE = Printed(), Printed(signed=False)
AMPLE = Limits(time_limit_s=30.0)


@pytest.fixture
def plan(highs):
    """Return a planner of the printed program, with a running solver and ample time."""

    def planned(asked, printed=POSITIVE, *, from_scratch=False):
        asked = replace(asked, time_limit_s=AMPLE.time_limit_s)
        return MilpPlanner("paper", printed, from_scratch, lambda: nullcontext(highs)).plan(asked)

    return planned


def deviations(highs, asked, printed):
    """Return d, d_u and d_l of the optimum."""
    exact = formulate_as_printed(problem_of(asked), printed)
    solution = highs.solve(exact.program, AMPLE)
    return solution.x[exact.places.item.size :]


def loads(answer, asked):
    return sorted(metrics.node_loads(asked.snapshot, answer.target).tolist())


def test_signed_deviations_make_it_minimise_the_range_of_loads(plan, highs):
    asked = request([3, 3, 1, 11], [1, 1, 2, 2], 3, budget=1)
    assert loads(plan(asked, SIGNED), asked) == [3, 3, 12]
    assert loads(plan(asked, POSITIVE), asked) == [1, 6, 11]
    assert deviations(highs, asked, SIGNED).tolist() == [0, -6, -3]


def test_equal_weights_call_a_balanced_cluster_unbalanced(highs):
    asked = request([4, 4, 2, 2], [0, 1, 0, 1], budget=0)
    assert deviations(highs, asked, replace(POSITIVE, distance_weight=1.0))[0] == 6
    assert deviations(highs, asked, POSITIVE)[0] == 0


def test_the_mean_is_rounded_up_and_moves_the_optimum(plan, highs):
    asked = request([3.5, 0.5, 1.5, 0.5, 1], [1, 2, 0, 1, 0], 3, budget=1)
    assert printed_mean(problem_of(asked)) == 3
    answer = plan(asked)
    assert metrics.load_distance(asked.snapshot, answer.target) == pytest.approx(5 / 3)
    fractions = request([0.3, 0.3], [0, 1])
    np.testing.assert_allclose(deviations(highs, fractions, POSITIVE), [0.7, 1.4, 0.0])


def test_the_mean_is_not_rounded_up_by_rounding_errors():
    assert printed_mean(problem_of(request([0.1] * 30, [0] * 30))) == 3


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(request([10, 1, 1], [0, 1, 2]), id="a group above twice the mean"),
        pytest.param(request([2] * 6, [0] * 6, 4, budget=1), id="too small a budget"),
        pytest.param(
            world("a: 1 | b: 1 | c: 1 | d: 1 | e(draining): 20", 3), id="a loaded draining node"
        ),
    ],
)
def test_where_it_has_no_solution_nothing_moves_and_the_reason_says_so(plan, asked):
    answer = plan(asked)
    assert answer.moves == ()
    assert answer.outcome is Outcome.UNCHANGED
    assert "has no solution" in answer.reason


def test_its_limit_on_draining_nodes_comes_before_the_distance(plan):
    staying = "a: 10 5 5 | b: 5 | c: 5 | d: 5 | e: 5 | f: 5 | g: 5 | h: 5"
    asked = world(f"{staying} | z(draining): 5 5 5 5 5", 1)
    answer = plan(asked)
    assert metrics.load_distance(asked.snapshot, answer.target) == 10
    assert metrics.draining_load(asked.snapshot, answer.target) == 20


@pytest.mark.parametrize("printed", [SIGNED, POSITIVE], ids=["signed", "positive"])
@pytest.mark.parametrize(
    ("before", "budget"),
    [("a: 12 8 | b: 12 | c: 12 | d(draining): 1", 1), ("a: 7 2 | b: 4 | c(draining): 3", 2)],
)
def test_lemma_1_is_false(plan, before, budget, printed):
    asked = world(before, budget)
    assert "onto-draining" in {finding.rule for finding in violations(plan(asked, printed), asked)}


@pytest.mark.parametrize("printed", [SIGNED, POSITIVE], ids=["signed", "positive"])
def test_lemma_2_is_false(plan, printed):
    asked = world("a: 3 | b: 3 | c(draining): 1")
    for _ in range(3):
        asked = later(plan(asked, printed), asked)
    assert metrics.draining_load(asked.snapshot, asked.snapshot.allocation) == 1


def test_moves_without_benefit_are_free():
    exact = formulate_as_printed(problem_of(world("a: 2 2 | b: 2 2 | c: 2 2", 6)), POSITIVE)
    home = exact.problem.home
    stays, rotates = exact.columns(home), exact.columns((home + 1) % 3)
    assert exact.program.allows(stays)
    assert exact.program.allows(rotates)
    assert exact.program.value(stays) == exact.program.value(rotates)


def test_a_flat_objective_leaves_a_hot_node_alone_unless_the_start_does_not(plan):
    asked = world("a: 40 | b: 10 10 10 | c: 5 | d: 5 | e: 5", 1)
    assert 30 in loads(plan(asked, SIGNED, from_scratch=True), asked)
    # By the printed objective both are the same, and the start is kept.
    assert 30 not in loads(plan(asked, SIGNED), asked)


def test_percentages_of_unequal_nodes_are_averaged(plan):
    asked = request([4, 7, 9, 8, 2], [2, 2, 1, 2, 1], 3, capacities=[4, 1, 2], budget=2)
    assert printed_mean(problem_of(asked)) == 7
    answer = plan(asked)
    assert metrics.load_distance(asked.snapshot, answer.target) == pytest.approx(47 / 7)


def test_it_moves_what_it_should(plan):
    asked = world("a: 4 4 | b:", 1)
    answer = plan(asked)
    assert loads(answer, asked) == [4, 4]
    assert answer.outcome is Outcome.HEURISTIC
    assert "optimum of the printed program" in answer.reason
    assert violations(answer, asked) == []


def test_bundles_and_limits_are_kept(plan):
    asked = world("a: 4 4 3 1 | b:", together=[[0, 1]], pinned=[(3, 1)])
    assert violations(plan(asked), asked) == []
    tight = world("a: 10 10 | b: 0", memory=[1.0, 1.0, 4.0], limits_pct=[100, 4.5, 100])
    tight = replace(tight, budget=Budget(1))
    answer = plan(tight)
    assert violations(answer, tight) == []
    assert drawn(answer, tight) == "a: 10 10 | b: 0"


def test_makespan_is_not_its_subject(plan):
    asked = request([6, 6], [0, 0], 2, objective=Objective.MAKESPAN)
    answer = plan(asked)
    assert answer.outcome is Outcome.UNCHANGED
    assert "knows no objective but the load distance" in answer.reason


def test_no_solution_in_time_keeps_the_present_allocation():
    asked = world("a: 4 4 | b:", time_limit_s=0.01)
    answer = MilpPlanner("paper", from_scratch=True).plan(asked)
    assert answer.outcome is Outcome.UNCHANGED
    assert "time limit" in answer.reason


def test_without_time_for_highs_the_start_is_the_plan():
    asked = world("a: 4 4 | b:", time_limit_s=0.01)
    answer = MilpPlanner("paper").plan(asked)
    assert loads(answer, asked) == [4, 4]
    assert answer.outcome is Outcome.HEURISTIC
    assert "start was not improved" in answer.reason


@pytest.mark.parametrize("printed", [SIGNED, POSITIVE], ids=["signed", "positive"])
def test_the_columns_of_an_assignment_are_what_highs_makes_of_it(highs, printed):
    asked = request([3, 3, 1, 11], [1, 1, 2, 2], 3, budget=1)
    exact = formulate_as_printed(problem_of(asked), printed)
    solution = highs.solve(exact.program, AMPLE)
    owner = exact.places.owner(solution.x)
    assert exact.program.allows(exact.columns(owner))
    assert exact.program.value(exact.columns(owner)) == pytest.approx(solution.objective)


def test_the_better_assignment_is_the_one_that_the_program_allows_and_prefers():
    exact = formulate_as_printed(problem_of(world("a: 4 4 4 | b:", 1)), POSITIVE)
    home = exact.problem.home
    moved, too_many = np.array([1, 0, 0]), np.array([1, 1, 0])
    assert exact.best([home, moved]) is moved
    assert exact.best([too_many, moved]) is moved
    assert exact.best([too_many]) is None


def test_a_start_that_the_program_forbids_is_left_out(plan):
    # The search would leave a at 8, which constraint (5) forbids, and so does staying.
    asked = request([2] * 6, [0] * 6, 4, budget=1)
    assert "has no solution" in plan(asked).reason


def test_highs_improves_on_a_start_that_is_not_the_best_of_the_printed_program(plan):
    # The search balances by the exact mean; the printed program has another optimum.
    asked = request([3.5, 0.5, 1.5, 0.5, 1], [1, 2, 0, 1, 0], 3, budget=1)
    searched = SearchPlanner().plan(asked)
    assert metrics.load_distance(asked.snapshot, searched.target) == pytest.approx(4 / 3)
    assert metrics.load_distance(asked.snapshot, plan(asked).target) == pytest.approx(5 / 3)
