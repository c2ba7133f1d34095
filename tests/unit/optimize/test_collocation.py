"""The search for collocation against every assignment there is."""

from functools import cache

import numpy as np
import pytest
import scipy.sparse as sp

from albic.arrays import Floats
from albic.optimize.assignment import AssignmentProblem, Goal
from albic.optimize.collocation import Collocated, collocate
from albic.optimize.descent import Effort
from albic.planners.problem import problem_of
from tests.tiny_problems import MANY, Everything, everything, tiny_problem
from tests.worlds import world

ROUNDING = 1e-6
Case = tuple[AssignmentProblem, Everything, Floats, float, Collocated]


def wishes(seed: int, items: int) -> sp.csr_array:
    """Return what a third of all pairs gain by sharing a bin, up to whole numbers of 9."""
    rng = np.random.default_rng(seed)
    rates = rng.integers(1, 10, (items, items)) * (rng.random((items, items)) < 0.33)
    return sp.csr_array(np.triu(rates, 1).astype(float))


def local(affinity: sp.csr_array, owner: Floats) -> Floats:
    """Return the affinity inside bins of each assignment, a row each."""
    pairs = affinity.tocoo()
    together = owner[:, pairs.row] == owner[:, pairs.col]
    return together @ pairs.data


@cache
def collocated(goal: Goal) -> list[Case]:
    """Return many tiny problems, a value that is allowed, and what became of them."""
    cases = []
    for seed in range(MANY // 4):
        problem = tiny_problem(seed, goal)
        if problem.closed[problem.home].any():
            continue  # draining comes first and is another matter
        table, affinity = everything(problem), wishes(seed, problem.items)
        allowed = float(np.quantile(table.value, 0.6, method="nearest")) + ROUNDING
        found = collocate(problem, affinity, allowed, Effort(30_000), seed=1)
        cases.append((problem, table, local(affinity, table.owner), allowed, found))
    return cases


@pytest.mark.parametrize("goal", Goal)
def test_what_it_finds_is_allowed(goal):
    for problem, table, _, allowed, found in collocated(goal):
        assert (table.owner == found.owner).all(axis=1).sum() == 1
        assert found.within
        assert found.finished
        assert problem.value(found.owner) <= allowed + ROUNDING


@pytest.mark.parametrize("goal", Goal)
def test_it_mostly_finds_all_that_can_be_local(goal):
    shares = []
    for _, table, rates, allowed, found in collocated(goal):
        most = rates[table.value <= allowed].max()
        got = rates[(table.owner == found.owner).all(axis=1)][0]
        shares.append(got / most if most > 0 else 1.0)
    # Where several dimensions share what is allowed, each gets a window of its own: some is lost.
    exact, average = (0.95, 0.95) if goal is Goal.DISTANCE else (0.75, 0.9)
    assert np.mean(np.array(shares) >= 1 - ROUNDING) >= exact
    assert np.mean(shares) >= average


def test_without_an_allowed_assignment_it_returns_the_most_even_one():
    problem = problem_of(world("a: 30 10 | b: | c:", budget=1))
    affinity = sp.csr_array(([1.0], ([0], [1])), shape=(2, 2))
    found = collocate(problem, affinity, 1.0, Effort(10_000), seed=0)
    assert not found.within
    assert problem.value(found.owner) == pytest.approx(30 - 40 / 3)


def test_without_affinity_it_is_content_with_what_is_allowed():
    problem = problem_of(world("a: 10 10 | b: 10"))
    found = collocate(problem, sp.csr_array((3, 3)), 6.0, Effort(10_000), seed=0)
    assert found.within
    assert found.owner.tolist() == [0, 0, 1]


def test_pairs_that_are_together_already_stay():
    problem = problem_of(world("a: 10 10 | b: 10 10"))
    affinity = sp.csr_array(([1.0, 1.0], ([0, 2], [1, 3])), shape=(4, 4))
    found = collocate(problem, affinity, 0.0, Effort(10_000), seed=0)
    assert found.owner.tolist() == [0, 0, 1, 1]


def test_a_swap_brings_two_pairs_together_without_a_change_of_load():
    problem = problem_of(world("a: 10 20 | b: 10 20", budget=2))
    affinity = sp.csr_array(([1.0, 1.0], ([0, 2], [3, 1])), shape=(4, 4))
    found = collocate(problem, affinity, 0.0, Effort(10_000), seed=0)
    assert problem.value(found.owner) == 0
    assert local(affinity, found.owner[None, :]).tolist() == [2.0]


def test_out_of_time_it_returns_an_allowed_start():
    problem = problem_of(world("a: 10 20 | b: 10 20", budget=2))
    affinity = sp.csr_array(([1.0], ([0], [3])), shape=(4, 4))
    found = collocate(problem, affinity, 0.0, Effort(10**9, expired=lambda: True), seed=0)
    assert not found.finished
    assert problem.value(found.owner) == 0
