"""Re-pointing a store moves its task in the next batch, its state with it, and no row is lost."""

import random
import time
from itertools import pairwise

import pytest
from pyspark.sql import functions as fn

from albic.model import InvalidInput
from albic.spark.locality import LocalityWait
from albic.spark.placement import KeyGroup
from albic.spark.watch import busiest_stage_s
from tests.spark.conftest import (
    KEYS,
    PARTITIONS,
    ROWS,
    counts,
    exact_counts,
    numbers,
    ran_on,
    skewed,
)


def test_pointed_groups_run_on_their_new_owner_from_the_next_batch_on(
    spark, watch, executors
) -> None:
    watched = watch(counts(spark), "moved", "complete")
    watched.batches(2)
    for target in (executors[0], executors[1], executors[0]):
        wanted = dict.fromkeys(watched.groups(), target)
        watched.placement.move_now(wanted)
        watched.batch_on(wanted)
        # Once there, it stays.
        for sample in watched.batches(2):
            assert set(ran_on(sample).values()) == {target.id}
        assert set(watched.placement.read_back().values()) == {target.id}
    watched.query.stop()
    exact_counts(spark, "moved")


@pytest.mark.contract("staged moves")
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
    # One at a time; a batch that was under way when one was sent counts for nothing.
    assert {before - after for before, after in pairwise([3, *left])} <= {0, 1}
    assert compliant == judged > 0
    watched.batch_on(moves)


@pytest.mark.contract("repair of what ran elsewhere")
def test_a_group_that_ran_elsewhere_is_sent_back(spark, watch, executors) -> None:
    watched = watch(counts(spark), "astray", "complete")
    watched.batches(1)
    first, second = executors
    watched.placement.move_now(dict.fromkeys(watched.groups(), first))
    watched.batches(2)
    resent, ends_s = [], time.monotonic() + 60
    while not resent and time.monotonic() < ends_s:
        # Somebody else re-points a store behind our back; a task under way may undo it.
        watched.bridge.point(watched.shape.stores(0, 1), second.host, second.id)
        for sample in watched.reader.read(watched.bridge.last_batch(watched.query)):
            resent += watched.placement.after_batch(sample, executors).resent
        time.sleep(0.02)
    assert set(resent) == {KeyGroup(0, 1)}
    watched.batch_on({KeyGroup(0, 1): first})


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
        # Read only then: the tasks of a batch that was under way say where they are, too.
        homes = ran_on(watched.batch_on(wanted))
        assert watched.placement.read_back() == homes
    table = spark.table("joined")
    while not table.count():
        watched.batches(1)
    watched.query.stop()
    # A batch is a second of ROWS numbers, each joined with itself; a window holds one or two.
    assert {row["count"] for row in table.collect()} <= {ROWS // KEYS, 2 * ROWS // KEYS}


def test_every_operator_of_a_chain_moves_on_its_own(spark, watch, executors) -> None:
    once = numbers(spark).withWatermark("timestamp", "1 second").dropDuplicates(["value"])
    totals = once.groupBy(fn.window("timestamp", "2 seconds"), "key").count()
    watched = watch(totals, "chained")
    assert [stage.name for stage in watched.shape.stages] == ["deduplicate 1", "aggregate 0"]
    for turn in range(3):
        wanted = {g: executors[(g.stage + g.partition + turn) % 2] for g in watched.groups()}
        watched.placement.move_now(wanted)
        watched.batch_on(wanted)
    table = spark.table("chained")
    while not table.count():
        watched.batches(1)
    watched.query.stop()
    assert {row["count"] for row in table.collect()} <= {ROWS // KEYS, 2 * ROWS // KEYS}


@pytest.fixture
def files_as_store(spark):
    """Use Spark's default store, which keeps state in maps and files, for queries started now."""
    setting = "spark.sql.streaming.stateStore.providerClass"
    before = spark.conf.get(setting)
    package = "org.apache.spark.sql.execution.streaming.state"
    spark.conf.set(setting, f"{package}.HDFSBackedStateStoreProvider")
    yield
    spark.conf.set(setting, before)


@pytest.mark.usefixtures("files_as_store")
def test_the_store_that_spark_takes_by_default_moves_as_well(spark, watch, executors) -> None:
    watched = watch(counts(spark), "in_files", "complete")
    for turn in range(4):
        wanted = {g: executors[(g.partition + turn) % 2] for g in watched.groups()}
        watched.placement.move_now(wanted)
        watched.batch_on(wanted)
    assert list(watched.checkpoint.rglob("state/0/0/*.delta")), "another store was at work"
    watched.batches(4)
    assert sum(answer.judged for answer in watched.answers) >= 2 * PARTITIONS
    assert all(answer.judged == answer.compliant for answer in watched.answers)
    watched.query.stop()
    exact_counts(spark, "in_files")


def test_spark_complies_with_moves_in_every_batch(spark, bridge, watch, executors) -> None:
    watched, wait = watch(skewed(spark), "complied", "complete"), LocalityWait(bridge)
    chance = random.Random(1)  # noqa: S311  no secret
    try:
        for sample in watched.batches(1):
            wait.fit(busiest_stage_s(sample))
        watched.answers.clear()
        while sum(answer.judged for answer in watched.answers) < 30 * PARTITIONS:
            # All on one executor now and then: the other is idle, and would like to help.
            lazy = chance.choice([*executors, None])
            moves = {g: lazy or chance.choice(executors) for g in watched.groups()}
            watched.placement.move_now(moves)
            for sample in watched.batches(2):
                wait.fit(busiest_stage_s(sample))
    finally:
        wait.restore()
    judged = sum(answer.judged for answer in watched.answers)
    assert sum(answer.compliant for answer in watched.answers) >= 0.99 * judged
    watched.query.stop()
    exact_counts(spark, "complied")


def test_what_an_idle_executor_steals_is_reported_and_put_back(
    spark, bridge, watch, executors
) -> None:
    before = {level: bridge.locality_wait(level) for level in ("process", "node")}
    watched = watch(skewed(spark), "stolen", "complete")
    watched.placement.move_now(dict.fromkeys(watched.groups(), executors[0]))
    watched.batches(2)
    watched.answers.clear()
    try:
        for level in before:
            bridge.set_locality_wait(level, "0ms")
        watched.batches(4)
        stolen = [answer for answer in watched.answers if answer.resent]
        assert stolen, "nobody stole"
        # What was put back too late for a batch is not held against it.
        assert any(answer.compliant < answer.judged for answer in stolen)
    finally:
        for level, wait in before.items():
            bridge.set_locality_wait(level, wait)
    watched.batch_on(dict.fromkeys(watched.groups(), executors[0]))
    watched.batches(1)
    assert watched.answers[-1].compliance == 1.0
    assert watched.answers[-1].resent == ()


def test_deduplication_forgets_nothing_when_it_moves_every_batch(spark, watch, executors) -> None:
    twice = numbers(spark).withColumn("value", fn.floor(fn.col("value") / 2))
    watched = watch(twice.select("value").dropDuplicates(["value"]), "deduplicated")
    for round_ in range(4):
        targets = {g: executors[(g.partition + round_) % 2] for g in watched.groups()}
        watched.placement.move_now(targets)
        watched.batches(1)
    # An aggregate loads twice a batch and reports the second, so only others show their loads.
    loads = [
        progress["stateOperators"][0]["customMetrics"].get("rocksdbNumLoadedFromDfs")
        for progress in watched.query.recentProgress
        if progress["stateOperators"]
    ]
    # Spark 4.1 does not count them.
    if None not in loads:
        assert sum(loads) >= PARTITIONS, "no new owner loaded its state from the checkpoint"
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
