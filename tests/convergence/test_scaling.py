"""The load doubles and halves: nodes follow, in few decisions, within the budget."""

from dataclasses import replace

import numpy as np
import pytest

from albic.model import Objective
from albic.planners.search import SearchPlanner
from albic.scaling import POLICIES, IntegratedScaling, Limits
from albic.scaling.latency import Latency
from albic.sim import (
    COMPUTE_ONLY,
    EVERY_STEP,
    Run,
    Steering,
    World,
    simulate,
    steady_scene,
    synthetic,
)
from albic.sim.patterns import FlashCrowd, patterned

STEP_S = 30.0
BUDGET = 12
SURGE = FlashCrowd(begins=10, lasts=20, times=2.0, share=1.0)
PERIODS = 50


def scaled(policy, objective=Objective.DISTANCE, **limits) -> Run:
    """Run four nodes at 50 % through a time in which everything doubles."""
    scene = patterned(
        steady_scene(synthetic(4, 80, 2, varies_pct=10, one_to_one=0.0, seed=1)), SURGE
    )
    planner = SearchPlanner()
    bounds = {"min_nodes": 2, "max_nodes": 10, "stabilise_s": 0.0, "drain_after_s": 90.0, **limits}
    steering = Steering(
        planner,
        replace(EVERY_STEP, max_migrations=BUDGET, objective=objective, time_limit_s=0.05),
        IntegratedScaling(policy, Limits(**bounds), planner),
    )
    costs = replace(COMPUTE_ONLY, start_up_s=STEP_S)
    return simulate(scene, steering, PERIODS, World(costs=costs, step_s=STEP_S))


def nodes(run: Run) -> np.ndarray:
    return np.array([len(period.nodes) for period in run.periods])


@pytest.mark.parametrize("name", ["utilisation", "ds2"])
def test_nodes_follow_the_load_and_come_to_rest(name: str) -> None:
    run = scaled(POLICIES[name]())
    count = nodes(run)
    before, during, after = count[9], count[28], count[-1]
    assert during > before
    assert after <= before
    grown = np.flatnonzero(np.diff(count[:29]))
    assert len(grown) <= 3, f"it took {len(grown)} decisions to grow: {count}"
    assert len(set(count[-8:])) == 1, f"it does not come to rest: {count}"
    assert max(period.mean_load_pct for period in run.periods[20:29]) < 95


def test_moves_keep_to_the_budget_in_every_period() -> None:
    run = scaled(POLICIES["utilisation"]())
    assert max(period.moves for period in run.periods) <= BUDGET
    assert not [record.error for record in run.records if record.error]


def test_latency_keeps_batches_within_their_bound() -> None:
    first = scaled(POLICIES["utilisation"]()).periods[5].makespan_s
    run = scaled(Latency(bound_s=1.2 * first), Objective.MAKESPAN)
    during = [period.makespan_s for period in run.periods[20:29]]
    assert nodes(run)[28] > nodes(run)[9]
    assert max(during) <= 1.2 * first * 1.05


def test_a_node_leaves_only_when_it_owns_nothing() -> None:
    run = scaled(POLICIES["utilisation"]())
    for before, after in zip(run.periods, run.periods[1:], strict=False):
        gone = set(before.nodes) - set(after.nodes)
        assert all(before.node_load_pct[before.nodes.index(node)] == 0 for node in gone)


def test_without_patience_and_with_it_the_last_word_is_the_same() -> None:
    hasty = nodes(scaled(POLICIES["utilisation"](), drain_after_s=0.0))
    patient = nodes(scaled(POLICIES["utilisation"](), drain_after_s=300.0))
    assert hasty[-1] == patient[-1]
    assert hasty.sum() <= patient.sum()
