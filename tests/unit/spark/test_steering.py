"""Where a batch differs from what was wanted, and how Spark's words become the loop's."""

from dataclasses import replace

import numpy as np
import pytest

from albic.spark.batch import BatchSample, StageSample, TaskSample
from albic.spark.executors import Executor, host_of
from albic.spark.measures import busiest_stage_s, moves_in, settled_s
from albic.spark.observing import raw_batch
from albic.spark.operators import QueryShape, StageInfo
from albic.spark.placement import KeyGroup, Placement, next_moves
from albic.spark.traffic import StreamTraffic

SHAPE = QueryShape("q", "run", (StageInfo("count", 2, "file:/s", ((0, "default"),)),), (), ())
ONE, TWO = Executor("1", "a", 1, 0.0), Executor("2", "b", 1, 0.0)


class Coordinator:
    """The part of Spark's driver that placement talks to."""

    def __init__(self) -> None:
        self.told: list[tuple[int, str]] = []

    def point(self, stores, host: str, executor_id: str) -> None:  # noqa: ARG002  a bridge's
        self.told += [(store.partition, executor_id) for store in stores]


def task(partition: int, executor: Executor, run_s: float = 0.1) -> TaskSample:
    return TaskSample(
        partition, executor.id, run_s, 0.1, 0, 0, 1, 0.0, "PROCESS_LOCAL", loaded=False
    )


def batch(number: int, *tasks: TaskSample, **more) -> BatchSample:
    # Far in the future, so that all owners were told before.
    at_s = 1e11 + number
    stages = more.pop("stages", (StageSample(0, at_s, at_s + 1, tasks),))
    return BatchSample(
        "run", number, at_s, at_s + 1, stages, {"1": 0.5}, more.pop("traffic", ()), 1.0
    )


def owners(placement: Placement) -> list[str]:
    return [owner.id for _, owner in sorted(placement.owners().items())]


def test_first_owners_are_where_tasks_ran() -> None:
    placement = Placement(Coordinator(), SHAPE)
    placement.after_batch(batch(0, task(0, ONE), task(1, TWO)), [ONE, TWO])
    assert owners(placement) == ["1", "2"]


def test_a_task_that_ran_elsewhere_is_told_again() -> None:
    spark = Coordinator()
    placement = Placement(spark, SHAPE)
    placement.move_now({KeyGroup(0, 0): ONE, KeyGroup(0, 1): ONE})
    spark.told.clear()
    answer = placement.after_batch(batch(0, task(0, ONE), task(1, TWO)), [ONE, TWO])
    assert spark.told == [(1, "1")]
    assert (answer.judged, answer.compliant, answer.compliance) == (2, 1, 0.5)


def test_moves_that_are_dropped_are_not_made_and_what_was_moved_stays() -> None:
    spark = Coordinator()
    placement = Placement(spark, SHAPE)
    placement.after_batch(batch(0, task(0, ONE), task(1, ONE)), [ONE, TWO])
    placement.stage({KeyGroup(0, 0): TWO, KeyGroup(0, 1): TWO}, per_batch=1)
    assert list(placement.waiting()) == [KeyGroup(0, 1)]
    placement.drop()
    placement.after_batch(batch(1, task(0, TWO), task(1, ONE)), [ONE, TWO])
    assert spark.told == [(0, "2")]
    assert owners(placement) == ["2", "1"]


def test_a_move_that_is_held_waits_for_a_word_and_is_made_in_one_go() -> None:
    spark = Coordinator()
    placement = Placement(spark, SHAPE)
    placement.after_batch(batch(0, task(0, ONE), task(1, ONE)), [ONE, TWO])
    placement.hold({KeyGroup(0, 0): TWO, KeyGroup(0, 1): TWO})
    assert placement.stage({}, per_batch=2) == ()
    placement.after_batch(batch(1, task(0, ONE), task(1, ONE)), [ONE, TWO])
    assert spark.told == []
    assert placement.waiting() == placement.held() == {KeyGroup(0, 0): TWO, KeyGroup(0, 1): TWO}
    placement.hand_over({KeyGroup(0, 0): TWO})
    placement.let_go([KeyGroup(0, 1)])
    assert spark.told == [(0, "2")]
    assert owners(placement) == ["2", "1"]
    assert placement.held() == {}


def test_who_only_follows_sends_nothing_and_takes_what_spark_does() -> None:
    spark = Coordinator()
    placement = Placement(spark, SHAPE)
    placement.after_batch(batch(0, task(0, ONE), task(1, ONE)), [ONE, TWO])
    placement.stage({KeyGroup(0, 0): TWO, KeyGroup(0, 1): TWO}, per_batch=1)
    placement.hold({KeyGroup(0, 1): TWO})
    spark.told.clear()
    placement.follow_only()
    placement.after_batch(batch(1, task(0, ONE), task(1, TWO)), [ONE, TWO])
    assert spark.told == []
    assert placement.waiting() == {}
    assert owners(placement) == ["1", "2"]


def test_what_is_rescued_or_planned_anew_is_held_no_more() -> None:
    spark = Coordinator()
    placement = Placement(spark, SHAPE)
    placement.after_batch(batch(0, task(0, ONE), task(1, ONE)), [ONE, TWO])
    placement.hold({KeyGroup(0, 0): TWO, KeyGroup(0, 1): TWO})
    placement.move_now({KeyGroup(0, 0): ONE})
    placement.stage({KeyGroup(0, 1): TWO}, per_batch=1)
    assert placement.held() == {}
    placement.hand_over({KeyGroup(0, 0): TWO, KeyGroup(0, 1): TWO})
    assert spark.told == [(0, "1"), (1, "2")]


def test_a_held_move_that_is_made_before_we_hear_of_it_is_not_sent_back() -> None:
    coordinator = Coordinator()
    placement = Placement(coordinator, SHAPE)
    placement.move_now({KeyGroup(0, 0): ONE})
    placement.hold({KeyGroup(0, 0): TWO})
    coordinator.told.clear()
    seen = placement.after_batch(batch(1, task(0, TWO)), [ONE, TWO])
    assert (seen.judged, seen.resent, coordinator.told) == (0, (), [])
    seen = placement.after_batch(batch(2, task(0, ONE)), [ONE, TWO])
    assert (seen.judged, seen.compliant) == (1, 1)


def test_where_the_owner_is_gone_the_choice_of_spark_stands() -> None:
    spark = Coordinator()
    placement = Placement(spark, SHAPE)
    placement.move_now({KeyGroup(0, 0): ONE, KeyGroup(0, 1): ONE})
    spark.told.clear()
    placement.after_batch(batch(0, task(0, TWO), task(1, TWO)), [TWO])
    assert owners(placement) == ["2", "2"]
    assert spark.told == []


def test_moves_to_an_executor_that_is_gone_are_dropped() -> None:
    spark = Coordinator()
    placement = Placement(spark, SHAPE)
    placement.move_now({KeyGroup(0, 0): ONE, KeyGroup(0, 1): ONE})
    placement.stage({KeyGroup(0, 0): TWO, KeyGroup(0, 1): TWO}, per_batch=1)
    spark.told.clear()
    answer = placement.after_batch(batch(0, task(0, ONE), task(1, ONE)), [ONE])
    assert (spark.told, answer.waiting) == ([], 0)


def test_who_does_not_steer_only_follows() -> None:
    spark = Coordinator()
    placement = Placement(spark, SHAPE, steers=False)
    for there in (ONE, TWO):
        placement.after_batch(batch(0, task(0, there), task(1, there)), [ONE, TWO])
        assert owners(placement) == [there.id] * 2
    assert spark.told == []


def test_the_busiest_stage_is_that_of_the_busiest_executor() -> None:
    both = (
        batch(0, task(0, ONE, 0.3), task(1, ONE, 0.4)),
        batch(1, task(0, ONE, 0.5), task(1, TWO, 0.2)),
    )
    assert [round(busiest_stage_s(sample), 6) for sample in both] == [0.7, 0.5]


def test_key_groups_are_numbered_stage_after_stage() -> None:
    stages = (
        StageSample(0, 1.0, 2.0, (task(1, ONE, 0.3),)),
        StageSample(1, 2.0, 3.0, (task(0, TWO, 0.4),)),
    )
    traffic = (StreamTraffic(0, 1, np.ones((2, 1))),)
    raw = raw_batch(batch(0, stages=stages, traffic=traffic), first=(10, 12))
    assert [(g.key_group, g.node_id, g.busy_s) for g in raw.groups] == [
        (11, "1", 0.3),
        (12, "2", 0.4),
    ]
    assert [(s.first_sender, s.first_receiver) for s in raw.traffic] == [(10, 12)]
    assert raw.background_s == {"1": 0.5}


def test_a_move_is_as_late_as_it_is_beyond_the_usual() -> None:
    usual = [batch(number, task(0, ONE, 0.1 * number)) for number in (1, 2, 3)]
    first_load = batch(0, replace(task(0, ONE, 9.0), loaded=True))
    moved = replace(task(0, TWO, 0.9), loaded=True, came_from="1")
    (move,) = moves_in(batch(4, moved, task(1, TWO)), [first_load, *usual])
    assert (move.group, move.source, move.target) == (KeyGroup(0, 0), "1", "2")
    assert move.late_s == pytest.approx(0.7)
    assert list(moves_in(batch(1, moved), [first_load])) == [], "nobody knows the usual"


def test_who_loads_a_copy_meanwhile_says_nothing_about_its_key_groups() -> None:
    sample = batch(0, task(0, ONE), task(1, TWO)).beside_loads({"2"})
    assert settled_s(sample) == {KeyGroup(0, 0): 0.1}
    assert [group.loaded for group in raw_batch(sample, (0,)).groups] == [False, True]
    assert not any(task.loaded for stage in sample.stages for task in stage.tasks), "no move"


def test_more_rows_are_no_price_of_a_move() -> None:
    usual = [batch(1, replace(task(0, ONE, 0.2), records=100))]
    moved = replace(task(0, TWO, 0.5), loaded=True, came_from="1", records=130)
    (move,) = moves_in(batch(2, moved), usual)
    assert move.late_s == pytest.approx(0.5 - 0.26)
    another_load = replace(moved, records=900)
    assert list(moves_in(batch(2, another_load), usual)) == []


@pytest.mark.parametrize(
    ("address", "host"),
    [
        ("10.0.0.7:41231", "10.0.0.7"),
        ("node-3.example.org:1", "node-3.example.org"),
        ("[2001:db8::7]:41231", "[2001:db8::7]"),
        pytest.param("10.0.0.7", "10.0.0.7", id="no port yet"),
        pytest.param("[2001:db8::7]", "[2001:db8::7]", id="no port yet, IPv6"),
    ],
)
def test_a_host_is_read_as_spark_writes_it(address, host) -> None:
    assert host_of(address) == host


def test_moves_of_a_batch_go_apart_where_each_of_them_is_dear() -> None:
    waiting = {KeyGroup(0, at): (ONE, ONE, TWO, ONE, TWO)[at] for at in range(5)}
    first_three = tuple(waiting)[:3]
    assert next_moves(waiting, 3, None) == first_three
    assert next_moves(waiting, 3, []) == (KeyGroup(0, 0), KeyGroup(0, 2))
    assert next_moves(waiting, 3, [ONE]) == (KeyGroup(0, 2),)
    assert next_moves(waiting, 0, []) == next_moves(waiting, -1, None) == ()
