"""The judge: each rule finds the plan that breaks it, and no other."""

from dataclasses import replace

import pytest

from albic.model import (
    Allocation,
    Bundles,
    Move,
    Objective,
    Outcome,
    SearchReport,
    plan_for,
    violations,
)
from tests.worlds import request, world

REPORT = SearchReport("test", Outcome.HEURISTIC, "a test")


def rules(asked, owner):
    """Return the rules that the plan to ``owner`` breaks."""
    plan = plan_for(asked, Allocation(owner), REPORT)
    return [finding.rule for finding in violations(plan, asked)]


def test_a_good_plan_breaks_nothing():
    assert rules(world("a: 20 20 | b:", 1), [0, 1]) == []


def test_doing_nothing_breaks_nothing():
    assert rules(world("a: 20 20 | b:", 0), [0, 0]) == []


def test_a_plan_for_another_generation_is_stale():
    asked = world("a: 20 20 | b:")
    plan = plan_for(asked, Allocation([0, 1]), REPORT)
    newer = replace(asked, snapshot=replace(asked.snapshot, generation=3))
    found = violations(plan, newer)
    assert [finding.rule for finding in found] == ["stale"]
    assert str(found[0]) == "stale: made for generation 0, not 3"


@pytest.mark.parametrize("owner", [[0, 2], [0, -1]])
def test_an_owner_that_does_not_exist(owner):
    asked = world("a: 20 20 | b:")
    good = plan_for(asked, Allocation([0, 1]), REPORT)
    found = violations(replace(good, target=Allocation(owner)), asked)
    assert "one-owner-each" in [finding.rule for finding in found]


def test_a_key_group_without_owner():
    asked = world("a: 20 20 | b:")
    plan = replace(plan_for(asked, Allocation([0, 1]), REPORT), target=Allocation([0]))
    assert [finding.rule for finding in violations(plan, asked)] == ["one-owner-each"]


@pytest.mark.parametrize(
    "moves",
    [
        pytest.param((), id="missing"),
        pytest.param((Move(1, 0, 1, 1.0), Move(0, 0, 1, 1.0)), id="one too many"),
        pytest.param((Move(1, 1, 0, 1.0),), id="wrong way"),
        pytest.param((Move(1, 0, 1, 1.0), Move(1, 0, 1, 1.0)), id="twice"),
    ],
)
def test_moves_that_do_not_lead_to_the_target(moves):
    asked = world("a: 20 20 | b:")
    plan = replace(plan_for(asked, Allocation([0, 1]), REPORT), moves=moves)
    assert [finding.rule for finding in violations(plan, asked)] == ["moves-match-target"]


def test_more_moves_than_the_budget():
    assert rules(world("a: 20 20 20 20 | b:", 1), [0, 0, 1, 1]) == ["over-budget"]


def test_more_cost_than_the_budget():
    asked = world("a: 20 20 | b:", 9, unit="cost", state_bytes=[4, 10])
    assert rules(asked, [0, 1]) == ["over-budget"]
    assert rules(asked, [1, 0]) == []


def test_a_cost_that_meets_the_budget_but_for_rounding_is_within_it():
    asked = world("a: 20 20 | b:", 3 * 0.1, unit="cost", cost_per_byte=0.1, state_bytes=[3, 9])
    assert rules(asked, [1, 0]) == []


def test_a_move_onto_a_draining_node():
    assert "onto-draining" in rules(world("a: 20 20 | z(draining):"), [0, 1])


def test_a_torn_bundle():
    asked = world("a: 20 20 | b:", together=[[0, 1]])
    assert "bundle-intact" in rules(asked, [0, 1])


def test_a_pinned_bundle_astray():
    asked = world("a: 20 20 | b:", pinned=[(0, 0)])
    assert rules(asked, [1, 0]) == ["bundle-intact"]
    assert rules(asked, [0, 1]) == []


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        pytest.param([10, 30, 25], [], id="within"),
        pytest.param([10, 30, 40], ["resource-limit"], id="pushed over its limit"),
    ],
)
def test_the_limits_of_other_resources(memory, expected):
    asked = request([40, 40, 40], [0, 0, 1], 2, memory=memory, limits_pct=[100, 60, 100])
    moved = replace(asked, objective=Objective.MAKESPAN)
    assert rules(moved, [0, 1, 1]) == expected


def test_a_node_that_was_over_its_limit_must_not_get_worse_but_may_stay():
    asked = request([90, 90, 5], [0, 0, 1], 2, memory=[50, 40, 2], limits_pct=[100, 60, 100])
    assert rules(asked, [0, 1, 1]) == []
    assert rules(asked, [0, 0, 1]) == []
    assert "resource-limit" in rules(asked, [0, 0, 0])


def test_the_bottleneck_itself_has_no_limit():
    assert rules(world("a: 150 | b: 140 30", limits_pct=[100, 100, 100]), [0, 1, 1]) == []


@pytest.mark.parametrize("objective", Objective)
def test_a_plan_that_makes_things_worse(objective):
    asked = request([10, 10], [0, 1], objective=objective)
    assert rules(asked, [0, 0]) == ["not-worse"]


def test_draining_may_make_the_load_distance_worse():
    assert rules(world("a: 10 | b: 10 | z(draining): 6"), [0, 1, 0]) == []


def test_collocation_may_make_the_load_distance_worse_up_to_its_maximum():
    asked = request([10, 10], [0, 1], traffic=[(0, 1, 5.0)], max_load_distance_pct=10)
    assert rules(asked, [0, 0]) == []
    assert rules(replace(asked, max_load_distance_pct=9.0), [0, 0]) == ["not-worse"]


def test_all_findings_are_returned():
    asked = world("a: 10 10 | b: 20 | z(draining):", 1, together=[[0, 1]])
    assert sorted(rules(asked, [2, 0, 0])) == [
        "bundle-intact",
        "not-worse",
        "onto-draining",
        "over-budget",
    ]


def test_bundles_of_several_units_are_each_named_once():
    asked = world("a: 5 5 5 5 | b: 20 | c: 20")
    bundled = replace(asked, bundles=Bundles([0, 0, 1, 1, 2, 3]))
    found = rules(bundled, [0, 1, 0, 2, 1, 2])
    assert found.count("bundle-intact") == 2


def test_what_must_not_rise_is_what_was_asked_to_fall():
    # Whole loads stay even while both key groups of a stage come to lie on one node.
    asked = request([10, 10, 10, 10], [0, 1, 0, 1], operators=[2, 2], objective=Objective.DISTANCE)
    assert rules(asked, [0, 0, 1, 1]) == []
    assert rules(replace(asked, objective=Objective.MAKESPAN), [0, 0, 1, 1]) == ["not-worse"]


def test_what_is_balanced_may_rise_above_its_limit_on_a_node_that_was_below():
    assert rules(world("a: 90 90 | b: 20", limits_pct=[100, 100, 100]), [0, 1, 1]) == []


def test_who_stays_on_a_draining_node_excuses_nothing():
    assert rules(world("a: 10 | b: 10 | z(draining): 6"), [0, 0, 2]) == ["not-worse"]


def test_a_budget_may_be_spent_to_its_last_move():
    assert rules(world("a:" + " 10" * 16 + " | b:", 8), [0] * 8 + [1] * 8) == []
