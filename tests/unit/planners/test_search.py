"""The local search as a planner."""

import time
from dataclasses import replace

import numpy as np
import pytest

from albic.model import Budget, Objective, Outcome, Plan, PlanRequest, metrics, violations
from albic.planners.flux import FluxPlanner
from albic.planners.search import SearchPlanner
from albic.sim.workload import synthetic
from tests.worlds import drawn, request, world


def search(asked: PlanRequest) -> Plan:
    plan = SearchPlanner().plan(asked)
    assert violations(plan, asked) == []
    assert plan.planner == "search"
    return plan


def distance(plan: Plan, asked: PlanRequest) -> float:
    return metrics.load_distance(asked.snapshot, plan.target)


@pytest.mark.parametrize(
    ("before", "budget", "after"),
    [
        pytest.param("a: 20 20 | b:", 1, "a: 20 | b: 20", id="half moves over"),
        pytest.param("a: 30 | b:", 9, "a: 30 | b:", id="one heavy group stays"),
        pytest.param("a: 7 3 | b: 2", 1, "a: 7 | b: 3 2", id="the smaller one fits better"),
        pytest.param(
            "a: 10 2 | b: 9 3 | c: 5", 2, "a: 10 | b: 9 | c: 2 3 5", id="two nodes fill a third"
        ),
        pytest.param("a(x3): | b: 8 8 8 8", 3, "a(x3): 8 8 8 | b: 8", id="a large node takes more"),
        pytest.param("a(+20): 10 10 | b:", 9, "a(+20): | b: 10 10", id="background counts"),
        pytest.param("a: 3 | z(draining): 0", 1, "a: 3 0 | z(draining):", id="idle ones leave too"),
    ],
)
def test_small_clusters(before, budget, after):
    asked = world(before, budget)
    plan = search(asked)
    assert drawn(plan, asked) == after
    assert plan.reason


def test_a_swap_is_found_where_no_single_move_helps():
    asked = world("a: 9 6 | b: 7 4", budget=2)
    plan = search(asked)
    assert distance(plan, asked) == pytest.approx(0)
    assert plan.outcome is Outcome.OPTIMAL


def test_a_result_at_the_floor_says_that_the_largest_key_group_sets_it():
    asked = world("a: 40 5 | b: 5 | c: 5")
    plan = search(asked)
    assert plan.floor == pytest.approx(distance(plan, asked))
    assert plan.outcome is Outcome.OPTIMAL
    assert "only finer key groups help" in plan.reason


def test_a_target_distance_gets_the_fewest_moves():
    asked = world("a: 5 5 5 5 | b: | c: | d:", target_distance_pct=5.0)
    plan = search(asked)
    assert distance(plan, asked) <= 5
    assert len(plan.moves) == 2
    assert "no plan reaches 5 points with fewer than 2 moves" in plan.reason


def test_a_target_exactly_at_the_floor_is_not_called_out_of_reach():
    asked = world("a: 0.1 0.1 0.1 0.2 | b: 0.1 | c: 0.1", target_distance_pct=0.3 - 0.7 / 3)
    plan = search(asked)
    assert distance(plan, asked) <= asked.target_distance_pct + 1e-6
    assert "out of reach" not in plan.reason
    assert "1099511627776" not in plan.reason


def test_a_target_out_of_reach_is_said_to_be():
    plan = search(world("a: 5 5 5 5 | b: | c: | d:", 1, target_distance_pct=1.0))
    assert len(plan.moves) == 1
    assert "a load distance of 1 is out of reach within the budget" in plan.reason


def test_a_key_group_too_dear_to_drain_is_reported():
    asked = world("a: 3 | b: 3 | z(draining): 3", 4, unit="cost", state_bytes=[1, 1, 5])
    assert "cost more than the whole budget of 4 cost" in search(asked).reason


def test_nothing_is_moved_for_a_stage_that_waits_for_its_largest_key_group():
    uneven = "a(2 slots): 30 10 | b(2 slots): 6"
    asked = world(uneven, objective=Objective.MAKESPAN)
    plan = search(asked)
    assert metrics.makespan(asked.snapshot, plan.target) == 60
    assert plan.bound == plan.floor == pytest.approx(60)
    assert plan.outcome is Outcome.OPTIMAL
    assert "the largest key group sets it" in plan.reason
    assert search(world(uneven.replace("(2 slots)", ""), objective=Objective.MAKESPAN)).moves


def test_the_makespan_is_evened_out_stage_by_stage():
    asked = request(
        [10, 10, 4, 4], [0, 0, 1, 1], operators=[2, 2], objective=Objective.MAKESPAN, budget=2
    )
    plan = search(asked)
    assert metrics.makespan(asked.snapshot, asked.snapshot.allocation) == 28
    assert metrics.makespan(asked.snapshot, plan.target) == 14
    assert plan.bound == pytest.approx(14)
    assert plan.outcome is Outcome.OPTIMAL


def test_it_is_deterministic_and_the_seed_matters_only_to_how():
    asked = PlanRequest(synthetic(10, 200, 5, 40, 0.5, 1), Budget(10), time_limit_s=0.5, seed=3)
    first, second = search(asked), search(asked)
    assert Outcome.TIME_LIMIT in (first.outcome, second.outcome) or (
        first.target.owner.tolist() == second.target.owner.tolist()
    )


@pytest.mark.parametrize(("nodes", "groups", "budget"), [(20, 400, 10), (40, 800, 20)])
def test_the_papers_clusters_come_close_to_the_bound_and_are_never_worse_than_flux(
    nodes, groups, budget
):
    for seed in range(3):
        snapshot = synthetic(nodes, groups, nodes // 2, 40, 0.5, seed)
        asked = PlanRequest(snapshot, Budget(budget), time_limit_s=0.2)
        plan = search(asked)
        assert distance(plan, asked) - plan.bound <= 0.35
        assert distance(plan, asked) <= distance(FluxPlanner().plan(asked), asked) + 1e-6


@pytest.mark.slow
def test_ten_thousand_key_groups_on_two_hundred_nodes_are_planned_within_the_time_limit():
    asked = PlanRequest(synthetic(200, 10_000, 20, 60, 0.5, 1), Budget(400), time_limit_s=1.0)
    SearchPlanner().plan(replace(asked, time_limit_s=0.01))
    began_s = time.perf_counter()
    plan = search(asked)
    assert time.perf_counter() - began_s < 5 * asked.time_limit_s
    assert distance(plan, asked) - plan.bound <= 1.0
    assert distance(plan, asked) <= distance(FluxPlanner().plan(asked), asked) + 1e-6


def test_one_node_one_key_group_and_no_load_are_clusters_too():
    for drawing in ("a: 5", "a: 0 | b:", "a: 0 0 0 | b: 0"):
        assert search(world(drawing)).moves == ()


def test_an_unlimited_budget_is_no_reason_to_move_without_benefit():
    loads = [5.0] * 12
    asked = request(loads, np.repeat(np.arange(4), 3).tolist())
    assert search(asked).moves == ()
