"""Re-pointing a store moves its task in the next batch, its state with it, and no row is lost."""

import time

import pytest
from pyspark.sql import functions as fn

from albic.model import InvalidInput
from albic.spark.placement import KeyGroup, LocalityWait
from tests.spark.conftest import (
    KEYS,
    PARTITIONS,
    ROWS,
    counts,
    exact_counts,
    numbers,
    ran_on,
)


def test_pointed_groups_run_on_their_new_owner_from_the_next_batch_on(
    spark, watch, executors
) -> None:
    watched = watch(counts(spark), "moved", "complete")
    watched.batches(2)
    for target in (executors[0], executors[1], executors[0]):
        watched.placement.move_now(dict.fromkeys(watched.groups(), target))
        watched.batches(1)  # may have been under way when we pointed
        for sample in watched.batches(2):
            assert set(ran_on(sample).values()) == {target.id}
        assert set(watched.placement.read_back().values()) == {target.id}
    watched.query.stop()
    exact_counts(spark, "moved")


def test_moves_are_staged_and_complied_with(spark, watch, executors) -> None:
    watched = watch(counts(spark), "staged", "complete")
    watched.batches(1)
    first, second = executors
    watched.placement.move_now(dict.fromkeys(watched.groups(), first))
    watched.batches(2)
    moves = dict.fromkeys(watched.groups(), second)
    assert watched.placement.stage(moves, per_batch=1) == (KeyGroup(0, 0),)
    left, judged, compliant = [], 0, 0
    while not left or left[-1]:
        for sample in watched.reader.read(watched.bridge.last_batch(watched.query)):
            answer = watched.placement.after_batch(sample, executors)
            left.append(answer.waiting)
            judged, compliant = judged + answer.judged, compliant + answer.compliant
        time.sleep(0.02)
    assert left == [2, 1, 0]
    assert compliant == judged > 0
    watched.batches(1)
    assert set(ran_on(watched.batches(1)[0]).values()) == {second.id}


def test_a_group_that_ran_elsewhere_is_sent_back(spark, watch, executors) -> None:
    watched = watch(counts(spark), "astray", "complete")
    watched.batches(1)
    first, second = executors
    watched.placement.move_now(dict.fromkeys(watched.groups(), first))
    watched.batches(2)
    # Somebody else re-points a store behind our back.
    watched.bridge.point(watched.shape.stores(0, 1), second.host, second.id)
    resent, ends_s = [], time.monotonic() + 60
    while not resent and time.monotonic() < ends_s:
        for sample in watched.reader.read(watched.bridge.last_batch(watched.query)):
            resent += watched.placement.after_batch(sample, executors).resent
        time.sleep(0.02)
    assert resent == [KeyGroup(0, 1)]
    watched.batches(1)
    assert ran_on(watched.batches(1)[0])[KeyGroup(0, 1)] == first.id


def test_the_stores_of_a_join_move_together_and_the_next_stage_on_its_own(
    spark, watch, executors
) -> None:
    def side(name):
        frame = numbers(spark).withWatermark("timestamp", "1 second")
        return frame.select(fn.col("value").alias(name), fn.col("timestamp").alias(f"{name}_at"))

    pairs = side("a").join(
        side("b"), fn.expr("a = b AND b_at BETWEEN a_at AND a_at + INTERVAL 1 SECOND")
    )
    totals = pairs.groupBy(
        fn.window("a_at", "2 seconds"), (fn.col("a") % KEYS).alias("key")
    ).count()
    watched = watch(totals, "joined")
    assert [stage.name for stage in watched.shape.stages] == ["join 1", "aggregate 0"]
    assert watched.shape.streams == ((0, 1),)
    folders = {p.name for p in (watched.checkpoint / "state/1/0").iterdir() if p.name[0] != "_"}
    assert folders == {name for _, name in watched.shape.stages[0].stores}

    first, second = executors
    for one, other in ((first, second), (second, first)):
        wanted = {group: one if group.stage == 0 else other for group in watched.groups()}
        watched.placement.move_now(wanted)
        watched.batches(1)
        sample = watched.batches(1)[0]
        assert ran_on(sample) == {group: target.id for group, target in wanted.items()}
        assert watched.placement.read_back() == ran_on(sample)
    table = spark.table("joined")
    while not table.count():
        watched.batches(1)
    watched.query.stop()
    # A batch is a second of ROWS numbers, each joined with itself; a window holds one or two.
    assert {row["count"] for row in table.collect()} <= {ROWS // KEYS, 2 * ROWS // KEYS}


def test_deduplication_forgets_nothing_when_it_moves_every_batch(spark, watch, executors) -> None:
    twice = numbers(spark).withColumn("value", fn.floor(fn.col("value") / 2))
    watched = watch(twice.select("value").dropDuplicates(["value"]), "deduplicated")
    for round_ in range(4):
        targets = {g: executors[(g.partition + round_) % 2] for g in watched.groups()}
        watched.placement.move_now(targets)
        watched.batches(1)
    # An aggregate loads twice a batch and reports the second, so only others show their loads.
    loads = sum(
        progress["stateOperators"][0]["customMetrics"]["rocksdbNumLoadedFromDfs"]
        for progress in watched.query.recentProgress
        if progress["stateOperators"]
    )
    assert loads >= PARTITIONS, "no new owner loaded its state from the checkpoint"
    watched.query.stop()
    table = spark.table("deduplicated")
    rows, distinct, last = table.selectExpr(
        "count(*)", "count(DISTINCT value)", "max(value) + 1"
    ).first()
    assert rows == distinct == last


def test_the_wait_follows_the_length_of_a_stage_and_is_put_back(bridge) -> None:
    def waits():
        return bridge.locality_wait("process"), bridge.locality_wait("node")

    before, wait = waits(), LocalityWait(bridge)
    try:
        assert wait.fit(0.1) == 3.0
        assert wait.fit(600.0) == 30.0
        assert wait.fit(2.0) == 6.0
        assert waits() == ("6000ms", before[1])
        wait.suspend()
        assert waits() == ("0ms", "0ms")
        wait.fit(2.0)
        assert waits() == ("6000ms", before[1])
        with pytest.raises(InvalidInput, match="busiest_stage_s"):
            wait.fit(float("nan"))
    finally:
        wait.restore()
    assert waits() == before


def test_an_unknown_group_is_refused(spark, watch, executors) -> None:
    watched = watch(counts(spark), "refused", "complete")
    with pytest.raises(InvalidInput, match="partition=99"):
        watched.placement.stage({KeyGroup(0, 99): executors[0]}, per_batch=1)
    with pytest.raises(InvalidInput, match="per_batch"):
        watched.placement.stage({}, per_batch=0)
