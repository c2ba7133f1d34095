"""Where nothing can be won the loop is silent, and it wakes up when something changes."""

from dataclasses import replace

import numpy as np
import pytest

from albic.control import Pace, Settings
from albic.control.journal import RoundRecord, Status
from albic.control.ports import Effect, News
from albic.control.silence import Silence
from albic.model import Throughput
from albic.planners.search import SearchPlanner
from tests.unit.control.fakes import World, controller

QUIET = News(batches=1, avoidable=0.02, batch_s=3.0, moved=0.01)


def record(status: Status) -> RoundRecord:
    return RoundRecord(1, 0.0, "period", status, "")


def silent() -> Silence:
    silence = Silence(Settings())
    for _ in range(4):
        assert silence.broken_by(QUIET) is None
    assert silence.after(record(Status.HELD), settled=True) is None
    assert silence.after(record(Status.HELD), settled=True)
    assert silence.kept
    return silence


def test_two_rounds_without_anything_to_win_end_in_silence_and_the_reason_is_told() -> None:
    silence = Silence(Settings())
    silence.broken_by(QUIET)
    assert silence.after(record(Status.HELD), settled=True) is None
    told = silence.after(record(Status.HELD), settled=True)
    assert told is not None
    assert "nothing was to be won in 2 rounds" in told
    assert "3.00 s" in told


@pytest.mark.parametrize("between", [Status.APPLIED, Status.PROPOSED, Status.FAILED])
def test_only_rounds_in_a_row_count(between) -> None:
    silence = Silence(Settings())
    silence.broken_by(QUIET)
    for status in (Status.HELD, between, Status.HELD):
        assert silence.after(record(status), settled=True) is None
    assert not silence.kept


def test_there_is_no_silence_while_nodes_come_or_go_or_nobody_tells_of_batches() -> None:
    deaf, moving = Silence(Settings()), Silence(Settings())
    moving.broken_by(QUIET)
    deaf.broken_by(News(batches=1))
    for _ in range(5):
        assert deaf.after(record(Status.HELD), settled=True) is None
        assert moving.after(record(Status.HELD), settled=False) is None


@pytest.mark.parametrize(
    ("news", "told"),
    [
        pytest.param(News(joined=("4",)), "4 joined", id="a node comes"),
        pytest.param(News(batches=1, moved=0.3), "30% of the work", id="keys drift"),
        pytest.param(News(batches=1, batch_s=4.0), "took 4.00 s", id="a batch is much longer"),
        pytest.param(News(batches=1, batch_s=2.0), "took 2.00 s", id="load goes away"),
        pytest.param(News(batches=1, avoidable=0.2), "20% of a batch", id="much is wasted"),
    ],
)
def test_a_change_ends_the_silence_at_once(news, told) -> None:
    silence = silent()
    assert told in silence.broken_by(news)
    assert not silence.kept


def test_a_small_change_has_to_show_twice() -> None:
    silence = silent()
    assert silence.broken_by(News(batches=1, batch_s=3.4)) is None
    assert silence.broken_by(News(batches=1, batch_s=3.4)) is not None
    accident = silent()
    assert accident.broken_by(News(batches=1, batch_s=3.4)) is None
    assert accident.broken_by(News(batches=1, batch_s=2.6)) is None
    creeping = silent()
    assert creeping.broken_by(News(batches=1, avoidable=0.08)) is None
    assert creeping.broken_by(News(batches=1, batch_s=3.0)) is None, "nobody read that batch"
    assert creeping.broken_by(News(batches=1, avoidable=0.08)) is not None


def test_noise_does_not_end_the_silence() -> None:
    silence, rng = silent(), np.random.default_rng(1)
    for _ in range(500):
        off, waste = rng.normal(0.0, 0.03), rng.normal(0.02, 0.012)
        news = News(batches=1, batch_s=3 * (1 + off), avoidable=max(waste, 0.0), moved=0.05)
        assert silence.broken_by(news) is None


class Counting:
    """A planner that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def plan(self, request):
        self.asked += 1
        return SearchPlanner().plan(request)


def test_the_loop_asks_no_planner_where_nothing_can_be_won_until_something_changes() -> None:
    planner = Counting()
    job = World(
        "a: 40 20 | b: 40",
        news=[QUIET] * 60 + [News(batches=1, batch_s=4.5)],
        effect_now=Effect(),
        kept=Throughput(batch_s=3.0),
    )
    steady = controller(job, Settings(pace=Pace(batches=2)), planner=planner)
    for _ in range(60):
        steady.look()
    assert planner.asked == 2
    assert job.periods == 30, "what was measured does not pile up"
    *_, last = steady.journal.records()
    assert "no more are run until" in last.note
    steady.look()
    assert planner.asked == 3
    *_, last = steady.journal.records()
    assert (last.trigger, last.note) == (
        "stir",
        "no longer silent: a batch took 4.50 s, usual were 3.00 s",
    )


def test_a_lost_node_and_a_sudden_imbalance_are_answered_in_silence_too() -> None:
    job = World("a: 30 30 | b: 30 30", news=[QUIET] * 10, effect_now=Effect())
    steady = controller(job, Settings(pace=Pace(batches=2)), planner=SearchPlanner())
    for _ in range(10):
        steady.look()
    assert len(steady.journal.records()) == 2
    job.news = [News(batches=1, avoidable=0.3, batch_s=3.0)]
    steady.look()
    job.news = [News(lost=("c",))]
    steady.look()
    triggers = [record.trigger for record in steady.journal.records()]
    assert triggers[2] in {"imbalance", "stir"}
    assert triggers[3] == "loss"


def test_work_that_lies_elsewhere_for_one_batch_is_an_accident_and_for_two_is_not() -> None:
    silence, other = silent(), replace(QUIET, moved=0.15)
    assert silence.broken_by(other) is None
    assert silence.broken_by(QUIET) is None
    assert silence.broken_by(other) is None
    assert silence.broken_by(other) == "15% of the work lies on other key groups"
