"""The local search against every assignment there is, and what it promises beside."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pytest

from albic.arrays import Bools
from albic.optimize.assignment import AssignmentProblem, Goal
from albic.optimize.descent import Effort
from albic.optimize.search import SearchResult, fewest, search
from albic.planners.problem import problem_of
from tests.tiny_problems import MANY, Everything, everything, tiny_problem
from tests.worlds import request, world

ENOUGH = Effort(proposals=60_000)
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """A tiny problem, all its assignments, and what the search made of it."""

    problem: AssignmentProblem
    everything: Everything
    result: SearchResult

    def found(self) -> Bools:
        """Return which of all assignments the search found: just one, or it is not allowed."""
        return (self.everything.owner == self.result.owner).all(axis=1)

    def behind(self) -> float:
        """Return the weight that the search leaves in closed bins."""
        return float(self.everything.behind[self.found()][0])

    def gap(self) -> float:
        """Return how far the search is above the best value that leaves just as much behind."""
        as_much = np.abs(self.everything.behind - self.behind()) <= ROUNDING
        return float(self.result.value - self.everything.value[as_much].min())


@cache
def solved(goal: Goal) -> list[Solved]:
    """Return many tiny problems and what the search made of them, in which draining is first."""
    problems = [tiny_problem(seed, goal) for seed in range(MANY // 3)]
    return [
        Solved(problem, everything(problem), search(problem, ENOUGH, seed=1))
        for problem in problems
        if problem.drain_weight >= 1
    ]


@pytest.mark.parametrize("goal", Goal)
def test_every_assignment_it_finds_is_allowed_and_has_the_value_it_says(goal):
    for case in solved(goal):
        assert case.found().sum() == 1
        assert case.everything.value[case.found()] == pytest.approx(case.result.value)


@pytest.mark.parametrize("goal", Goal)
def test_it_nearly_always_finds_the_best_value(goal):
    gaps = np.array([case.gap() for case in solved(goal)])
    assert np.mean(gaps <= ROUNDING) >= 0.95
    assert gaps.mean() <= 0.1


@pytest.mark.parametrize("goal", Goal)
def test_it_nearly_always_drains_as_much_as_the_budget_allows(goal):
    extra = np.array([case.behind() - case.everything.behind.min() for case in solved(goal)])
    assert np.mean(extra <= ROUNDING) >= 0.95


@pytest.mark.parametrize("goal", Goal)
def test_what_it_calls_proven_is_the_best(goal):
    proven = [case for case in solved(goal) if case.result.proven]
    assert proven
    assert all(
        case.result.value <= case.everything.value.min() + 1e-3 + ROUNDING for case in proven
    )


@pytest.mark.parametrize("goal", Goal)
def test_it_never_makes_a_cluster_worse_that_has_nothing_to_drain(goal):
    for case in solved(goal):
        problem = case.problem
        if not problem.closed[problem.home].any():
            assert case.result.value <= problem.value(problem.home) + ROUNDING


def test_the_fewest_moves_reach_the_target_and_are_not_fewer_than_proven():
    dearer = []
    for case in solved(Goal.DISTANCE):
        problem, table = case.problem, case.everything
        drained = table.behind <= table.behind.min() + ROUNDING
        if case.behind() > table.behind.min() + ROUNDING:
            continue
        target = float(np.quantile(table.value[drained], 0.2, method="nearest"))
        found = fewest(problem, target, ENOUGH, seed=1)
        reaches = drained & (table.value <= target + ROUNDING)
        moves = int((found.owner != problem.home).sum())
        assert found.value <= target + ROUNDING
        assert problem.spent(found.owner) <= problem.budget
        assert found.fewest_moves is not None
        assert found.fewest_moves <= moves
        dearer.append(problem.spent(found.owner) > table.spent[reaches].min() + ROUNDING)
    assert len(dearer) > 50
    assert np.mean(dearer) <= 0.05


def test_a_target_out_of_reach_gets_the_best_there_is():
    problem = problem_of(world("a: 10 10 | b: | c:", budget=1))
    found = fewest(problem, 1.0, ENOUGH, seed=0)
    assert found.value == pytest.approx(10 - 20 / 3 + 10 / 3)
    assert found.fewest_moves is None or found.fewest_moves > 1


def test_a_target_that_is_met_already_takes_no_move():
    problem = problem_of(world("a: 12 10 | b: 20"))
    assert fewest(problem, 1.0, ENOUGH, seed=0).owner.tolist() == [0, 0, 1]


def test_it_stops_where_it_is_told_that_this_is_enough():
    problem = problem_of(world("a: 5 5 5 5 1 | b: 1 | c: 1"))
    found = search(problem, ENOUGH, seed=0, enough=4.0)
    assert found.value <= 4.0
    assert problem.spent(found.owner) < problem.spent(search(problem, ENOUGH, seed=0).owner)


def test_the_same_seed_finds_the_same_assignment():
    rng = np.random.default_rng(4)
    asked = request(rng.uniform(0, 9, 120).tolist(), rng.integers(0, 9, 120).tolist(), budget=12)
    problem = problem_of(asked)
    first, second = (search(problem, ENOUGH, seed=7) for _ in range(2))
    assert first.owner.tolist() == second.owner.tolist()


def test_more_effort_is_not_worse():
    rng = np.random.default_rng(5)
    asked = request(rng.uniform(0, 9, 120).tolist(), rng.integers(0, 9, 120).tolist(), budget=12)
    values = [search(problem_of(asked), Effort(n), seed=3).value for n in (1, 20_000, 200_000)]
    assert values == sorted(values, reverse=True)


def test_out_of_time_it_still_returns_the_greedy_start():
    problem = problem_of(world("a: 9 7 5 3 2 | b: 4 | c: 1", budget=3))
    found = search(problem, Effort(10**9, expired=lambda: True), seed=0)
    assert not found.finished
    assert problem.spent(found.owner) <= 3
    assert found.value < problem.value(problem.home)


@pytest.mark.parametrize(("drain_weight", "left", "gap"), [(1.5, 20, 10), (0.5, 25, 5)])
def test_the_drain_weight_chooses_between_draining_and_an_overload(drain_weight, left, gap):
    staying = "a: 10 5 5 | b: 5 | c: 5 | d: 5 | e: 5 | f: 5 | g: 5 | h: 5"
    asked = world(f"{staying} | z(draining): 5 5 5 5 5", 1, drain_weight=drain_weight)
    problem = problem_of(asked)
    found = search(problem, ENOUGH, seed=0)
    assert problem.item_weight()[problem.left_behind(found.owner)].sum() == left
    assert found.value == pytest.approx(gap)


def test_a_free_move_is_made_even_without_a_budget():
    asked = world("a: 10 10 | b:", budget=0, unit="cost", state_bytes=[0, 4])
    found = search(problem_of(asked), ENOUGH, seed=0)
    assert found.owner.tolist() == [1, 0]


def test_a_limit_on_another_resource_is_never_passed_on_the_way_to_balance():
    rng = np.random.default_rng(6)
    memory = rng.uniform(5, 40, 40)
    asked = request(
        rng.uniform(0, 9, 40).tolist(),
        np.repeat(np.arange(4), 10).tolist(),
        memory=memory.tolist(),
        limits_pct=[100, 1.05 * memory.sum() / 4, 100],
    )
    problem = replace(problem_of(asked), budget=20.0)
    found = search(problem, ENOUGH, seed=0)
    assert (problem.loads(found.owner) <= problem.limit + ROUNDING).all()
    assert found.value < 0.5 * problem.value(problem.home)
