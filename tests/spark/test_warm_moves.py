"""State that its new owner has loaded before it takes over: nothing is left to load."""

import time
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

import albic
from albic.spark import plan_delivery
from albic.spark.bridge import LEAVE, Bridge, Followers, Order
from albic.spark.copies import PATIENCE_S
from albic.spark.handover_calls import Calling
from albic.spark.operators import shape
from albic.spark.placement import KeyGroup, Placement
from albic.spark.prepared_moves import Preparing
from tests.spark.conftest import (
    KEYS,
    PARTITIONS,
    Watched,
    counts,
    exact_counts,
    numbers,
    ran_on,
)
from tests.spark.exactness import FILES, Stream, ends_of_copies, wait_until
from tests.spark.examples_over_files import CASES

CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
STATE = "org.apache.spark.sql.execution.streaming.state"
STORES = {
    "changelog": {CHANGELOG: "true"},
    "snapshots": {CHANGELOG: "false"},
    "in memory": {PROVIDER: f"{STATE}.HDFSBackedStateStoreProvider"},
}


def deduplicated(spark: SparkSession) -> DataFrame:
    return numbers(spark).withWatermark("timestamp", "5 seconds").dropDuplicates(["value"])


def sessions(spark: SparkSession) -> DataFrame:
    rows = numbers(spark).withWatermark("timestamp", "2 seconds")
    return rows.groupBy(fn.session_window("timestamp", "1 second"), "key").count()


def windows(spark: SparkSession) -> DataFrame:
    rows = numbers(spark).withWatermark("timestamp", "2 seconds")
    return rows.groupBy(fn.window("timestamp", "2 seconds"), "key").count()


def joined(spark: SparkSession) -> DataFrame:
    left = numbers(spark).withWatermark("timestamp", "2 seconds").alias("l")
    right = numbers(spark).withWatermark("timestamp", "2 seconds").alias("r")
    near = "r.timestamp BETWEEN l.timestamp AND l.timestamp + interval 1 seconds"
    return left.join(right, fn.expr(f"l.value = r.value AND {near}")).select("l.value")


def remembered(spark: SparkSession) -> DataFrame:
    """Return a Python operator with several column families, timers and state that expires."""

    class Remember(StatefulProcessor):
        def init(self, handle) -> None:
            self._handle = handle
            self._count = handle.getValueState("count", "count long")
            self._seen = handle.getMapState("seen", "value long", "at long", ttlDurationMs=600_000)
            self._last = handle.getListState("last", "value long")

        def handleInputRows(self, key, rows, timerValues):  # noqa: N802, N803  Spark's
            values = [int(value) for frame in rows for value in frame["value"]]
            old = self._count.get()[0] if self._count.exists() else 0
            self._count.update((old + len(values),))
            self._seen.updateValue((values[0] % 7,), (timerValues.getCurrentProcessingTimeInMs(),))
            self._last.put([(value,) for value in values[-3:]])
            if not old:
                self._handle.registerTimer(timerValues.getCurrentProcessingTimeInMs() + 600_000)
            yield pd.DataFrame({"key": [key[0]], "count": [old + len(values)]})

        def handleExpiredTimer(self, key, timerValues, expiredTimerInfo):  # noqa: N802, N803, ARG002
            yield pd.DataFrame({"key": [], "count": []})

        def close(self) -> None:
            """Nothing is open."""

    keyed = numbers(spark).groupBy("key")
    return keyed.transformWithStateInPandas(
        Remember(), "key long, count long", "Update", "ProcessingTime"
    )


KINDS: dict[str, tuple[Callable[[SparkSession], DataFrame], str]] = {
    "aggregate": (counts, "complete"),
    "window": (windows, "append"),
    "deduplicate": (deduplicated, "append"),
    "session window": (sessions, "append"),
    "join": (joined, "append"),
    "Python with timers": (remembered, "update"),
}


@pytest.fixture
def settings(spark: SparkSession) -> Iterator[Callable[[dict[str, str]], None]]:
    """Return a way to set what queries begin with; it is as before afterwards."""
    before: dict[str, str | None] = {}

    def put(wanted: dict[str, str]) -> None:
        for name, value in wanted.items():
            before.setdefault(name, spark.conf.get(name, None))
            spark.conf.set(name, value)

    yield put
    for name, value in before.items():
        spark.conf.unset(name) if value is None else spark.conf.set(name, value)


def preparing_of(running: Watched, spark: SparkSession) -> Preparing:
    return Preparing(
        running.bridge, Followers(spark), running.query, running.shape, running.placement
    )


def handed_over(running: Watched, preparing: Preparing) -> None:
    """Wait for batches until all that is prepared has been handed over.

    New owners of one plan are called at once, but each answers when it is ready.
    """
    ends_s = time.monotonic() + PATIENCE_S
    while running.placement.held():
        assert time.monotonic() < ends_s, "nothing was ready"
        running.batches(1)
        preparing.hand_over(running.executors.live())
        assert (dropped := preparing.dropped()) == (), dropped


def moved(running: Watched, spark: SparkSession) -> dict[KeyGroup, str]:
    """Move the first two key groups to the other executor, prepared; return where they are."""
    running.batches(2)
    live, owners = running.executors.live(), running.placement.owners()
    moves = {
        group: next(each for each in live if each.id != owners[group].id)
        for group in running.groups()[:2]
    }
    preparing = preparing_of(running, spark)
    version = running.bridge.last_batch(running.query) + 1
    assert preparing.begin(moves, version, together=True) == {}
    handed_over(running, preparing)
    running.batch_on(moves)
    assert all((preparing.took_s(group) or 0) > 0 for group in moves)
    return {group: target.id for group, target in moves.items()}


def ends(running: Watched, spark: SparkSession) -> set[str]:
    """Return how the copies of a query ended, once all of them have."""
    run_id = str(running.query.runId)
    return ends_of_copies(Followers(spark), running.executors.live(), run_id)


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_task_of_the_new_owner_finds_what_it_needs(kind, spark, watch) -> None:
    frame, mode = KINDS[kind]
    running = watch(frame(spark), f"warm_{kind.replace(' ', '_')}", mode, pause_s=0.5)
    wanted = moved(running, spark)
    assert wanted.items() <= ran_on(running.batches(1)[-1]).items(), "they stay there"
    assert ends(running, spark) == {"used"}


@pytest.mark.parametrize("store", STORES)
def test_results_are_exact_over_prepared_moves_with_every_store(store, spark, watch, settings):
    settings(STORES[store])
    table = f"warm_{store.replace(' ', '_')}"
    running = watch(counts(spark), table, "complete", pause_s=0.3)
    for _ in range(3):
        moved(running, spark)
    running.query.stop()
    exact_counts(spark, table)


def test_a_copy_that_comes_too_late_is_thrown_away(spark, watch) -> None:
    running = watch(counts(spark), "warm_late", "complete", pause_s=0.3)
    running.batches(2)
    group = running.groups()[0]
    live, owner = running.executors.live(), running.placement.owners()[group]
    target = next(each for each in live if each.id != owner.id)
    running.placement.move_now({group: target})
    running.batch_on({group: target})
    (store,) = running.shape.stores(*group)
    recipe = Followers(spark).recipes(running.query)[store.operator_id, store.name]
    calling = Calling(running.bridge, running.shape)
    version, bell = running.bridge.last_batch(running.query) + 1, calling.bell(target)
    order = Order(store, recipe, version, 60.0, bell=bell)
    Followers(spark).give({(target.host, target.id): [order]}, "test")
    calling.call({group: target})
    assert ends(running, spark) == {
        "failed java.lang.IllegalStateException: a task was there before"
    }
    running.batches(1)
    running.query.stop()
    exact_counts(spark, "warm_late")


def test_the_owner_stays_the_owner_until_the_hand_over(spark, watch) -> None:
    running = watch(counts(spark), "warm_owner", "complete", pause_s=0.3)
    running.batches(2)
    before = running.placement.read_back()
    group = running.groups()[0]
    live, owner = running.executors.live(), running.placement.owners()[group]
    target = next(each for each in live if each.id != owner.id)
    preparing = preparing_of(running, spark)
    preparing.begin({group: target}, running.bridge.last_batch(running.query) + 1, together=False)
    seen = [ran_on(sample)[group] for sample in running.batches(4)]
    assert set(seen) == {owner.id}
    assert running.placement.read_back() == before
    handed_over(running, preparing)
    assert running.placement.read_back()[group] == target.id


def test_a_copy_that_is_left_ends_and_one_that_cannot_be_made_is_given_up(spark, watch) -> None:
    running = watch(counts(spark), "warm_left", "complete", pause_s=0.3)
    running.batches(2)
    followers, group = Followers(spark), running.groups()[0]
    (store,) = running.shape.stores(*group)
    recipe = followers.recipes(running.query)[store.operator_id, store.name]
    owner = running.placement.owners()[group]
    target = next(each for each in running.executors.live() if each.id != owner.id)
    place, version = (target.host, target.id), running.bridge.last_batch(running.query) + 1
    bell = Calling(running.bridge, running.shape).bell(target)

    def asked(*orders: Order) -> tuple[str, str]:
        """Give orders, and return how the copy of this query is doing."""
        said = followers.give({place: orders}, "test")
        (mine,) = [copy for copy in said if copy.run_id == str(running.query.runId)]
        return mine.state, mine.why

    def until(state: str, order: Order) -> str:
        """Give an order, wait for what comes of it, and return why."""
        now, ends_s = asked(order), time.monotonic() + 30
        while now[0] != state:
            assert time.monotonic() < ends_s, now
            time.sleep(0.2)
            now = asked()
        return now[1]

    assert until("following", Order(store, recipe, version, 60.0, bell=bell)) == ""
    assert until("left", Order(store, task=LEAVE)) == ""
    assert until("failed", Order(store, recipe, version + 1000, 60.0, bell=bell))
    assert running.query.isActive


def test_state_that_cannot_be_copied_is_moved_without_preparation(spark, watch, settings) -> None:
    settings({"spark.sql.streaming.stateStore.checkpointFormatVersion": "2"})
    running = watch(counts(spark), "warm_ids", "complete", pause_s=0.3)
    group = running.groups()[0]
    target = running.executors.live()[0]
    preparing = preparing_of(running, spark)
    assert preparing.begin({group: target}, 1, together=False) == {group: target}
    assert running.placement.held() == {}


@pytest.mark.timeout(300)
def test_the_controller_prepares_large_state_and_says_so(spark, bridge, tmp_path, monkeypatch):
    monkeypatch.setattr(plan_delivery, "PREPARED_BYTES", 1)
    cost = f"CASE WHEN key < {KEYS // 4} THEN 120L ELSE 5L END"
    slept = fn.expr(f"reflect('java.lang.Thread', 'sleep', {cost})")
    slow = counts(spark).withColumn("slept", slept)
    writer = slow.writeStream.format("memory").queryName("warm_attached").outputMode("complete")
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).start()
    try:
        for _ in range(2):
            # A batch that is under way takes state along, so it is said twice.
            _all_on_one(bridge, query)
            after = bridge.last_batch(query) + 2
            wait_until(lambda upto=after: bridge.last_batch(query) >= upto, "no batches came")
        controller = albic.attach(query, period="2 batches", journal=tmp_path / "journal.jsonl")
        ends_s = time.monotonic() + 120
        while not (told := [m for r in controller.journal.records() for m in r.measured_moves]):
            assert time.monotonic() < ends_s, controller.journal.records()[-1].reason
            assert query.isActive, query.exception()
            time.sleep(0.2)
        controller.stop()
    finally:
        query.stop()
    assert any(move.prepared_s is not None for move in told), told
    exact_counts(spark, "warm_attached")


def _all_on_one(bridge: Bridge, query) -> None:
    """Name one executor as the owner of all state, so that there is something to win."""
    plan = bridge.plan(query)
    while plan is None:
        time.sleep(0.05)
        plan = bridge.plan(query)
    found = shape(plan, "warm_attached", str(query.runId))
    host = next(e for e in bridge.executors() if e["id"] != "driver")
    for partition in range(found.stages[0].partitions):
        stores = found.stores(0, partition)
        bridge.point(stores, host["hostPort"].rpartition(":")[0], host["id"])


@pytest.mark.timeout(300)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_row_is_there_once_over_prepared_moves_at_random(
    case, spark, bridge, executors, tmp_path
) -> None:
    rng, moved_in_all = np.random.default_rng(7), 0
    stream = Stream(spark, case, tmp_path, seed=7)
    stream.release(1)
    query = stream.start()
    try:
        query.processAllAvailable()
        found = shape(bridge.plan(query), case.name, str(query.runId))
        placement = Placement(bridge, found)
        preparing = Preparing(bridge, Followers(spark), query, found, placement)
        for upto in range(2, FILES + 1):
            at = placement.read_back()
            elsewhere = {
                group: next(each for each in executors if each.id != owner)
                for group, owner in at.items()
                if rng.random() < 0.6
            }
            version = bridge.last_batch(query) + 1
            assert preparing.begin(elsewhere, version, together=False) == {}
            while placement.held():
                wait_until(lambda: preparing.hand_over(executors), "no copy was ready")
            moved_in_all += len(elsewhere)
            stream.release(upto)
            query.processAllAvailable()
            now = placement.read_back()
            assert all(now[group] == target.id for group, target in elsewhere.items())
    finally:
        query.stop()
    assert moved_in_all >= 2 * PARTITIONS
    assert stream.found() == stream.expected()


@pytest.mark.timeout(300)
def test_a_target_that_dies_in_the_midst_of_it_ends_the_preparation_and_nothing_else(
    spark, watch, cluster
) -> None:
    host = cluster.add_node()
    cluster.wait_for_executors(len(cluster.hosts))
    running = watch(counts(spark), "warm_dead", "complete", pause_s=0.3)
    running.batches(2)
    running.executors.look()
    target = next(each for each in running.executors.live() if each.host == host)
    group = next(g for g, owner in running.placement.owners().items() if owner.id != target.id)
    preparing = preparing_of(running, spark)
    preparing.begin({group: target}, running.bridge.last_batch(running.query) + 1, together=False)
    cluster.remove_node(host)
    wait_until(lambda: target.id not in running.bridge.executor_ids(), "Spark did not notice")
    running.executors.look()
    assert not preparing.hand_over(running.executors.live())
    assert not running.placement.waiting()
    running.batches(2)
    running.query.stop()
    exact_counts(spark, "warm_dead")
