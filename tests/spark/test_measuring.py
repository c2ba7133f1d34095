"""What a controller measures of a running query ends in its journal."""

import json
import math
import subprocess
import sys

import pytest
from pyspark.sql import functions as fn

import albic
from albic.control import Settings
from albic.control.adaptation import rehearsal
from albic.planners import PLANNERS
from tests.spark.conftest import PARTITIONS, numbers
from tests.spark.test_attach import skewed, wait_until


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile the planner first, which takes long once after an installation."""
    PLANNERS["search"]().plan(rehearsal(Settings()))


def test_a_move_is_measured_as_it_went(spark, watch, executors) -> None:
    watched = watch(skewed(spark), "moved", "complete")
    first, second = executors
    watched.placement.move_now(dict.fromkeys(watched.groups(), first))
    watched.batches(3)
    with albic.attach(watched.query, period="2 batches", max_migrations=2) as controller:
        records = controller.journal.records
        wait_until(lambda: any(record.measured_moves for record in records()), "nothing moved")
        seen = records()
    move = next(move for record in seen for move in record.measured_moves)
    planned = {(m.operator, m.partition, m.target) for record in seen for m in record.moves}
    assert (move.operator, move.partition, move.target) in planned
    assert (move.source, move.target) == (first.id, second.id)
    assert move.loaded_bytes > 0
    assert math.isfinite(move.late_s)
    assert sum(record.cpu_s for record in seen) > 0
    assert sum(record.rows for record in seen) > 0
    told = next(record.snapshot for record in seen if record.snapshot)
    assert len(told["usage"]["network"]) == PARTITIONS
    # RocksDB holds state on disk, so no memory is used up by it.
    assert "memory" not in told["usage"]


def test_collocation_is_recorded_as_planned_and_as_measured(spark, watch, executors) -> None:
    source = numbers(spark).withWatermark("timestamp", "1 second")
    first = source.groupBy(fn.window("timestamp", "1 second"), "key").agg(fn.count("*").alias("n"))
    second = first.groupBy(fn.window("window", "2 seconds"), "key").agg(fn.sum("n").alias("n"))
    watched = watch(second, "together")
    assert watched.shape.fed_by_state == (1,)
    watched.placement.move_now(dict.fromkeys(watched.groups(), executors[0]))
    watched.batches(2)
    with albic.attach(watched.query, period="2 batches", dry_run=True) as controller:
        records = controller.journal.records
        wait_until(
            lambda: any(r.local_bytes + r.remote_bytes and r.snapshot for r in records()),
            "nothing was sent between the stages",
        )
        seen = [r for r in records() if r.local_bytes + r.remote_bytes and r.snapshot]
    assert {record.collocation_measured for record in seen} == {1.0}


def test_executors_with_two_slots_are_measured_by_the_slot(tmp_path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.spark.two_slots", str(tmp_path / "checkpoint")],
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["slots"] == [2, 2]
    # One task fills one slot: the stage lasts as long, though half of the executor is idle.
    assert told["work_s"] < 0.9 * told["largest_s"]
    assert told["predicted_s"] == pytest.approx(told["largest_s"], rel=0.01)
    assert told["largest_s"] <= told["stage_s"]
