"""A real job on which nothing can be won is left alone, and batches are passed over."""

import time
from itertools import pairwise

import albic
from albic.control.journal import Status
from albic.jobs.drifting import Drift, drifting
from albic.jobs.observed_run import started
from albic.spark.attaching import bridge_of_process
from tests.spark.conftest import PARTITIONS, PATIENCE_S, numbers

#: Even load that waits, so that batches are alike whatever else the machine does.
EVEN = Drift(key_groups=PARTITIONS, events=160, wait_ms=20, skew=0.0, first_phase=10_000, sources=2)
SILENT = "no more are run until"


def test_a_job_with_nothing_to_win_gets_no_more_rounds_and_few_batches_are_read(
    spark, tmp_path
) -> None:
    query = started(drifting(spark, EVEN), tmp_path / "checkpoint")
    bridge, ends_s = bridge_of_process(), time.monotonic() + PATIENCE_S
    try:
        controller = albic.attach(query, period="2 batches", journal=tmp_path / "journal.jsonl")

        def silences() -> list[int]:
            return [r.number for r in controller.journal.records() if SILENT in (r.note or "")]

        while not silences():
            assert time.monotonic() < ends_s, "it never fell silent"
            time.sleep(0.1)
        begun = bridge.last_batch(query)
        while bridge.last_batch(query) < begun + 8:
            assert query.isActive, query.exception()
            time.sleep(0.1)
        # A round of its own, so that what came since is in the journal as well.
        assert controller.stop()
        controller.run_round("period")
    finally:
        query.stop()
    records = controller.journal.records()
    for before, after in pairwise(records[:-1]):
        if SILENT in (before.note or ""):
            assert before.status is Status.HELD
            assert after.trigger != "period", "something has to have happened"
            assert "no longer silent" in after.note or after.trigger in {"imbalance", "loss"}
    assert sum(record.batches for record in records) >= 8
    assert sum(record.read for record in records) < sum(record.batches for record in records)


def test_a_batch_that_was_passed_over_is_not_read_later_and_a_move_in_it_is_not_measured(
    spark, watch, executors
) -> None:
    watched = watch(numbers(spark).groupBy("key").count(), "passed", "complete")
    (before,) = watched.batches(1)[-1:]
    one, other = executors
    target = other if before.stages[0].tasks[0].executor_id == one.id else one
    begun = watched.bridge.last_batch(watched.query)
    while watched.bridge.last_batch(watched.query) < begun + 3:
        # A batch under way takes state along to where it runs, so once may not be enough.
        watched.placement.move_now({watched.groups()[0]: target})
        time.sleep(0.02)
    passed = watched.bridge.last_batch(watched.query)
    watched.reader.pass_over(passed)
    (after,) = watched.batches(1)[:1]
    assert after.batch_id > passed
    (moved,) = (task for task in after.stages[0].tasks if task.partition == 0)
    assert moved.executor_id == target.id
    assert moved.loaded, "where it was loaded is not known, so it does not count as its load"
    assert moved.came_from is None


def test_the_report_of_a_batch_says_when_it_ran(spark, watch) -> None:
    watched = watch(numbers(spark).groupBy("key").count(), "told", "complete")
    (sample,) = watched.batches(1)[-1:]
    told = watched.bridge.last_ended(watched.query)
    assert told.batch_id >= sample.batch_id
    assert told.batch_s > 0
    assert abs(told.ended_s - time.time()) < 60
    arrived, processed = watched.bridge.rates(watched.query)
    assert arrived >= 0
    assert processed >= 0
