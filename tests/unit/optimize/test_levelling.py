"""Tournaments against sorting, and that large clusters are levelled at all."""

import numpy as np

from albic.optimize.assignment import Goal
from albic.optimize.compiled import compiled
from albic.optimize.descent import limits_of
from albic.optimize.levelling import level
from albic.optimize.needless_moves import send_home
from albic.optimize.tables import Board
from albic.optimize.tournament import play, tournament
from tests.tiny_problems import MANY, tiny_problem


@compiled
def played(key, changes, values):
    """Return the winners after each of some changes."""
    tree = tournament(key)
    winners = np.empty(changes.size + 1, np.int64)
    winners[0] = tree[1]
    for step in range(changes.size):
        key[changes[step]] = values[step]
        play(tree, key, changes[step])
        winners[step + 1] = tree[1]
    return winners


def test_the_winner_is_the_first_of_the_largest_after_every_change():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        size = int(rng.integers(1, 20))
        key = rng.integers(0, 5, size).astype(float)
        changes, values = rng.integers(0, size, 30), rng.integers(-1, 6, 30).astype(float)
        expected, now = [int(key.argmax())], key.copy()
        for at, value in zip(changes, values, strict=True):
            now[at] = value
            expected.append(int(now.argmax()))
        assert played(key, changes, values).tolist() == expected


def test_levelling_and_sending_home_keep_budget_limits_and_loads():
    for seed in range(MANY // 2):
        for goal in Goal:
            problem = tiny_problem(seed, goal)
            board, two_sided = Board.of(problem, seed=0), goal is Goal.DISTANCE
            dims, levels = problem.goal_dims, limits_of(problem).levels
            level(board.table, board.state, dims, levels, problem.budget, two_sided)
            before = board.value()
            send_home(board.table, board.state, board.means[:dims], two_sided, (before, 0.005))
            owner = board.state.owner
            away = owner != problem.home
            assert problem.spent(owner) <= problem.budget
            assert problem.enterable[owner[away]].all()
            assert problem.movable[away].all()
            assert np.allclose(board.loads(), problem.loads(owner))
            assert (problem.loads(owner) <= problem.limit + 1e-6).all()
            assert board.value() <= before + 1e-6
