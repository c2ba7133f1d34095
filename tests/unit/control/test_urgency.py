"""A round comes early where much is to be won, and not for a whisper."""

from dataclasses import replace

import numpy as np
import pytest

from albic.control import Settings
from albic.control.change_detection import growth, moved_share, since_change
from albic.control.ports import News
from albic.control.samples import GroupSample, RawBatch
from albic.control.urgency import Urgency, avoidable_share
from albic.model import Allocation, InvalidInput
from tests.unit.control.fakes import World, controller
from tests.worlds import request, world

EAGER = Settings(max_migrations=4, urgent_gain=0.1)


def batch(number: int, *busy_s: float, loaded: int | None = None) -> RawBatch:
    groups = tuple(GroupSample(at, "1", spent, at == loaded) for at, spent in enumerate(busy_s))
    return RawBatch(float(number), number + 1.0, groups, {})


@pytest.mark.parametrize(
    ("drawing", "share"),
    [
        pytest.param("a: 30 30 | b: 30 30", 0.0, id="even loads have nothing to save"),
        pytest.param("a: 30 30 | b:", 0.5, id="an idle node could take half"),
        pytest.param("a: 60 | b:", 0.0, id="one key group is one task"),
        pytest.param("a: 60 20 | b:", 0.25, id="the largest key group is the floor"),
        pytest.param("a: 30 30 | b(draining):", 0.0, id="a node that goes helps nobody"),
    ],
)
def test_what_is_avoidable_is_what_even_spreading_saves(drawing: str, share: float) -> None:
    assert avoidable_share(world(drawing).snapshot) == pytest.approx(share)


def test_operators_of_one_stage_are_waited_for_once() -> None:
    snapshot = request([40, 40], [0, 1], operators=[1, 1], streams=[]).snapshot
    assert avoidable_share(snapshot) == 0, "each stage waits for its only key group"
    level = replace(snapshot, topology=replace(snapshot.topology, stages=(0, 0)))
    assert avoidable_share(level) == 0, "both run side by side"
    lopsided = replace(level, allocation=Allocation(np.array([0, 0])))
    assert avoidable_share(lopsided) == pytest.approx(0.5)


def test_a_stage_that_waits_for_its_largest_task_wastes_nothing() -> None:
    assert avoidable_share(world("a(x2, 2 slots): 40 10 | b(x2, 2 slots):").snapshot) == 0


def test_a_very_wasteful_batch_calls_at_once_and_a_wasteful_one_when_it_is_the_second() -> None:
    assert Urgency(EAGER).calls(0.3)
    hesitant = Urgency(EAGER)
    assert not hesitant.calls(0.15)
    assert hesitant.calls(0.15)
    assert not Urgency(EAGER).calls(0.05)


def test_a_futile_round_is_not_repeated_before_more_is_to_be_won() -> None:
    urgency = Urgency(EAGER)
    assert urgency.calls(0.3)
    urgency.answered(0)
    assert not urgency.calls(0.3)
    assert urgency.calls(0.4)
    urgency.answered(0)
    urgency.new_period()
    assert urgency.calls(0.3)


def test_early_rounds_share_the_moves_of_the_period() -> None:
    urgency = Urgency(EAGER)
    urgency.answered(3)
    assert urgency.moves_left == 1
    assert urgency.calls(0.3)
    urgency.answered(1)
    assert not urgency.calls(0.3)
    urgency.new_period()
    assert urgency.moves_left == 4


def test_the_loop_plans_early_and_keeps_the_period_and_its_budget() -> None:
    job = World("a: 30 30 30 30 30 30 | b:", news=[News(batches=1), News(batches=1, avoidable=0.5)])
    steady = controller(job, Settings(max_migrations=1))
    steady.look()
    assert steady.journal.records() == ()
    steady.look()
    (record,) = steady.journal.records()
    assert record.trigger == "imbalance"
    assert len(record.moves) == 1
    assert job.periods == 0, "the period goes on"
    job.news = [News(batches=1, avoidable=0.5)] * 3
    for _ in range(3):
        steady.look()
    assert len(steady.journal.records()) == 1, "its one move is spent"
    assert len(steady.run_round("period").moves) == 1


def test_two_batches_close_to_their_interval_call_once_a_period() -> None:
    hurried = Urgency(Settings(urgent_pace=0.9))
    assert [hurried.hurries(pace) for pace in (0.95, 0.5, 0.95)] == [False] * 3
    assert hurried.hurries(1.4)
    assert not hurried.hurries(1.4), "once is enough"
    hurried.new_period()
    assert hurried.hurries(1.4)
    fixed = Urgency(Settings())
    assert not any(fixed.hurries(3.0) for _ in range(3)), "where no node can come, none is called"


def test_the_loop_answers_late_batches_before_the_period_is_over() -> None:
    job = World("a: 30 | b: 30", news=[News(batches=1, pace=1.2)] * 3)
    steady = controller(job, Settings(urgent_pace=0.9))
    for _ in range(3):
        steady.look()
    assert [record.trigger for record in steady.journal.records()] == ["overload"]
    assert job.periods == 0, "the period goes on"


def test_growth_is_what_the_lighter_of_the_last_two_batches_had_to_do() -> None:
    steady, double = {"a": 1.0, "b": 3.0}, {"a": 2.0, "b": 6.0}
    assert growth([steady, steady]) == 1.0
    assert growth([steady, steady, double, double]) == pytest.approx(8 / 6)
    assert growth([steady, steady, double]) == 1.0, "one batch may be heavy by accident"
    assert growth([double, steady, steady]) == 1.0, "a load that falls is no reason to hurry"
    assert growth([steady, steady, {"b": 6.0}, {"a": 2.0}]) > 1, "what was loaded is left out"
    assert growth([{}, {}, {}]) == 1.0


def test_moves_are_made_in_the_order_in_which_they_help() -> None:
    job = World("a: 10 40 30 20 | b:")
    controller(job).run_round("period")
    (plan,) = job.plans
    loads = np.array([10, 40, 30, 20])
    moved = [loads[move.key_group] for move in plan.moves]
    assert moved[0] == max(moved)


def test_batches_count_as_far_back_as_the_work_is_spread_alike() -> None:
    before = [batch(number, 9.0, 1.0, 1.0, 1.0) for number in range(3)]
    after = [batch(number, 1.0, 1.1, 9.0, 1.0) for number in range(3, 5)]
    assert [kept.started_s for kept in since_change([*before, *after])] == [3, 4]
    assert len(since_change(before)) == 3


def test_more_work_spread_alike_is_no_change() -> None:
    assert len(since_change([batch(0, 1.0, 2.0), batch(1, 10.0, 20.0)])) == 2


def test_loading_state_is_no_change() -> None:
    assert len(since_change([batch(0, 1.0, 1.0, 1.0), batch(1, 1.0, 9.0, 1.0, loaded=1)])) == 2


def test_too_little_in_common_tells_nothing() -> None:
    assert moved_share({0: 1.0, 1: 9.0}, {0: 1.0}) == 0.0
    assert moved_share({}, {}) == 0.0


def test_another_query_is_judged_by_itself() -> None:
    other = RawBatch(0.5, 1.5, (GroupSample(7, "1", 3.0),), {})
    kept = since_change([batch(0, 1.0, 9.0), other, batch(2, 9.0, 1.0)])
    assert [each.started_s for each in kept] == [0.5, 2.0]


@pytest.mark.parametrize("gain", [0.0, -1.0, 1.5, float("nan")])
def test_an_urgent_gain_must_be_a_share(gain: float) -> None:
    with pytest.raises(InvalidInput, match="urgent_gain"):
        Settings(urgent_gain=gain)
