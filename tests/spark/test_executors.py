"""Executors are known, newcomers get warm, and losing one costs no row and no long wait."""

import os
import threading
import time

import pandas as pd
import pytest
from pyspark.sql import functions as fn
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from albic.model import InvalidInput
from albic.spark.executors import Executors, warm_up
from albic.spark.placement import LocalityWait
from tests.spark.conftest import PARTITIONS, numbers, ran_on
from tests.spark.test_placement import exact_counts


def running_total() -> StatefulProcessor:
    """Return a counter of a key's rows; a local class travels to the workers by value."""

    class Total(StatefulProcessor):
        def init(self, handle):
            self._count = handle.getValueState("count", "count long")

        def handleInputRows(self, key, rows, timerValues):  # noqa: N802, N803, ARG002  Spark's
            new = sum(len(frame) for frame in rows)
            old = self._count.get()[0] if self._count.exists() else 0
            self._count.update((old + new,))
            yield pd.DataFrame({"key": [key[0]], "count": [old + new], "pid": [os.getpid()]})

        def close(self):
            pass

    return Total()


def test_the_nodes_of_the_cluster_are_different_hosts_for_spark(cluster, executors) -> None:
    assert sorted(executor.host for executor in executors) == sorted(cluster.hosts)
    assert {executor.slots for executor in executors} == {1}
    assert len({executor.id for executor in executors}) == len(cluster.hosts) == 2


def test_a_second_look_brings_no_news(bridge) -> None:
    known = Executors(bridge)
    assert len(known.look().joined) == 2
    news = known.look()
    assert (news.joined, news.lost) == ((), ())


def test_python_operators_use_the_worker_that_the_warm_up_started(
    spark, bridge, watch, executors
) -> None:
    assert warm_up(bridge, executors).keys() == {executor.id for executor in executors}
    again = warm_up(bridge, executors)
    assert max(again.values()) < 5.0
    totals = (
        numbers(spark)
        .groupBy("key")
        .transformWithStateInPandas(
            running_total(), "key long, count long, pid long", "Update", "none"
        )
    )
    watched = watch(totals, "python", "update")
    assert [stage.name for stage in watched.shape.stages] == ["transformWithState 0"]
    for target in (executors[0], executors[1]):
        watched.placement.move_now(dict.fromkeys(watched.groups(), target))
        watched.batches(1)
        assert set(ran_on(watched.batches(1)[0]).values()) == {target.id}
    watched.query.stop()
    table = spark.table("python")
    assert table.select("pid").distinct().count() == len(executors)
    last = table.groupBy("key").agg(fn.max("count").alias("count"), fn.count("*").alias("batches"))
    # A key gets the same number of rows in each batch, and one line a batch tells its sum so far.
    assert {row["count"] / row["batches"] for row in last.collect()} == {20.0}


def test_a_lost_node_is_seen_at_once_and_the_batch_in_flight_goes_on(
    spark, bridge, cluster, watch
) -> None:
    cluster.add_node()
    cluster.wait_for_executors(3)
    watched = watch(
        numbers(spark).select("key", fn.expr("CAST(key AS STRING) AS text")).groupBy("key").count(),
        "lossy",
        "complete",
    )
    wait = LocalityWait(bridge)
    wait.fit(100.0)
    try:
        watched.batches(1)
        *stay, victim = watched.executors.live()
        watched.placement.move_now(dict.fromkeys(watched.groups(), victim))
        watched.batches(2)
        killer = threading.Thread(target=cluster.remove_node, args=(victim.host,))
        lost_s = time.monotonic()
        killer.start()
        while victim.id not in watched.executors.look().lost:
            assert time.monotonic() - lost_s < 10, "the loss was not seen"
            time.sleep(0.02)
        stranded = watched.placement.stranded(watched.executors.live())
        assert len(stranded) == PARTITIONS
        watched.placement.move_now({group: stay[i % len(stay)] for i, group in enumerate(stranded)})
        watched.placement.unblock()
        killer.join()
        batches = watched.batches(3)
        assert batches[0].ended_s - batches[0].started_s < 20, "the batch waited for the dead"
        assert victim.id not in ran_on(batches[-1]).values()
        assert set(ran_on(batches[-1])) == set(watched.groups())
    finally:
        wait.restore()
    watched.query.stop()
    exact_counts(spark, "lossy")


def test_a_node_that_is_not_there_cannot_be_removed(cluster) -> None:
    with pytest.raises(InvalidInput, match=r"127\.0\.0\.99"):
        cluster.remove_node("127.0.0.99")
