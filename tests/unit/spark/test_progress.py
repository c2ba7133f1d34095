"""What a query reports of a batch, and what batches that were not read stand for."""

import pytest

from albic.spark.batch import BatchSample
from albic.spark.bridge.progress import EndedBatch, ended_by
from albic.spark.observing import raw_batch

AT = "2026-11-16T13:38:22.500Z"


def test_a_report_of_a_run_has_its_times() -> None:
    ended = ended_by(AT, 7, "{triggerExecution=1502, addBatch=1394, walCommit=10}")
    assert (ended.batch_id, ended.batch_s) == (7, 1.502)
    assert ended.ended_s == pytest.approx(ended.started_s + 1.502)


def test_a_report_without_a_run_is_of_the_batch_to_come() -> None:
    assert ended_by(AT, 7, "{latestOffset=1, triggerExecution=2}") == EndedBatch(6)
    assert EndedBatch(6).ended_s is None


def test_a_batch_stands_for_those_after_it_that_were_not_read() -> None:
    read = BatchSample("run", 3, 10.0, 13.0, (), {"1": 0.5}, (), 1.0)
    both = raw_batch(read.and_one_more(16.0).and_one_more(19.0), (0,), 2.0)
    assert (both.started_s, both.ended_s, both.batches) == (10.0, 19.0, 3)
    alone = raw_batch(read, (0,), 2.0)
    assert (alone.ended_s, alone.batches) == (13.0, 1)
