"""Proofs against brute force."""

import itertools

import numpy as np
import pytest

from albic.model import Objective, PlanRequest
from albic.optimize.aim import LEFT_PRICE_PCT, MOVE_PRICE_PCT, NO_BENEFIT_PCT, Aim
from albic.optimize.solver import Solver
from albic.planners.problem import problem_of
from albic.planners.proof import GAP_PCT, prove
from tests.worlds import request, world

AMPLE_S = 30.0


def random_request(seed: int) -> PlanRequest:
    """Return a request of up to 7 key groups on 3 nodes, of all kinds."""
    rng = np.random.default_rng(seed)
    groups = int(rng.integers(3, 8))
    makespan = seed % 3 == 0
    first = int(rng.integers(1, groups))
    return request(
        (rng.uniform(0, 20, groups) if seed % 2 else rng.integers(0, 9, groups)).tolist(),
        rng.integers(0, 3, groups).tolist(),
        3,
        budget=int(rng.integers(0, 5)) if seed % 4 else float(rng.integers(0, 400)),
        unit="moves" if seed % 4 else "cost",
        state_bytes=rng.integers(0, 200, groups).tolist(),
        capacities=[1, 1, 1] if seed % 5 else rng.uniform(0.5, 3, 3).tolist(),
        draining=[] if seed % 3 == 1 else [int(rng.integers(0, 3))],
        background=rng.uniform(0, 10, 3).tolist() if seed % 2 else None,
        operators=[first, groups - first] if makespan else None,
        memory=rng.uniform(0, 50, groups).tolist() if seed % 7 == 0 else None,
        limits_pct=[100, 80, 100],
        objective=Objective.MAKESPAN if makespan else Objective.DISTANCE,
        drain_weight=0.5 if seed % 6 == 5 else 1.5,
    )


def every_assignment(problem):
    """Return value, what is left, spread with moves, and charge of every allowed assignment."""
    weights = problem.weights.toarray()
    roomiest = problem.capacity[~problem.closed].max()
    for owners in itertools.product(range(problem.bins), repeat=problem.items):
        owner = np.array(owners)
        away = owner != problem.home
        if (away & (~problem.enterable[owner] | ~problem.movable)).any():
            continue
        if problem.charge[away].sum() > problem.budget:
            continue
        placed = np.eye(problem.bins)[owner]
        loads = problem.base + weights.T @ placed / problem.capacity
        if (loads > problem.limit).any():
            continue
        goals, open_ = slice(problem.goal_dims), ~problem.closed
        spread = np.abs(loads[goals, open_] - problem.means()[goals, None])
        value = loads[goals].max(axis=1).sum() if problem.goal_dims > 1 else spread.max()
        stuck = problem.closed[owner]
        heavy = weights[:, goals].sum(axis=1)[stuck] / roomiest
        left = (problem.drain_weight * heavy + LEFT_PRICE_PCT).sum()
        yield value, left, spread.sum() + MOVE_PRICE_PCT * away.sum(), problem.charge[away].sum()


@pytest.mark.parametrize("seed", range(40))
def test_no_assignment_is_better_than_a_proven_one(highs, seed):
    problem = problem_of(random_request(seed))
    proof = prove(Aim(problem), problem.home, highs, AMPLE_S)
    assert proof.proven
    assert proof.note == ""
    value, left, second, _ = np.array(list(every_assignment(problem))).T
    first, aim = value + left, Aim(problem)
    assert aim.first(proof.owner) <= first.min() + NO_BENEFIT_PCT + 2 * GAP_PCT
    equals = first <= min(first.min() + NO_BENEFIT_PCT, aim.first(problem.home))
    assert aim.second(proof.owner) <= second[equals].min() + 2 * GAP_PCT
    left_by_it = aim.first(proof.owner) - problem.value(proof.owner)
    assert proof.bound <= value[left <= left_by_it + 1e-9].min() + 1e-6
    assert proof.bound >= problem.value(proof.owner) - NO_BENEFIT_PCT - 2 * GAP_PCT


@pytest.mark.parametrize("seed", range(8))
def test_fewest_moves_are_fewest(highs, seed):
    problem = problem_of(random_request(6 * seed + 1))
    enough = 0.5 * problem.value(problem.home)
    aim = Aim(problem, enough_pct=enough, fewest_moves=True)
    proof = prove(aim, problem.home, highs, AMPLE_S)
    assert proof.proven
    value, _, _, charge = np.array(list(every_assignment(problem))).T
    target = max(enough, value.min()) + NO_BENEFIT_PCT
    assert problem.value(proof.owner) <= target + 2 * GAP_PCT
    assert problem.spent(proof.owner) == charge[value <= target].min()
    assert proof.bound <= value.min() + 1e-6


def test_a_start_that_cannot_be_beaten_is_kept(highs):
    problem = problem_of(world("a: 6 6 6 6 | b: | c: | d:"))
    start = np.array([3, 1, 0, 2])
    proof = prove(Aim(problem), start, highs, AMPLE_S)
    assert proof.proven
    assert proof.owner.tolist() == start.tolist()


def test_a_start_at_its_bound_needs_no_proof_of_its_value(highs):
    problem = problem_of(world("a: 6 6 6 | b: | c:", 1))
    start = np.array([0, 0, 2])
    proof = prove(Aim(problem), start, highs, AMPLE_S, lower_bound=6.0)
    assert proof.proven
    assert proof.bound == 6
    assert proof.owner.tolist() == start.tolist()


def test_a_start_beyond_the_budget_is_not_believed(highs):
    problem = problem_of(world("a: 6 6 6 | b: | c:", 1))
    proof = prove(Aim(problem), np.array([0, 1, 2]), highs, AMPLE_S)
    assert proof.proven
    assert (proof.owner != problem.home).sum() == 1


def test_a_bound_that_is_known_already_is_never_lost():
    problem = problem_of(world("a: 6 6 6 | b: | c:", 1))
    with Solver() as solver:
        proof = prove(Aim(problem), problem.home, solver, time_limit_s=0.01, lower_bound=2.0)
    assert proof.owner.tolist() == problem.home.tolist()
    assert proof.bound == 2
    assert not proof.value_proven
