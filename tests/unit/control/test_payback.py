"""A plan has to win more than its moves cost, and a wait of 0 s may do as well."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from albic.advice.surroundings import IMPATIENT
from albic.control import Pace, Settings
from albic.control.move_costs import MeasuredMove
from albic.control.payback import (
    LEAST_BATCHES,
    batches_in,
    dearness,
    hopeless,
    lateness_s,
    too_dear,
)
from albic.control.ports import Effect
from albic.control.worth import worthwhile
from albic.control.zero_wait import Impatience, impatient
from albic.model import Allocation, Objective, Outcome, SearchReport, Throughput, plan_for
from albic.planners.search import SearchPlanner
from tests.unit.control.fakes import World, controller
from tests.worlds import world

#: A batch of 4 s, of which 3 s are stages with state.
KEPT = Throughput(batch_s=4.0, beside_s=1.0)


def planned(drawing: str, owner: list[int], cost_s: float = 0.0):
    """Return a request whose moves cost so much each, and the plan that leads to ``owner``."""
    asked = replace(world(drawing), cost_per_move=cost_s, cost_per_byte=0.0)
    report = SearchReport("test", Outcome.HEURISTIC, "as the test says")
    return asked, plan_for(asked, Allocation(np.array(owner)), report)


def test_a_node_that_loads_makes_a_batch_late_as_far_as_the_batch_waits_for_it() -> None:
    asked, plan = planned("a: 30 20 10 | b:", [0, 1, 1], cost_s=0.4)
    assert lateness_s(plan, asked, point_s=0.05) == pytest.approx(0.8), "two loads on one node"
    asked, plan = planned("a: 30 20 | b: 10", [0, 1, 1], cost_s=0.4)
    assert lateness_s(plan, asked, point_s=0.05) == pytest.approx(0.4)
    asked, plan = planned("a: 40 10 | b: 10", [0, 1, 1], cost_s=0.4)
    assert lateness_s(plan, asked, point_s=0.05) == 0, "nobody waits for a node that has time"


def test_moves_that_cost_more_than_they_win_are_held() -> None:
    cheap, dear = (planned("a: 30 20 10 | b:", [0, 1, 1], cost_s) for cost_s in (0.1, 20.0))
    assert too_dear(*reversed(cheap), KEPT, Pace(batches=1)) is None
    told = too_dear(*reversed(dear), KEPT, Pace(batches=1))
    assert "2 moves would make batches 40.00 s late and win 12.00 s in 8 batches" in told


def test_of_a_plan_those_moves_are_made_that_win_more_than_they_cost() -> None:
    asked, plan = planned("a: 30 20 10 | b: | c:", [0, 1, 2], cost_s=2.0)
    assert len(worthwhile(plan, asked, 0.05).moves) == 2
    # The first takes the batch from 60 to 40 points, the second to 30.
    (only,) = worthwhile(plan, asked, 0.05, lambda part: 0.3 * len(part.moves)).moves
    assert only.key_group == 1
    assert worthwhile(plan, asked, 0.05, lambda part: 0.4 * len(part.moves)).moves == ()


def test_what_part_of_a_plan_costs_is_reckoned_against_the_batches_it_has_to_pay_in() -> None:
    asked, plan = planned("a: 30 20 10 | b:", [0, 1, 1], cost_s=2.0)
    price = dearness(asked, KEPT, Pace(batches=1))
    assert price is not None
    # Two loads of 2 s on one node, against 8 batches that wait for 3 s each.
    assert price(plan) == pytest.approx(4 / 24)
    assert dearness(asked, Throughput(), Pace(batches=1)) is None


def test_what_has_to_move_or_comes_together_moves_whatever_it_costs() -> None:
    asked, plan = planned("a(draining): 30 20 | b: 10", [1, 1, 1], 50.0)
    assert too_dear(plan, asked, KEPT, Pace(batches=1)) is None
    asked, plan = planned("a: 30 20 10 | b:", [0, 1, 1], 50.0)
    talk = sp.csr_array(([5.0, 1.0], ([1, 0], [2, 2])), shape=(3, 3))
    apart = replace(asked.snapshot, traffic=talk)
    assert too_dear(plan, replace(asked, snapshot=apart), KEPT, Pace(batches=1)) is not None
    torn = replace(apart, allocation=Allocation(np.array([0, 0, 1])))
    asked = replace(asked, snapshot=torn)
    gathered = plan_for(asked, Allocation(np.array([0, 1, 1])), SearchReport("t", plan.outcome, ""))
    assert too_dear(gathered, asked, KEPT, Pace(batches=1)) is None


def test_without_a_measured_batch_nothing_is_too_dear() -> None:
    asked, plan = planned("a: 30 20 10 | b:", [0, 1, 1], 50.0)
    assert too_dear(plan, asked, Throughput(), Pace(batches=1)) is None


def test_a_plan_has_a_period_to_pay_for_itself() -> None:
    assert batches_in(Pace(seconds=40.0), 2.0) == 20
    assert batches_in(Pace(batches=30), 2.0) == 30
    assert batches_in(Pace(seconds=1.0), 2.0) == LEAST_BATCHES


def test_the_loop_holds_a_plan_that_costs_more_than_it_wins() -> None:
    job = World("a: 30 20 10 | b:", kept=KEPT)
    late = tuple(MeasuredMove("o", at, "a", "b", 10, 30.0) for at in range(6))
    steady = controller(job, Settings(dry_run=True), planner=SearchPlanner())
    before = steady.run_round("period")
    job.effect_now = Effect(moves=late)
    after = steady.run_round("period")
    assert before.status == "proposed"
    assert after.status == "held"
    assert "nothing moves for that" in after.reason


@pytest.mark.parametrize(
    ("drawing", "cost", "lasts"),
    [
        pytest.param("a: 10 10 10 10 | b:", 0.0, 20.0, id="an idle node takes half"),
        pytest.param("a: 10 10 10 10 | b:", 10.0, 30.0, id="and loads what it takes"),
        pytest.param("a: 10 10 40 | b:", 0.0, 50.0, id="the largest may come last"),
        pytest.param("a: 10 20 | b: 30", 5.0, 30.0, id="who has tasks of its own takes no other"),
        pytest.param("a(x2, 2 slots): 20 20 | b:", 0.0, 20.0, id="two slots run two tasks"),
    ],
)
def test_what_a_wait_of_zero_would_come_to(drawing: str, cost: float, lasts: float) -> None:
    snapshot = world(drawing).snapshot
    loads = np.full(snapshot.topology.key_groups, cost)
    assert impatient(snapshot, loads) == pytest.approx(lasts)


def advice_after(drawing: str, owner: list[int], cost_s: float, measured: int = 6) -> str | None:
    impatience = Impatience()
    asked, plan = planned(drawing, owner, cost_s)
    for _ in range(2):
        assert impatience.advice() is None
        impatience.take_in(plan, asked, KEPT, measured)
    told = impatience.advice()
    assert impatience.advice() is None, "it is said once"
    return told


def test_the_advice_comes_where_loads_are_cheap_and_measured() -> None:
    assert advice_after("a: 10 10 10 10 | b:", [0, 0, 1, 1], 0.01) == IMPATIENT
    assert advice_after("a: 10 10 10 10 | b:", [0, 0, 1, 1], 0.01, measured=2) is None
    assert advice_after("a: 10 10 10 10 | b:", [0, 0, 1, 1], 1.5) is None, "loads are dear"
    assert advice_after("a: 10 10 40 | b:", [1, 1, 0], 0.0) is None, "tasks come in bad order"


def test_there_is_no_advice_where_a_wait_of_zero_would_tear_pairs_apart() -> None:
    impatience = Impatience()
    asked, plan = planned("a: 10 10 10 10 | b:", [0, 0, 1, 1])
    talk = sp.csr_array(([1.0], ([0], [1])), shape=(4, 4))
    asked = replace(asked, snapshot=replace(asked.snapshot, traffic=talk))
    for _ in range(3):
        impatience.take_in(plan, asked, KEPT, 6)
    assert impatience.advice() is None


@pytest.mark.parametrize(
    ("drawing", "hope"),
    [
        pytest.param("a: 30 | b: 30", False, id="even loads"),
        pytest.param("a: 52 2 | b: 50", False, id="less to win than it takes"),
        pytest.param("a: 30 20 | b: 10", True, id="a gap that a move could close"),
        pytest.param("a: 60 | b:", False, id="the largest key group is the floor"),
        pytest.param("a: 30 | b: 30 | c(draining):", True, id="a node that goes"),
    ],
)
def test_where_nothing_can_be_won_no_planner_is_asked(drawing: str, hope) -> None:
    asked = replace(world(drawing), objective=Objective.MAKESPAN)
    assert (hopeless(asked, 0.05) is None) == hope
    record = controller(World(drawing)).run_round("period")
    assert (record.planner == "none") != hope
