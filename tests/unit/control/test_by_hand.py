"""People hold, ask and answer a controller at work; the journal says who did what."""

import re
import threading
import time
from dataclasses import replace

import pytest

from albic.control import Pace, Settings
from albic.control.clock import WallClock
from albic.control.journal import JsonLinesJournal, Status
from albic.control.orders import Orders
from albic.control.planner_choice import ChosenPlanner
from albic.control.ports import News
from albic.model import (
    Cluster,
    InvalidInput,
    JobEnded,
    NodeState,
    NotReady,
    Objective,
    ScalingDecision,
)
from albic.planners import find_planner
from tests.unit.control.fakes import ManualClock, World, controller
from tests.unit.control.test_loop import Once

APPROVED = Settings(approve=True, approve_within_s=60.0, pace=Pace(batches=1))


class Endless(World):
    """A job that goes on until it is told that it is over."""

    def observe(self):
        return self.news.pop(0) if self.news else News()


def told(steady) -> list[tuple[str, Status]]:
    return [(record.trigger, record.status) for record in steady.journal.records()]


def test_a_plan_waits_for_a_person_and_is_carried_out_when_accepted() -> None:
    job = World()
    steady = controller(job, APPROVED)
    asked = steady.run_round("period")
    assert asked.status is Status.WAITING
    assert asked.proposal is not None
    assert asked.snapshot is not None
    assert job.plans == []
    done = steady.accept(asked.proposal, by="ada")
    assert (done.status, done.by, done.proposal) == (Status.APPLIED, "ada", asked.proposal)
    assert done.moves == asked.moves
    assert done.number == asked.number + 1
    assert done.snapshot is None, "it stands in the record of the round"
    assert len(job.plans) == 1
    assert steady.waiting is None


def test_while_a_plan_waits_no_other_takes_its_place() -> None:
    job = World(news=[News(batches=1)] * 5)
    steady = controller(job, APPROVED)
    for _ in range(5):
        steady.look()
    assert told(steady) == [("period", Status.WAITING)]
    assert job.periods == 5, "measurements do not pile up"


def test_a_plan_that_nobody_answers_lapses_and_the_next_is_made() -> None:
    clock = ManualClock()
    steady = controller(World(news=[News(batches=1)] * 3), APPROVED, clock=clock)
    steady.look()
    clock.sleep_until(61.0)
    steady.look()
    lapsed, again = steady.journal.records()[1:]
    assert lapsed.status is Status.LAPSED
    assert lapsed.reason == "nobody answered within 60 s"
    assert again.status is Status.WAITING
    assert again.proposal != lapsed.proposal
    with pytest.raises(InvalidInput, match="does not wait any more"):
        steady.accept(lapsed.proposal)


def test_a_plan_that_nodes_overtook_lapses() -> None:
    job = World(news=[News(batches=1), News(joined=("c",))])
    steady = controller(job, replace(APPROVED, pace=Pace(seconds=600.0)))
    steady.propose()
    steady.look()
    steady.look()
    assert [status for _, status in told(steady)] == [Status.WAITING, Status.LAPSED]
    assert "nodes came or went" in steady.journal.records()[-1].reason


def test_a_stale_plan_is_not_carried_out_even_if_accepted() -> None:
    job = World()
    steady = controller(job, APPROVED)
    steady.propose()
    job.present = replace(job.snapshot(), generation=9)
    assert steady.accept().status is Status.HELD
    assert job.plans == []


def test_a_rejected_plan_is_dropped() -> None:
    job = World()
    steady = controller(job)
    proposal = steady.propose(by="eve\n").proposal
    record = steady.reject(proposal)
    assert (record.status, record.proposal) == (Status.REJECTED, proposal)
    assert steady.journal.records()[0].by == "eve"
    assert job.plans == []
    with pytest.raises(InvalidInput, match="no plan waits"):
        steady.accept()


def test_after_a_no_nobody_is_asked_again_for_a_while() -> None:
    clock = ManualClock()
    steady = controller(World(news=[News(batches=1)] * 4), APPROVED, clock=clock)
    steady.look()
    steady.reject()
    steady.look()
    assert [status for _, status in told(steady)] == [Status.WAITING, Status.REJECTED]
    clock.sleep_until(61.0)
    steady.look()
    assert told(steady)[-1] == ("period", Status.WAITING)


@pytest.mark.parametrize("paused", [False, True])
def test_what_lies_on_a_lost_node_does_not_wait_for_a_person(*, paused: bool) -> None:
    job = World("a: 10 10 10 | b: 5 | c: 5 20", news=[News(lost=("a",))])
    steady = controller(job, replace(APPROVED, approve=not paused))
    waiting = steady.propose()
    if paused:
        steady.pause()
    nodes = job.snapshot().cluster.nodes
    gone = (replace(nodes[0], state=NodeState.DRAINING), *nodes[1:])
    job.present = replace(job.snapshot(), cluster=Cluster(gone))
    steady.look()
    lapsed, rescue = steady.journal.records()[-2:]
    assert (lapsed.status, lapsed.proposal) == (Status.LAPSED, waiting.proposal)
    assert (rescue.trigger, rescue.status) == ("loss", Status.APPLIED)
    assert [move.source for move in rescue.moves] == ["a"] * 3, "and nothing else moves"


def test_a_number_of_nodes_waits_for_a_person_as_well() -> None:
    job = World("a: 30 | b: 30")
    steady = controller(job, APPROVED, scaling=Once(ScalingDecision("all are busy", add=1)))
    asked = steady.run_round("period")
    assert (asked.status, asked.moves, job.grown) == (Status.WAITING, (), [])
    assert asked.added == 0, "nobody agreed yet"
    done = steady.accept()
    assert (done.added, done.scaling, job.grown) == (1, "all are busy", [1])


def test_paused_means_no_rounds_until_resumed() -> None:
    job = World(news=[News(batches=1)] * 4)
    steady = controller(job, Settings(pace=Pace(batches=1)))
    steady.pause(by="ada")
    assert steady.status().paused
    steady.look()
    steady.look()
    assert told(steady) == [("hand", Status.TOLD)]
    steady.resume()
    steady.look()
    assert told(steady)[1:] == [("hand", Status.TOLD), ("period", Status.APPLIED)]


def test_a_paused_controller_plans_when_asked_to() -> None:
    job = World()
    steady = controller(job)
    steady.pause()
    assert steady.propose().status is Status.WAITING
    assert steady.propose(act=True).status is Status.APPLIED
    assert [status for _, status in told(steady)] == [
        Status.TOLD,
        Status.WAITING,
        Status.LAPSED,
        Status.APPLIED,
    ]


def test_nothing_worth_moving_is_no_proposal() -> None:
    record = controller(World("a: 30 | b: 30")).propose()
    assert (record.status, record.proposal) == (Status.HELD, None)


def test_a_dry_run_proposes_and_cannot_be_made_to_act() -> None:
    job = World()
    steady = controller(job, Settings(dry_run=True))
    assert steady.propose(act=True).status is Status.PROPOSED
    assert steady.propose().status is Status.PROPOSED
    assert job.plans == []


def test_period_budget_and_planner_change_at_run_time() -> None:
    budgets: list[int] = []
    chosen = ChosenPlanner(find_planner, "hold")
    steady = controller(
        World("a: 10 10 10 10 10 10 | b:"), planner=chosen, budget_changed=budgets.append
    )
    record = steady.change(period="5 batches", max_migrations=1, planner="flux", by="ada")
    assert record.status is Status.TOLD
    assert record.reason == "period 20s → 5 batches; max_migrations 8 → 1; planner hold → flux"
    status = steady.status()
    assert (status.period, status.max_migrations, status.planner) == ("5 batches", 1, "flux")
    assert budgets == [1]
    applied = steady.run_round("period")
    assert (len(applied.moves), applied.planner) == (1, "flux")


@pytest.mark.parametrize(
    "wish", [{"period": "soon"}, {"max_migrations": -1}, {"planner": "nobody"}]
)
def test_a_senseless_setting_is_refused_and_changes_nothing(wish: dict) -> None:
    steady = controller(World(), planner=ChosenPlanner(find_planner, "flux"))
    before = steady.status()
    with pytest.raises(InvalidInput):
        steady.change(**wish)
    assert steady.status() == before
    assert told(steady) == []


def test_a_planner_that_was_not_made_to_be_replaced_stays() -> None:
    with pytest.raises(InvalidInput, match="fixed"):
        controller(World()).change(planner="flux")


def test_the_loop_answers_other_threads() -> None:
    job = Endless(news=[News()])
    steady = controller(job, clock=WallClock())
    steady.start()
    try:
        ended_s = time.monotonic() + 20
        record = steady.propose()
        while record.status is Status.NOT_READY and time.monotonic() < ended_s:
            record = steady.propose()
        assert record.status is Status.WAITING
        assert steady.accept(record.proposal).status is Status.APPLIED
        with pytest.raises(InvalidInput, match="no plan waits"):
            steady.reject()
    finally:
        steady.stop()
    with pytest.raises(JobEnded):
        steady.pause()


def test_what_was_asked_too_late_is_not_done_later() -> None:
    orders, done = Orders(), []
    with pytest.raises(NotReady, match="nothing was done"):
        orders.ask(lambda: done.append(1), timeout_s=0.01)
    orders.carry_out()
    assert done == []


def test_each_order_is_answered_once_whoever_asks() -> None:
    orders, answers, over = Orders(), [], threading.Event()

    def loop() -> None:
        while not over.is_set():
            orders.carry_out()
        orders.close()

    def ask(number: int) -> None:
        answers.append(orders.ask(lambda: number, timeout_s=20))

    serving = threading.Thread(target=loop)
    asking = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    for thread in (serving, *asking):
        thread.start()
    for thread in asking:
        thread.join(20)
    over.set()
    serving.join(20)
    assert sorted(answers) == list(range(20))
    with pytest.raises(JobEnded):
        orders.ask(lambda: 1, timeout_s=1)


def test_what_was_done_by_hand_reads_back(tmp_path) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    steady = controller(World(), journal=journal)
    written = [steady.propose(), steady.accept(by="ada"), steady.pause()]
    assert list(journal.records()) == written


def test_a_node_that_is_drained_by_name_is_emptied_within_the_budget_and_stays() -> None:
    job = World("a: 10 10 10 | b: 10 | c: 10 10", news=[News(batches=1)] * 9)
    steady = controller(job, Settings(pace=Pace(batches=1), max_migrations=2))
    steady.look()
    told = steady.drain("a", by="ada")
    assert (told.status, told.by) == (Status.TOLD, "ada")
    assert "stays empty until it is released" in told.reason
    for _ in range(4):
        steady.look()
    assert not (job.snapshot().allocation.owner == 0).any()
    assert all(len(plan.moves) <= 2 for plan in job.plans), "a period's moves at a time"
    assert steady.status().drained == ("a",)
    assert [gone for gone in job.released if gone] == [], "it is empty, and not ended"
    steady.release("a")
    steady.look()
    assert (job.snapshot().allocation.owner == 0).any(), "and has key groups again"
    assert steady.status().drained == ()


def test_draining_does_not_wait_for_the_period_nor_for_the_end_of_a_silence() -> None:
    job = World("a: 10 | b: 10", news=[News(batches=1)] * 3)
    steady = controller(job, Settings(pace=Pace(seconds=600.0)))
    steady.propose()
    steady.drain("b")
    steady.look()
    record = steady.journal.records()[-1]
    assert (record.trigger, record.status) == ("stir", Status.APPLIED)
    assert "executor b is to be emptied" in (record.note or "")
    steady.look()
    assert steady.journal.records()[-1] is record, "once"


def test_what_is_asked_for_while_paused_is_done_after_it() -> None:
    job = World("a: 10 | b: 10", news=[News(batches=1)] * 3)
    steady = controller(job, Settings(pace=Pace(seconds=600.0)))
    steady.propose()
    steady.pause()
    steady.drain("b")
    steady.look()
    assert job.plans == []
    steady.resume()
    steady.look()
    assert [len(plan.moves) for plan in job.plans] == [1]


@pytest.mark.parametrize(
    ("node", "why"),
    [("z", "there is no executor 'z'; there are a, b"), ("a", "'a' is the last one that is left")],
)
def test_what_cannot_be_drained_is_refused(node: str, why: str) -> None:
    steady = controller(World("a: 10 | b: 10"))
    with pytest.raises(NotReady, match="nothing was measured yet"):
        steady.drain(node)
    steady.propose()
    steady.drain("b")
    with pytest.raises(InvalidInput, match=re.escape(why)):
        steady.drain(node)
    with pytest.raises(InvalidInput, match="executor 'a' is not drained; b is"):
        steady.release("a")


def test_a_drained_node_works_again_when_it_is_the_last_one() -> None:
    job = World("a: 10 10 | b:", news=[News(lost=("a",))])
    steady = controller(job)
    steady.propose()
    steady.drain("b")
    nodes = job.snapshot().cluster.nodes
    gone = (replace(nodes[0], state=NodeState.DRAINING), nodes[1])
    job.present = replace(job.snapshot(), cluster=Cluster(gone))
    steady.look()
    assert job.snapshot().allocation.owner.tolist() == [1, 1]


def test_operators_that_are_excluded_stay_and_executors_receive_nothing() -> None:
    job = World("a: 30 20 10 | b: | c:")
    steady = controller(job, Settings(exclude_executors=("b",)))
    steady.run_round("period")
    assert {move.target for plan in job.plans for move in plan.moves} == {2}
    assert [gone for gone in job.released if gone] == [], "an excluded node is not ended"
    steady.change(exclude_executors=[], exclude_operators=["o0"])
    held = steady.run_round("period")
    assert (held.status, held.moves) == (Status.HELD, ())
    assert steady.status().exclude_operators == ("o0",)
    assert held.terms is not None
    assert held.terms.exclude_operators == ("o0",)


def test_an_excluded_operator_leaves_a_lost_node_all_the_same() -> None:
    job = World("a: 10 10 | b: 5", news=[News(lost=("a",))])
    steady = controller(job, Settings(exclude_operators=("o0",), exclude_executors=("b",)))
    nodes = job.snapshot().cluster.nodes
    gone = (replace(nodes[0], state=NodeState.DRAINING), nodes[1])
    job.present = replace(job.snapshot(), cluster=Cluster(gone))
    steady.look()
    assert job.snapshot().allocation.owner.tolist() == [1, 1, 1]


def test_a_misspelt_operator_is_told_or_refused() -> None:
    steady = controller(World(), Settings(exclude_operators=("o1",)))
    assert "no operator 'o1'" in (steady.run_round("period").note or "")
    assert steady.run_round("period").note is None, "once"
    with pytest.raises(InvalidInput, match="did you mean o0"):
        steady.change(exclude_operators=["o00"])


def test_a_plan_can_be_stopped_in_its_midst() -> None:
    job = World(to_come=3, news=[News(batches=1)] * 2)
    steady = controller(job, Settings(pace=Pace(batches=1)))
    told = steady.stop_moves(by="ada")
    assert told.reason.startswith("stopped: 3 moves still to come will not be made")
    assert (told.paused, told.by, job.to_come) == (True, "ada", 0)
    steady.look()
    assert job.plans == [], "nor is anything planned until resumed"


@pytest.mark.parametrize("ask", ["drain", "exclude"])
def test_a_plan_that_waits_does_not_survive_what_it_does_not_know(ask: str) -> None:
    job = World(news=[News(batches=1)] * 3, to_come=1)
    steady = controller(job, replace(APPROVED, pace=Pace(seconds=600.0)))
    waiting = steady.propose()
    assert {move.target for move in waiting.moves} == {"b"}
    if ask == "drain":
        steady.drain("b")
    else:
        steady.change(exclude_executors=["b"])
    assert (Status.LAPSED, waiting.proposal) in [
        (each.status, each.proposal) for each in steady.journal.records()
    ]
    with pytest.raises(InvalidInput, match="no plan waits"):
        steady.accept(waiting.proposal)
    assert job.to_come == 0, "nor are moves of an earlier plan made"
    steady.look()
    assert job.plans == []
    assert steady.journal.records()[-1].status is Status.HELD


@pytest.mark.parametrize("planner", ["search", "milp", "flux", "albic", "joint"])
def test_an_executor_that_is_kept_idle_does_not_hide_how_uneven_the_others_are(planner) -> None:
    job = World("a: 10 10 10 10 10 5 | b: 10 10 10 5 | c: 5")
    settings = Settings(objective=Objective.DISTANCE, exclude_executors=("c",), time_limit_s=2.0)
    record = controller(job, settings, planner=find_planner(planner)).run_round("period")
    assert record.status is Status.APPLIED
    assert [(move.source, move.target) for move in record.moves] == [("a", "b")]
