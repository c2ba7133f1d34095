"""Flux: pairs of busy and idle nodes, one group a pair and pass."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albic.model import BudgetUnit, Objective, Outcome, metrics, violations
from albic.planners.flux import FluxPlanner
from tests.strategies import renumbered, small_requests
from tests.worlds import drawn, later, world


def flux(asked):
    """Return Flux's plan, which the judge must not object to."""
    plan = FluxPlanner().plan(asked)
    assert violations(plan, asked) == []
    return plan


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param("a: 20 20 | b:", "a: 20 | b: 20", id="half goes over"),
        pytest.param("a: 30 | b:", "a: 30 | b:", id="a lone group stays: moving it helps nobody"),
        pytest.param(
            "a: 9 5 4 | b: 6", "a: 5 4 | b: 9 6", id="the biggest that helps, not the best"
        ),
        pytest.param("a: 12 5 4 | b: 9", "a: 12 4 | b: 5 9", id="the biggest may be unsuitable"),
        pytest.param(
            "a: 20 20 | b: 12 12 | c: 7 7 | d:",
            "a: 20 | b: 12 12 | c: 7 7 | d: 20",
            id="the inner pair has nothing suitable",
        ),
        pytest.param(
            "a: 20 20 | b: 20 4 4 | c: 7 7 | d: 1",
            "a: 20 | b: 20 | c: 4 4 7 7 | d: 20 1",
            id="second gives to second last",
        ),
        pytest.param("a: 6 6 | b: 6 6 | c: 6 6", "a: 6 6 | b: 6 6 | c: 6 6", id="balanced: silent"),
        pytest.param("a: 30 0 | b:", "a: 30 0 | b:", id="idle groups stay"),
        pytest.param(
            # In floating point 0.1 + 0.3 - 0.1 is more than 0.3.
            "a(+0.1): 0.3 | b(+0.1):",
            "a(+0.1): 0.3 | b(+0.1):",
            id="a gap that is only rounding",
        ),
        pytest.param("a: 5 5", "a: 5 5", id="one node"),
    ],
)
def test_small_clusters(before, after) -> None:
    asked = world(before)
    assert drawn(flux(asked), asked) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            "a: 20 20 | b: 20 20 | c(draining): 5 7",
            "a: 20 20 5 | b: 20 20 7 | c(draining):",
            id="a light draining node is emptied all the same",
        ),
        pytest.param(
            "a: 10 | b(draining): 0 0", "a: 10 0 0 | b(draining):", id="idle groups leave as well"
        ),
        pytest.param(
            "a: 3 | b(draining): 1 2 | c(draining): 4 | d(draining): 5",
            "a: 3 1 2 4 5 | b(draining): | c(draining): | d(draining):",
            id="more nodes leave than stay",
        ),
    ],
)
def test_draining_nodes_are_emptied(before, after) -> None:
    asked = world(before)
    assert drawn(flux(asked), asked) == after


def test_draining_comes_before_balance_when_moves_are_few() -> None:
    asked = world("a: 20 20 20 | b: | c(draining): 5 7", budget=2)
    assert drawn(flux(asked), asked) == "a: 20 20 20 | b: 5 7 | c(draining):"


def test_the_load_of_a_node_is_relative_to_its_capacity() -> None:
    asked = world("a: 10 10 10 10 | b(x3):")
    plan = flux(asked)
    assert drawn(plan, asked) == "a: 10 | b(x3): 10 10 10"


def test_a_small_node_is_not_pushed_above_the_one_it_relieves() -> None:
    # 10 of the big node's 40 % are 40 % of the small one; its own 8 would make that 72 %.
    asked = world("a(x4): 10 150 | b(x0.25): 8")
    assert flux(asked).moves == ()


def test_background_counts_as_load() -> None:
    asked = world("a(+30): 10 10 | b: 10 10")
    assert drawn(flux(asked), asked) == "a(+30): 10 | b: 10 10 10"


def test_the_number_of_moves_keeps_to_the_budget() -> None:
    plan = flux(world("a: 10 10 10 10 10 10 | b: | c:", budget=2))
    assert len(plan.moves) == 2
    assert "budget was spent" in plan.reason


def test_a_dear_group_is_passed_over_for_one_that_can_be_paid() -> None:
    asked = world("a: 20 15 15 | b:", budget=4, unit=BudgetUnit.COST, state_bytes=[5, 3, 3])
    assert drawn(flux(asked), asked) == "a: 20 15 | b: 15"


def test_a_node_without_memory_to_spare_gets_a_smaller_group() -> None:
    memory = {"memory": [30, 5, 5, 60], "limits_pct": np.array([100, 70, 100])}
    asked = world("a: 40 30 30 | b: 10", **memory)
    assert drawn(flux(asked), asked) == "a: 40 30 | b: 30 10"


def test_it_stops_once_the_target_distance_is_reached() -> None:
    asked = world("a: 5 5 5 5 5 5 | b:", target_distance_pct=6)
    plan = flux(asked)
    assert len(plan.moves) == 2
    assert "target distance was reached" in plan.reason


def test_a_bundle_moves_as_one() -> None:
    asked = world("a: 5 6 20 | b:", together=[[0, 1]])
    assert drawn(flux(asked), asked) == "a: 5 6 | b: 20"


def test_asked_for_the_makespan_it_balances_loads_and_says_so() -> None:
    asked = world("a: 20 20 | b:", objective=Objective.MAKESPAN)
    plan = flux(asked)
    assert drawn(plan, asked) == "a: 20 | b: 20"
    assert "not stages" in plan.reason


def test_it_stays_where_balancing_loads_would_lengthen_a_batch() -> None:
    # Stage 0 is even, 10 and 10; with both on one node a batch takes 50 instead of 40.
    asked = world("a: 10 | b: 10 30", operators=[2, 1])
    assert drawn(flux(asked), asked) == "a: 10 10 | b: 30"
    plan = flux(replace(asked, objective=Objective.MAKESPAN))
    assert plan.outcome is Outcome.UNCHANGED
    assert "makespan worse" in plan.reason


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_among_equally_busy_nodes_their_number_does_not_matter(order) -> None:
    # Of the two with 20 only the first has a group that helps; paired with c, the other has none.
    asked = renumbered(world("a: 10 10 | b: 20 | c:"), order)
    assert sorted(metrics.node_loads(asked.snapshot, flux(asked).target)) == [10, 10, 20]


@given(small_requests())
def test_no_plan_breaks_a_rule(asked) -> None:
    flux(asked)


@given(small_requests(objective=Objective.DISTANCE, draining=()))
def test_the_variance_of_the_loads_never_rises(asked) -> None:
    def variance(allocation):
        loads = metrics.node_loads(asked.snapshot, allocation)
        return np.cov(loads, aweights=asked.snapshot.cluster.capacities(), ddof=0)

    plan = flux(asked)
    assert variance(plan.target) <= variance(asked.snapshot.allocation) + 1e-9
    assert len(plan.moves) == 0 or variance(plan.target) < variance(asked.snapshot.allocation)


@given(small_requests(budget=np.inf, memory=None))
def test_draining_nodes_end_up_empty_when_the_budget_allows(asked) -> None:
    draining = asked.snapshot.cluster.draining()
    assert not draining[flux(asked).target.owner].any()


@given(small_requests())
def test_repeated_rounds_come_to_rest(asked) -> None:
    for _ in range(30):
        plan = flux(asked)
        if not plan.moves:
            break
        asked = later(plan, asked)
    assert plan.moves == ()


@given(small_requests(objective=Objective.DISTANCE), st.randoms(use_true_random=False))
def test_renumbering_the_nodes_changes_no_load(asked, random) -> None:
    order = list(range(len(asked.snapshot.cluster.nodes)))
    random.shuffle(order)
    other = renumbered(asked, order)
    # Sorted, for empty nodes of the same kind are interchangeable.
    here = np.sort(metrics.node_loads(asked.snapshot, flux(asked).target))
    there = np.sort(metrics.node_loads(other.snapshot, flux(other).target))
    assert there == pytest.approx(here)
