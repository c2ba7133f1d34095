"""Executors are known, and newcomers get warm."""

import os
from pathlib import Path

import pandas as pd
import pytest
from pyspark.sql import functions as fn
from pyspark.sql.streaming.stateful_processor import StatefulProcessor

from albic.model import InvalidInput
from albic.spark.executors import Executors, warm_up
from tests.spark.conftest import numbers


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


def worker_processes(bridge, executors, folder) -> set[int]:
    """Return the ids of the Python workers on ``executors``; they leave files of that name."""
    notes = str(folder)

    def note(frames):
        Path(notes, f"{os.getpid()}.pid").touch()
        yield from frames

    bridge.run_located([(e.host, e.id) for e in executors], note, "who is there")
    return {int(path.stem) for path in folder.glob("*.pid")}


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
    spark, bridge, watch, executors, tmp_path
) -> None:
    assert warm_up(bridge, executors).keys() == {executor.id for executor in executors}
    warm = worker_processes(bridge, executors, tmp_path)
    keyed, columns = numbers(spark).groupBy("key"), "key long, count long, pid long"
    totals = keyed.transformWithStateInPandas(running_total(), columns, "Update", "none")
    watched = watch(totals, "python", "update")
    assert [stage.name for stage in watched.shape.stages] == ["transformWithState 0"]
    for target in (executors[0], executors[1]):
        wanted = dict.fromkeys(watched.groups(), target)
        watched.placement.move_now(wanted)
        watched.batch_on(wanted)
    watched.query.stop()
    table = spark.table("python")
    assert {row["pid"] for row in table.select("pid").distinct().collect()} == warm
    last = table.groupBy("key").agg(fn.max("count").alias("count"), fn.count("*").alias("batches"))
    # A key gets the same number of rows in each batch, and one line a batch tells its sum so far.
    assert {row["count"] / row["batches"] for row in last.collect()} == {20.0}


def test_a_node_that_is_not_there_cannot_be_removed(cluster) -> None:
    with pytest.raises(InvalidInput, match=r"127\.0\.0\.99"):
        cluster.remove_node("127.0.0.99")
