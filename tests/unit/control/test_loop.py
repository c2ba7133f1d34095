"""The loop decides, acts and writes down, and nothing that goes wrong gets out of it."""

import logging
import threading
from dataclasses import replace

import pytest

from albic.control import Pace, Settings
from albic.control.clock import WallClock
from albic.control.journal import MemoryJournal, Status
from albic.control.move_costs import ASSUMED, MeasuredMove
from albic.control.ports import Effect, Fleet, News
from albic.model import Cluster, NodeState, Objective, ScalingDecision, Throughput
from albic.planners import PLANNERS
from albic.planners.hold import HoldPlanner
from albic.planners.search import SearchPlanner
from tests.unit.control.fakes import ManualClock, World, controller


class Raising:
    """A planner, or anything else, that is broken."""

    def plan(self, request):
        raise RuntimeError(f"no plan for {request.snapshot.topology.key_groups} key groups")


class Cheating:
    """A planner that promises one thing and does another."""

    def plan(self, request):
        return (
            HoldPlanner()
            .plan(request)
            .__class__(
                generation=99,
                planner="cheat",
                target=request.snapshot.allocation,
                moves=(),
                outcome=HoldPlanner().plan(request).outcome,
                reason="trust me",
            )
        )


def test_a_round_moves_what_the_plan_says_and_leaves_one_record() -> None:
    job = World("a: 30 20 10 | b:")
    record = controller(job).run_round("period")
    assert record.status is Status.APPLIED
    (plan,) = job.plans
    assert [(m.source, m.target) for m in record.moves] == [("a", "b")] * len(plan.moves)
    assert record.makespan_before == 60
    assert record.makespan_after == 30
    assert (record.batches, record.compliance) == (2, 1.0)
    assert record.snapshot is not None
    assert job.periods == 1


def test_records_may_go_without_the_measurements() -> None:
    record = controller(World(), Settings(record_snapshots=False)).run_round("period")
    assert record.status is Status.APPLIED
    assert record.snapshot is None


def test_what_moves_cost_goes_into_the_next_plan() -> None:
    job = World("a: 30 20 10 | b:")
    late = tuple(MeasuredMove("o", at, "a", "b", 10 * 4**at, 0.5 * 4**at) for at in range(6))
    steady = controller(job, Settings(dry_run=True))
    before = steady.run_round("period")
    job.effect_now = Effect(moves=late)
    after = steady.run_round("period")
    assert before.terms.cost_per_byte == ASSUMED.per_byte_s
    assert after.measured_moves == late
    assert after.terms.cost_per_byte == pytest.approx(0.05)
    assert after.cost_s == pytest.approx(0.05 * len(after.moves))


def test_a_balanced_job_is_left_alone_and_the_reason_is_told() -> None:
    job = World("a: 30 | b: 30")
    record = controller(job).run_round("period")
    assert record.status is Status.HELD
    assert record.reason
    assert job.plans == []


def test_a_gain_too_small_is_not_worth_its_moves() -> None:
    job = World("a: 52 2 | b: 50")
    record = controller(job, Settings(least_gain=0.05)).run_round("period")
    assert record.status is Status.HELD
    assert "below 5.0% nothing moves" in record.reason
    eager = controller(World("a: 52 2 | b: 50"), Settings(least_gain=0.0)).run_round("period")
    assert eager.status is Status.APPLIED


def test_a_dry_run_proposes_and_moves_nothing() -> None:
    job = World()
    record = controller(job, Settings(dry_run=True)).run_round("period")
    assert record.status is Status.PROPOSED
    assert record.moves
    assert job.plans == []


def test_what_lies_on_a_lost_node_moves_whatever_the_budget() -> None:
    job = World("a(draining): 10 10 10 | b: 5 | c: 5")
    record = controller(job, Settings(max_migrations=1)).run_round("loss")
    assert record.status is Status.APPLIED
    assert [move.source for move in record.moves] == ["a"] * 3


def test_missing_measurements_are_a_quiet_outcome(caplog) -> None:
    job = World(ready=False)
    with caplog.at_level(logging.WARNING):
        record = controller(job).run_round("period")
    assert record.status is Status.NOT_READY
    assert record.reason == "2 of 3 key groups are measured"
    assert job.periods == 0, "the period goes on until there is something to plan with"
    assert not caplog.records


def test_a_plan_that_the_judge_refuses_is_not_carried_out() -> None:
    job = World()
    record = controller(job, planner=Cheating()).run_round("period")
    assert record.status is Status.FAILED
    assert record.error is not None
    assert record.error.startswith("PlanRejected: stale")
    assert job.plans == []


def test_a_plan_that_nodes_overtook_is_held_without_an_error(caplog) -> None:
    job = World()
    seen = job.snapshot()

    class Slow:
        """A planner that takes so long that the world is another one when it has done."""

        def plan(self, request):
            job.present = replace(seen, generation=seen.generation + 1)
            return PLANNERS["search"]().plan(request)

    with caplog.at_level(logging.WARNING):
        record = controller(job, planner=Slow()).run_round("period")
    assert record.status is Status.HELD
    assert record.reason == "made for another snapshot"
    assert record.error is None
    assert job.plans == []
    assert not caplog.records


def test_the_same_error_is_logged_once_and_recorded_every_time(caplog) -> None:
    job = World()
    broken = controller(job, planner=Raising())
    with caplog.at_level(logging.WARNING):
        errors = [broken.run_round("period").error for _ in range(3)]
    assert errors == ["RuntimeError: no plan for 3 key groups"] * 3
    assert len(caplog.records) == 1
    assert len(broken.journal.records()) == 3


def test_emptied_nodes_are_released_before_planning() -> None:
    job = World("a: 10 | b(draining): | c: 10")
    controller(job).run_round("period")
    assert job.released == [("b",)]


def test_after_scaling_the_plan_is_made_again() -> None:
    class OneMore:
        def decide(self, request):  # noqa: ARG002  a policy's argument
            return ScalingDecision("all are busy", add=1)

    job = World()
    record = controller(job, scaling=OneMore()).run_round("period")
    assert job.grown == [1]
    assert record.scaling == "all are busy"
    assert record.status is Status.APPLIED


@pytest.mark.parametrize(
    ("pace", "rounds"),
    [
        pytest.param(Pace(batches=3), 3, id="every three batches"),
        pytest.param(Pace(seconds=0.175), 2, id="every four looks of 50 ms"),
        pytest.param(Pace(seconds=60.0), 0, id="not before the period is over"),
    ],
)
def test_rounds_come_at_their_pace(pace: Pace, rounds: int) -> None:
    clock = ManualClock()
    steady = controller(World(news=[News(batches=1)] * 9), Settings(pace=pace), clock=clock)
    for _ in range(9):
        clock.sleep_until(clock.now_s() + 0.05)
        steady.look()
    assert len(steady.journal.records()) == rounds


def test_a_loss_does_not_wait_for_the_period() -> None:
    job = World(news=[News(lost=("7",))])
    patient = controller(job, Settings(pace=Pace(seconds=600.0)))
    patient.look()
    assert [record.trigger for record in patient.journal.records()] == ["loss"]


def test_the_thread_ends_with_the_job_and_tidies_up() -> None:
    job = World(news=[News()] * 3)
    steady = controller(job)
    steady.start()
    steady._thread.join(10)
    assert not steady.running
    assert job.closed == 1
    assert steady.stop()


def test_a_world_that_always_fails_is_left_alone_in_the_end(caplog) -> None:
    class Gone(World):
        def observe(self):
            raise ConnectionError("the JVM is gone")

        def close(self):
            raise ConnectionError("the JVM is gone")

    steady = controller(Gone())
    with caplog.at_level(logging.WARNING):
        steady.start()
        steady._thread.join(10)
    assert not steady.running
    assert [r.levelname for r in caplog.records] == ["WARNING", "ERROR"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_dies_says_so_in_the_journal_and_leaves_the_job_as_it_was() -> None:
    class Deadly(World):
        def observe(self) -> News:
            raise SystemExit("killed")

    job = Deadly()
    steady = controller(job)
    steady.start()
    steady._thread.join(20)
    (told,) = steady.journal.records()
    assert told.status is Status.FAILED
    assert told.error == "SystemExit: killed"
    assert told.reason == "the controller ended; the job goes on as plain Spark"
    assert job.closed == 1


def test_a_look_that_fails_is_in_the_journal_once() -> None:
    class Failing(World):
        def observe(self) -> News:
            raise RuntimeError("no answer")

    steady = controller(Failing())
    assert [steady._guarded_look() for _ in range(3)] == [False] * 3
    (told,) = steady.journal.records()
    assert (told.trigger, told.error) == ("check", "RuntimeError: no answer")


def test_a_journal_that_fails_does_not_end_the_loop(caplog) -> None:
    class Full(MemoryJournal):
        def add(self, record):  # noqa: ARG002  a journal's
            raise OSError("no space left on device")

    job = World(news=[News(batches=1)] * 2)
    steady = controller(job, Settings(pace=Pace(batches=1)), journal=Full())
    assert steady._guarded_look() is False
    assert caplog.text.count("no space left") == 1


def test_stop_returns_even_while_the_world_hangs() -> None:
    release, hanging = threading.Event(), threading.Event()

    class Hanging(World):
        def observe(self):
            hanging.set()
            release.wait(30)
            return News(over=True)

    steady = controller(Hanging(), clock=WallClock())
    steady.start()
    assert hanging.wait(10)
    assert not steady.stop(timeout_s=0.05)
    release.set()
    assert steady.stop()


def test_stop_wakes_a_sleeping_loop() -> None:
    class Endless(World):
        def observe(self):
            return News()

    with controller(Endless(), clock=WallClock()) as steady:
        steady.start()
    assert not steady.running


def test_a_controller_that_never_started_can_be_stopped() -> None:
    assert controller(World()).stop()


class Once:
    """A policy that decides one thing once."""

    def __init__(self, decision: ScalingDecision) -> None:
        self.decisions = [decision]
        self.requests = []

    def decide(self, request):
        self.requests.append(request)
        return self.decisions.pop() if self.decisions else ScalingDecision("enough")


def test_a_node_that_shall_go_is_emptied_within_the_budget_and_then_released() -> None:
    job = World("a: 10 10 10 | b: 10 10 10 | c: 10 10 10")
    steady = controller(
        job, Settings(max_migrations=2), scaling=Once(ScalingDecision("idle", drain=("c",)))
    )
    moved = [len(steady.run_round("period").moves) for _ in range(3)]
    assert moved == [2, 1, 0]
    assert job.released == [(), (), ("c",)]


def test_a_node_that_refuses_to_go_is_asked_again_and_gets_nothing_meanwhile() -> None:
    job = World("a: 10 10 | b: 10 10 | c:", stubborn={"c"})
    steady = controller(job, scaling=Once(ScalingDecision("idle", drain=("c",))))
    for _ in range(3):
        steady.run_round("period")
    assert job.released == [(), ("c",), ("c",)]
    assert job.plans == []


def test_a_node_that_we_let_go_is_not_mourned() -> None:
    job = World("a: 10 10 | b: 10 10 | c:", news=[News(lost=("c",))])
    steady = controller(
        job, Settings(pace=Pace(seconds=600.0)), scaling=Once(ScalingDecision("", drain=("c",)))
    )
    steady.run_round("period")
    steady.run_round("period")
    steady.look()
    assert [record.trigger for record in steady.journal.records()] == ["period", "period"]


def test_new_nodes_are_used_as_soon_as_they_are_there() -> None:
    job = World(news=[News(joined=("c",)), News(joined=("d",))])
    steady = controller(
        job, Settings(pace=Pace(seconds=600.0)), scaling=Once(ScalingDecision("busy", add=1))
    )
    steady.run_round("period")
    steady.look()
    steady.look()
    assert [record.trigger for record in steady.journal.records()] == ["period", "arrival"]


def test_a_node_leaves_as_soon_as_it_is_empty() -> None:
    job = World("a: 10 10 | b: 10 10 | c:", news=[News(batches=1)] * 2)
    steady = controller(
        job, Settings(pace=Pace(seconds=600.0)), scaling=Once(ScalingDecision("", drain=("c",)))
    )
    steady.look()
    assert job.released == [], "nobody was to go"
    steady.run_round("period")
    steady.look()
    assert job.released == [(), ("c",)]
    assert len(steady.journal.records()) == 1, "no round was needed for that"


def test_what_was_decided_about_nodes_is_in_the_record() -> None:
    policy = Once(ScalingDecision("idle", drain=("c",)))
    steady = controller(World("a: 10 | b: 10 | c: 10"), scaling=policy)
    first, second = steady.run_round("period"), steady.run_round("period")
    assert (first.nodes, first.added, first.drained) == (3, 0, 1)
    assert (second.nodes, second.added, second.drained) == (2, 0, 0)


def test_newcomers_share_the_moves_of_the_period() -> None:
    job = World("a: 10 10 10 10 | b:", news=[News(joined=("c",))])
    steady = controller(
        job,
        Settings(max_migrations=1, pace=Pace(seconds=600.0)),
        scaling=Once(ScalingDecision("busy", add=1)),
    )
    assert len(steady.run_round("period").moves) == 1
    steady.look()
    arrival = steady.journal.records()[-1]
    assert (arrival.trigger, arrival.moves) == ("arrival", ())


def test_what_lies_on_a_lost_node_goes_before_what_only_shall_go() -> None:
    job = World("a: 10 10 10 | b: 10 10 10 | c: 10 10 10")
    steady = controller(
        job, Settings(max_migrations=1), scaling=Once(ScalingDecision("idle", drain=("c",)))
    )
    steady.run_round("period")
    assert job.present is not None
    lost = job.present.cluster.nodes[1]
    nodes = (job.present.cluster.nodes[0], replace(lost, state=NodeState.DRAINING))
    nodes += job.present.cluster.nodes[2:]
    job.present = replace(job.present, cluster=Cluster(nodes))
    record = steady.run_round("loss")
    assert "b" not in {record.target for record in record.moves}
    assert sum(move.source == "b" for move in record.moves) == 3 + sum(
        move.target == "b" for move in steady.journal.records()[0].moves
    )


@pytest.mark.parametrize(
    ("interval_s", "first"),
    [pytest.param(5.0, "c", id="in time"), pytest.param(1.0, "a", id="late")],
)
def test_where_batches_are_late_the_busiest_node_is_helped_first(interval_s, first) -> None:
    job = World("a: 30 10 | b: 20 | c: 5", kept=Throughput(2.0, interval_s))
    steady = controller(
        job,
        Settings(max_migrations=1, objective=Objective.DISTANCE),
        planner=SearchPlanner(),
        scaling=Once(ScalingDecision("idle", drain=("c",))),
    )
    (move,) = steady.run_round("period").moves
    assert move.source == first


def test_the_last_node_stays_whatever_was_decided() -> None:
    job = World("a: 10 | b: 10")
    steady = controller(job, scaling=Once(ScalingDecision("idle", drain=("a", "b"))))
    record = steady.run_round("period")
    assert record.error is None


def test_what_went_wrong_with_new_nodes_is_in_the_record() -> None:
    job = World(fleets=[Fleet(notes=("1 of 2 executors did not come within 60 s",))])
    record = controller(job).run_round("period")
    assert record.scaling is not None
    assert record.scaling.endswith("1 of 2 executors did not come within 60 s")


def test_a_policy_can_look_back() -> None:
    policy = Once(ScalingDecision("busy", add=1, wanted=3))
    steady = controller(World(), scaling=policy)
    steady.run_round("period")
    steady.run_round("period")
    (past,) = policy.requests[1].past
    assert (past.nodes, past.peak_pct, past.decision.wanted) == (2, 60.0, 3)


def test_what_became_of_moves_that_were_not_made_stands_in_the_journal() -> None:
    job = World()
    job.effect_now = Effect(notes=("key group 3 stays",))
    assert "key group 3 stays" in (controller(job).run_round("period").note or "")
