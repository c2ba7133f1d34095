"""The demonstration's job as it runs: each key group in its partition, at its cost."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from albic.jobs.drifting import Drift, drifting, hot_order, ranks
from albic.jobs.observed_run import batches, started
from albic.model import JobEnded
from albic.spark.batch_recorder import BatchRecorder, state_bytes
from tests.spark.conftest import PARTITIONS

JOB = Drift(key_groups=PARTITIONS, events=80, wait_ms=20, skew=1.0, first_phase=2, sources=2)


def test_work_follows_the_hot_groups_and_changes_with_them(spark, tmp_path: Path) -> None:
    query = started(drifting(spark, JOB), tmp_path / "checkpoint")
    try:
        seen = list(batches(query, 4))
    finally:
        query.stop()
    assert [record.batch for record in seen] == [0, 1, 2, 3]
    events = np.bincount(ranks(JOB))
    for record, order in ((seen[1], 0), (seen[3], 1)):
        wanted_s = np.zeros(PARTITIONS)
        wanted_s[hot_order(JOB, 8)[order]] = events * JOB.wait_ms / 1e3
        # A task may be slower than its waits, never faster.
        assert (np.array(record.busy_s) >= wanted_s).all()
        assert record.batch_s >= record.stage_s >= bound(wanted_s)
    assert not any(seen[0].loaded)


def bound(wanted_s: np.ndarray) -> float:
    return float(wanted_s.max())


def test_work_is_done_where_the_state_is_that_the_first_batch_wrote(spark, tmp_path: Path) -> None:
    filling = {"keys": 50, "note_bytes": 1000, "filled": True, "free": 1}
    job = replace(JOB, wait_ms=0, work=20_000, **filling)
    query = started(drifting(spark, job), tmp_path / "checkpoint")
    try:
        seen = list(batches(query, 3))
        kept = query.lastProgress["stateOperators"][0]["numRowsTotal"]
        sizes = state_bytes(query)
    finally:
        query.stop()
    assert kept == PARTITIONS * job.keys
    assert len(sizes) == PARTITIONS
    # Texts of hashes do not shrink much.
    assert min(sizes) > job.keys * job.note_bytes * 0.6
    # The first batch costs nothing, the second still compiles, the third begins another phase.
    assert np.argmax(seen[2].busy_s) == hot_order(job, 8)[1][0]


def test_a_query_that_ended_is_told(spark, tmp_path: Path) -> None:
    query = started(drifting(spark, JOB), tmp_path / "checkpoint")
    recorder = BatchRecorder(query)
    query.stop()
    recorder.new()
    with pytest.raises(JobEnded, match="ended early"):
        recorder.new()
