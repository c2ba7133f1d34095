"""The compiled state keeps count without counting again; here everything is counted again."""

import numpy as np
import pytest

from albic.optimize import kernel, proposals
from albic.optimize.assignment import Goal
from albic.optimize.tables import Board
from tests.tiny_problems import tiny_problem


def searching(seed: int, goal: Goal, proposals_made: int = 300) -> Board:
    """Return a board in the middle of a search that cannot reach its aim."""
    problem = tiny_problem(seed, goal)
    board = Board.of(problem, seed)
    shape = (problem.goal_dims, problem.bins)
    board.aim(np.full(shape, -np.inf), np.full(shape, 1.0))
    schedule = (proposals_made, 100.0, 1.0)
    proposals.anneal(board.table, board.state, problem.goal_dims, problem.budget, schedule)
    return board


def energy(board: Board) -> float:
    load, low, high = board.state.load, board.state.low, board.state.high
    gap = np.maximum(load - high, 0) + np.maximum(low - load, 0)
    return float((gap**2).sum())


@pytest.mark.parametrize("goal", Goal)
def test_loads_energy_and_lists_agree_with_the_owners(goal):
    for seed in range(150):
        board = searching(seed, goal)
        problem, state = board.problem, board.state
        np.testing.assert_allclose(board.loads(), problem.loads(state.owner), atol=1e-9)
        assert state.sums[kernel.ENERGY] == pytest.approx(energy(board), abs=1e-6)
        away = np.flatnonzero(state.owner != problem.home)
        assert sorted(state.moved[: state.counts[kernel.MOVED]]) == away.tolist()
        assert state.sums[kernel.SPENT] == pytest.approx(problem.spent(state.owner))
        outside = (state.load > state.high) | (state.load < state.low)
        unhappy = state.unhappy[: state.counts[kernel.UNHAPPY]]
        assert sorted(unhappy) == np.flatnonzero(outside).tolist()


@pytest.mark.parametrize("goal", Goal)
def test_proposals_keep_to_the_budget_and_leave_fixed_items_and_bins_that_nothing_may_enter_alone(
    goal,
):
    for seed in range(150):
        board = searching(seed, goal)
        problem, owner = board.problem, board.state.owner
        away = owner != problem.home
        assert problem.spent(owner) <= problem.budget + 1e-9
        assert not (away & ~problem.movable).any()
        assert problem.enterable[owner[away]].all()


@pytest.mark.parametrize("goal", Goal)
def test_a_solution_can_be_restored(goal):
    for seed in range(50):
        board = searching(seed, goal)
        kept, owner = board.solution(), board.state.owner.copy()
        schedule = (300, 100.0, 1.0)
        problem = board.problem
        proposals.anneal(board.table, board.state, problem.goal_dims, problem.budget, schedule)
        board.restore(kept)
        assert board.state.owner.tolist() == owner.tolist()
        assert board.value() == pytest.approx(kept.value)


@pytest.mark.parametrize("goal", Goal)
def test_value_and_spread_are_those_of_the_problem(goal):
    for seed in range(100):
        board = searching(seed, goal)
        problem, owner = board.problem, board.state.owner
        kept = (problem.loads(owner) <= problem.limit + 1e-9).all()
        assert board.value() == pytest.approx(problem.value(owner) if kept else np.inf)
        assert board.spread() == pytest.approx(problem.spread(owner))


def test_random_numbers_are_below_their_limit_and_all_occur():
    state = Board.of(tiny_problem(0, Goal.DISTANCE), seed=0).state
    drawn = {int(kernel.draw(state, 7)) for _ in range(300)}
    assert drawn == set(range(7))


@pytest.mark.parametrize("seed", [0, 1, 2**63 - 1])
def test_no_seed_silences_the_random_numbers(seed):
    state = Board.of(tiny_problem(0, Goal.DISTANCE), seed=seed).state
    assert len({int(kernel.draw(state, 1000)) for _ in range(50)}) > 40
