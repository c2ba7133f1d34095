"""Which moves of a plan are worth making."""

from dataclasses import replace

import numpy as np

from albic.control import Settings
from albic.control.adaptation import request_for
from albic.control.worth import objection, worthwhile
from albic.model import Allocation, Outcome, SearchReport, metrics, plan_for, violations
from tests.worlds import world


def test_moves_that_hardly_help_are_left_out_and_the_plan_stays_whole() -> None:
    asked = request_for(world("a: 400 300 1 | b: 300").snapshot, Settings())
    target = Allocation(np.array([0, 1, 1, 1]))
    made = SearchReport("test", Outcome.HEURISTIC, "because")
    plan = worthwhile(plan_for(asked, target, made), asked, 0.05)
    assert [move.key_group for move in plan.moves] == [1]
    assert plan.target.owner.tolist() == [0, 1, 0, 1]
    assert violations(plan, asked) == []
    assert "1 of these moves" in plan.reason


def test_key_groups_that_talk_to_each_other_move_in_one_go() -> None:
    pairs = [(0, 3, 50.0), (1, 4, 50.0), (2, 5, 50.0)]
    asked = request_for(world("a: 9 8 7 | b: 9 8 7 | c:", traffic=pairs).snapshot, Settings())
    made = SearchReport("test", Outcome.HEURISTIC, "because")
    # Two pairs go to c whole, and of the third one half goes to the other.
    target = Allocation(np.array([2, 2, 1, 2, 2, 1]))
    order = [m.key_group % 3 for m in worthwhile(plan_for(asked, target, made), asked, 0).moves]
    assert sorted(order) == [0, 0, 1, 1, 2]
    whole = [group for group in order if group != 2]
    assert whole in ([0, 0, 1, 1], [1, 1, 0, 0])


def test_a_little_traffic_is_worth_a_move_where_as_little_work_is_not() -> None:
    made = SearchReport("test", Outcome.HEURISTIC, "because")
    worth = {}
    for share, gathers in ((1.0, True), (2.0, True), (2.0, False)):
        traffic = [(0, 2, share), (1, 3, 100 - share)]
        asked = request_for(world("a: 1 30 | b: 1 30", traffic=traffic).snapshot, Settings())
        plan = plan_for(asked, Allocation(np.array([1, 0, 1, 1])), made)
        worth[share, gathers] = objection(plan, asked, 0.05, gathers=gathers) is None
    assert worth == {(1.0, True): False, (2.0, True): True, (2.0, False): False}


def test_a_plan_stays_whole_where_the_judge_would_refuse_a_part_of_it() -> None:
    drawn = world("a: 0.4 39.6 | b: 10 0.5 29.5", traffic=[(0, 2, 100.0)])
    asked = replace(request_for(drawn.snapshot, Settings()), max_load_distance_pct=0.2)
    made = SearchReport("test", Outcome.HEURISTIC, "because")
    # The pair comes together on b, and something as heavy goes to a: for balance alone too little.
    plan = worthwhile(plan_for(asked, Allocation(np.array([1, 0, 1, 0, 1])), made), asked, 0.05)
    assert len(plan.moves) == 2
    assert violations(plan, asked) == []


def test_a_plan_that_empties_a_node_stays_whole() -> None:
    asked = request_for(world("a(draining): 400 1 | b: 300").snapshot, Settings())
    made = SearchReport("test", Outcome.HEURISTIC, "because")
    plan = plan_for(asked, Allocation(np.array([1, 1, 1])), made)
    assert len(worthwhile(plan, asked, 0.05).moves) == 2


def test_partners_that_move_together_are_one_party_and_have_one_price() -> None:
    made = SearchReport("test", Outcome.HEURISTIC, "because")
    target = Allocation(np.array([0, 1] * 3))
    kept = {}
    for partners in (True, False):
        # Three operators of two key groups each, all on a; to take one of each to b wins little.
        traffic = [(0, 2, 50.0), (2, 4, 50.0), (1, 3, 50.0), (3, 5, 50.0)] if partners else []
        drawn = world("a: 100 7 100 7 100 7 | b: | c: | d:", traffic=traffic).snapshot
        asked = request_for(drawn, Settings())
        plan = worthwhile(plan_for(asked, target, made), asked, 0.12)
        kept[partners] = len(plan.moves)
        assert metrics.collocation_factor(drawn.traffic, plan.target) == float(partners)
    assert kept == {True: 3, False: 0}
