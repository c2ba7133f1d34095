"""Scaling and placement are one decision: the gate, the limits, and who has to go."""

import datetime as dt
from typing import Any

import pytest

from albic.model import (
    InvalidInput,
    PastRound,
    ScalingDecision,
    ScalingRequest,
    Throughput,
)
from albic.planners.search import SearchPlanner
from albic.scaling import IntegratedScaling, Limits
from albic.scaling.utilisation import Utilisation
from tests.worlds import request, world

#: No patience and no rest, so that a single round shows the decision.
EAGER = {"stabilise_s": 0.0, "drain_after_s": 0.0}
FULL, BUSY = "a: 95 95 95 | b: 95 95 95", "a: 50 48 | b: 50 48"
IDLE, FINE = "a: 9 9 | b: 9 9 | c: 9 9", "a: 30 30 | b: 30 30"


def decided(drawing: Any, limits: Limits | None = None, **more: Any) -> ScalingDecision:
    asked = world(drawing, budget=2) if isinstance(drawing, str) else drawing
    planner = SearchPlanner()
    policy = IntegratedScaling(Utilisation(), limits or Limits(**EAGER), planner)
    given = {"at_s": 1000.0, **more}
    return policy.decide(ScalingRequest(asked=asked, plan=planner.plan(asked), **given))


def test_an_overloaded_cluster_grows_to_the_target_in_one_step() -> None:
    decision = decided(BUSY)
    assert (decision.add, decision.drain) == (1, ())
    assert "above" in decision.reason


def test_what_a_better_plan_can_do_needs_no_new_node() -> None:
    assert not decided("a: 60 50 | b: 10 10").changes


def test_an_idle_cluster_lets_the_cheapest_nodes_go() -> None:
    asked = request(
        [9, 9, 9, 9, 9, 9],
        [0, 0, 1, 1, 2, 2],
        state_bytes=[9, 9, 1, 1, 9, 9],
        unit="cost",
        budget=100,
    )
    decision = decided(asked)
    assert set(decision.drain) >= {"n1"}
    assert decision.wanted == 1


def test_among_equally_cheap_nodes_the_one_that_keeps_traffic_local_goes() -> None:
    asked = request(
        [14] * 6,
        [0, 0, 1, 2, 1, 2],
        3,
        operators=[3, 3],
        streams=[(0, 1)],
        traffic=[(0, 1, 50.0), (2, 3, 50.0)],
        max_load_distance_pct=60,
    )
    decision = decided(asked, Limits(**EAGER, min_nodes=2))
    assert len(decision.drain) == 1
    assert decision.drain != ("n0",), "its two key groups talk to each other"


def test_nothing_is_drained_that_would_leave_the_rest_out_of_balance() -> None:
    asked = request([45, 3, 3], [0, 1, 2], max_load_distance_pct=5)
    decision = decided(asked, Limits(**EAGER, min_nodes=2))
    assert not decision.changes
    assert "out of balance" in decision.reason


def test_nothing_is_drained_that_the_rest_could_not_bear() -> None:
    tight = Utilisation(target=0.5, low=0.45, high=0.55)
    asked = request([40, 40, 40], [0, 1, 2], max_load_distance_pct=100)
    planner = SearchPlanner()
    decision = IntegratedScaling(tight, Limits(**EAGER), planner).decide(
        ScalingRequest(1000.0, asked, planner.plan(asked))
    )
    assert not decision.changes


@pytest.mark.parametrize(
    ("drawing", "limits", "add", "drained", "word"),
    [
        pytest.param(BUSY, Limits(max_nodes=2, **EAGER), 0, 0, "allowed are", id="at most two"),
        pytest.param(IDLE, Limits(min_nodes=3, **EAGER), 0, 0, "allowed are", id="at least three"),
        pytest.param(FINE, Limits(min_nodes=4, **EAGER), 2, 0, "more", id="never below the least"),
        pytest.param(IDLE, Limits(most_drained=0.4, **EAGER), 0, 1, "1 fewer", id="a small step"),
        pytest.param(FULL, Limits(most_added=3, **EAGER), 3, 0, "3 more", id="three at once"),
        pytest.param(FINE, Limits(**EAGER), 0, 0, "inside", id="nothing to do"),
    ],
)  # fmt: skip
def test_limits_hold(drawing: str, limits: Limits, add: int, drained: int, word: str) -> None:
    decision = decided(drawing, limits)
    assert (decision.add, len(decision.drain)) == (add, drained)
    assert word in decision.reason


def past(
    at_s: float, nodes: int, peak_pct: float = 90.0, load_pct: float = 196.0, **decision: Any
) -> PastRound:
    return PastRound(at_s, nodes, peak_pct, load_pct, ScalingDecision("", **decision))


def test_after_a_change_measurements_settle_first() -> None:
    limits = Limits(stabilise_s=60.0)
    recent = decided(BUSY, limits, past=(past(950.0, 1, add=1),))
    assert not recent.changes
    assert "50 s ago" in recent.reason
    assert decided(BUSY, limits, past=(past(900.0, 1, 300.0, add=1),)).add == 1


def test_after_the_start_too_for_cold_executors_look_overloaded() -> None:
    limits = Limits(stabilise_s=60.0)
    assert "settles" in decided(BUSY, limits).reason
    assert not decided(BUSY, limits, past=(past(950.0, 2),)).changes
    assert decided(BUSY, limits, past=(past(930.0, 2),)).add == 1
    assert decided(BUSY, Limits(stabilise_s=60.0, min_nodes=3)).add == 1, "too few are too few"


def test_adding_is_quick_and_draining_takes_patience() -> None:
    patient = Limits(stabilise_s=0.0, drain_after_s=300.0)
    assert decided(BUSY, patient).add == 1
    assert not decided(IDLE, patient).changes, "a job that just began has shown nothing yet"
    calm = tuple(past(at_s, 3, wanted=1) for at_s in (600.0, 750.0, 900.0))
    assert decided(IDLE, patient, past=calm).drain
    needed = (*calm[:2], past(900.0, 3, wanted=3))
    decision = decided(IDLE, patient, past=needed)
    assert not decision.changes
    assert "3 were wanted" in decision.reason


def test_a_scale_out_that_did_not_help_is_not_repeated() -> None:
    before = (past(0.0, 1, 99.0, add=1),)
    decision = decided(BUSY, past=before)
    assert not decision.changes
    assert "would not help" in decision.reason
    assert decided(BUSY, past=(past(0.0, 1, 190.0, add=1),)).add == 1


def test_nodes_that_helped_against_a_load_that_grew_may_be_followed_by_more() -> None:
    half_the_work = (past(0.0, 1, 98.0, 98.0, add=1),)
    assert decided(BUSY, past=half_the_work).add == 1, "the peak is as high, for twice the work"


def test_nodes_on_their_way_are_counted() -> None:
    assert not decided(BUSY, coming=1).changes
    waiting = decided(IDLE, coming=1)
    assert not waiting.changes
    assert "still to come" in waiting.reason


def test_a_node_that_was_to_go_is_kept_before_a_new_one_is_asked_for() -> None:
    decision = decided("a: 50 48 | b: 50 | c(draining): 48", going=("c",))
    assert (decision.keep, decision.add) == (("c",), 0)


def test_in_hours_of_rest_nothing_scales() -> None:
    always = Limits(rest_hours=((0.0, 24.0),), **EAGER)
    decision = decided(BUSY, always)
    assert not decision.changes
    assert "o'clock" in decision.reason
    never = Limits(rest_hours=((22.0, 22.0),), **EAGER)
    assert decided(BUSY, never).changes


@pytest.mark.parametrize(("hour", "rests"), [(23, True), (5, True), (6, False), (12, False)])
def test_hours_of_rest_may_go_over_midnight(hour: int, rests: bool) -> None:  # noqa: FBT001
    night = Limits(rest_hours=((22.0, 6.0),), **EAGER)
    at_s = dt.datetime(2026, 1, 5, hour).astimezone().timestamp()
    assert decided(BUSY, night, at_s=at_s).changes is not rests


def test_a_load_that_grew_within_the_period_is_answered_now() -> None:
    assert not decided(FINE).changes
    assert decided(FINE, throughput=Throughput(growth=2.0)).add == 2


@pytest.mark.parametrize(
    "nonsense",
    [
        {"min_nodes": 0},
        {"min_nodes": 3, "max_nodes": 2},
        {"most_added": 0},
        {"most_drained": 0.0},
        {"stabilise_s": -1.0},
        {"rest_hours": ((1.0, 25.0),)},
    ],
)
def test_nonsense_is_refused_at_once(nonsense: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput):
        Limits(**nonsense)
