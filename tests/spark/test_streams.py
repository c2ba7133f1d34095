"""A network on a real cluster: what it works out stays exact while its state moves and restarts.

The network runs once, in the fixture ``story``: some batches with every key group moving from
executor to executor, a stop, a restart from the checkpoint, some more batches. The tests ask what
came out of it.
"""

import re
import time
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pytest
from pyspark.sql import functions as fn

from albic.spark.executors import Executors
from albic.spark.operators import shape
from albic.spark.placement import KeyGroup, Placement
from albic.spark.statistics import StatisticsReader
from albic.streams import Network, Operator, Sink, Source
from albic.streams.hashing import labels, partition_of
from tests.spark.conftest import KEYS, PATIENCE_S, ROWS, numbers

ROUNDS = 4
#: The first test starts the cluster and runs the whole story, Python workers included.
pytestmark = pytest.mark.timeout(480)


def network(spark, keep) -> Network:
    """Return a diamond with a window: two ways from the source meet again.

    The windows share a key with what feeds them, and run in its tasks.
    """

    def passed(state, rows):  # noqa: ARG001
        return rows.table().select(["key", "value", "timestamp"])

    def summed(state, rows):
        seen = rows.frame().groupby("key")["value"].sum()
        if "sums" in state:
            seen = state["sums"]["value"].add(seen, fill_value=0).astype("int64")
        state["sums"] = seen.to_frame("value")
        return seen.reset_index()

    def joined(state, rows):
        counts = rows.frame("passed").groupby("key").size()
        if "counts" in state:
            counts = state["counts"]["n"].add(counts, fill_value=0).astype("int64")
        state["counts"] = counts.to_frame("n")
        return rows.frame("summed").assign(n=lambda f: f["key"].map(counts))

    def seconds(state, rows):
        frame = rows.frame()
        second = frame["timestamp"].dt.floor("s").rename("second")
        seen = frame.groupby(["key", second])["value"].sum().reset_index()
        if "open" in state:
            seen = pd.concat([state["open"], seen]).groupby(["key", "second"], as_index=False).sum()
        over = seen["second"] + pd.Timedelta(seconds=1) <= rows.watermark
        state["open"] = seen[~over].reset_index(drop=True)
        return seen[over]

    source = numbers(spark).withColumn("key", fn.concat(fn.lit("k"), fn.col("key").cast("string")))
    columns = "key string, value bigint"
    return Network(
        "diamond",
        [Source("numbers", source, event_time="timestamp")],
        [
            Operator(
                "passed",
                "numbers",
                "key",
                2,
                f"{columns}, timestamp timestamp",
                passed,
                event_time="timestamp",
                keeps_key=True,
            ),
            Operator("summed", "numbers", "key", 3, columns, summed),
            Operator("joined", ["passed", "summed"], "key", 3, f"{columns}, n bigint", joined),
            Operator(
                "seconds",
                "passed",
                "key",
                2,
                f"{columns}, second timestamp",
                seconds,
                windowed=True,
            ),
        ],
        [Sink("joined", keep("joined")), Sink("seconds", keep("seconds"))],
    )


@dataclass
class Story:
    """What came out of the network."""

    kept: dict = field(default_factory=dict)
    batches: list = field(default_factory=list)
    totals: dict = field(default_factory=dict)
    samples: list = field(default_factory=list)
    moves: int = 0
    chains: tuple = ()

    def keep(self, operator):
        def write(frame, batch_id) -> None:
            # A repeated batch has the same number and overwrites what it wrote.
            self.kept[operator, batch_id] = frame.toPandas()

        return write

    def output(self, operator) -> pd.DataFrame:
        """Return what an operator put out in the batches that came to their end."""
        ended = sorted({batch.batch_id for batch in self.batches})
        return pd.concat([self.kept[operator, batch_id] for batch_id in ended])

    def rows(self) -> pd.DataFrame:
        """Return all that the source sent."""
        value = np.arange(self.totals["passed"].rows_in)
        second = pd.to_datetime(value // ROWS, unit="s")
        return pd.DataFrame({"key": [f"k{v % KEYS}" for v in value], "value": value, "s": second})


def run(story, running, bridge, rounds) -> None:
    """Let ``rounds`` batches pass, and move every key group after each of them."""
    try:
        wait_for(running, 1)
        found = shape(bridge.plan(running.query), "diamond", str(running.query.runId))
        executors = Executors(bridge)
        executors.look()
        live = executors.live()
        placement, reader = Placement(bridge, found), StatisticsReader(bridge, found)
        for round_ in range(rounds):
            placement.move_now(
                {
                    KeyGroup(stage, partition): live[(partition + stage + round_) % len(live)]
                    for stage, info in enumerate(found.stages)
                    for partition in range(info.partitions)
                }
            )
            wait_for(running, len(running.batches()) + 1)
            story.samples += reader.read(bridge.last_batch(running.query))
    finally:
        running.stop()
    for sample in story.samples:
        story.moves += sum(task.loaded for stage in sample.stages for task in stage.tasks)
    story.batches += running.batches()
    story.chains = running.layout.chains
    names = running.layout.operators
    story.totals = {name: running.totals(name) for name in names}


def wait_for(running, batches) -> None:
    ends_s = time.monotonic() + PATIENCE_S
    while len(running.batches()) < batches:
        assert running.query.isActive, running.query.exception()
        assert time.monotonic() < ends_s, f"{len(running.batches())} of {batches} batches came"
        time.sleep(0.02)


@pytest.fixture(scope="module")
def story(spark, bridge, tmp_path_factory) -> Story:
    told, checkpoint = Story(), tmp_path_factory.mktemp("network")
    made = network(spark, told.keep)
    run(told, made.start(checkpoint), bridge, ROUNDS)
    assert told.batches[0].batch_id == 0
    run(told, made.start(checkpoint), bridge, 1)
    return told


def test_fan_out_and_fan_in_equal_a_batch_computation(story) -> None:
    rows = story.rows().groupby("key")["value"]
    found = story.output("joined").groupby("key").last()
    assert len(found) == KEYS
    assert found["value"].to_dict() == rows.sum().to_dict()
    assert found["n"].to_dict() == rows.size().to_dict()


def test_windows_come_out_once_and_whole(story) -> None:
    rows = story.rows()
    # The watermark stands at the last row, so the last second is still open.
    over = rows[rows["s"] < rows["s"].max()]
    expected = over.groupby(["key", "s"])["value"].sum()
    found = story.output("seconds")
    assert len(found) == len(expected)
    assert not found.duplicated(["key", "second"]).any()
    assert sorted(found["value"]) == sorted(expected)
    assert story.totals["seconds"].late_rows == 0


def test_no_operator_runs_twice(story) -> None:
    rows = story.totals["passed"].rows_in
    assert rows > 0
    assert rows % ROWS == 0
    for operator in ("summed", "seconds"):
        assert story.totals[operator].rows_in == rows
    assert story.totals["joined"].rows_in == rows + story.totals["summed"].rows_out
    for batch in story.batches:
        called = [(group.operator, group.key_group) for group in batch.groups]
        assert len(set(called)) == len(called) == 10


def test_state_moved_and_was_found_again_after_the_restart(story) -> None:
    assert story.moves > 10, "no key group ran elsewhere than in the batch before"
    ids = [batch.batch_id for batch in story.batches]
    assert sorted(set(ids)) == list(range(max(ids) + 1))


def test_counters_show_the_work_of_python(story) -> None:
    for batch in story.batches:
        assert all(group.python_s > 0 for group in batch.groups)
        taken = sum(group.rows_in for group in batch.groups if group.operator == "passed")
        assert taken % ROWS == 0


def test_windows_ran_in_the_tasks_of_what_feeds_them(story) -> None:
    assert story.chains == ((0, 3), (1,), (2,))
    by_operator = {name: set() for name in ("passed", "seconds")}
    for batch in story.batches:
        for group in batch.groups:
            if group.operator in by_operator:
                by_operator[group.operator].add(group.key_group)
                assert group.python_s > 0
    assert by_operator["passed"] == by_operator["seconds"] == {0, 1}


def test_every_batch_can_be_read_though_sinks_read_it_again(story) -> None:
    assert len(story.samples) >= ROUNDS
    for sample in story.samples:
        assert sample.coverage == 1.0
        assert len(sample.stages) == 2


def test_labels_lead_where_spark_sends_them(spark) -> None:
    for partitions in (1, 7, 60):
        frame = spark.createDataFrame([(label,) for label in labels(partitions)], "label int")
        sent = frame.selectExpr(f"pmod(hash(label), {partitions}) AS p").collect()
        assert [row["p"] for row in sent] == list(range(partitions))
    sent = spark.range(100).selectExpr("pmod(hash(int(id)), 13) AS p").collect()
    assert [row["p"] for row in sent] == partition_of(np.arange(100), 13).tolist()


def error_of(running) -> str:
    """Return what ended a query."""
    ends_s = time.monotonic() + PATIENCE_S
    while running.query.isActive and time.monotonic() < ends_s:
        time.sleep(0.05)
    return str(running.query.exception())


def test_an_error_names_operator_and_key_group(spark, tmp_path) -> None:
    def fail(state, rows):  # noqa: ARG001
        raise KeyError("tail number")

    failing = Operator("failing", "numbers", (), 1, "value bigint", fail)
    running = Network("fails", [Source("numbers", numbers(spark))], [failing]).start(tmp_path)
    assert "operator 'failing', key group 0: KeyError: 'tail number'" in error_of(running)


def test_a_wrong_declaration_ends_the_query_with_the_row_that_breaks_it(spark, tmp_path) -> None:
    def shifted(state, rows):  # noqa: ARG001
        frame = rows.frame()
        return frame.assign(key=frame["key"] + 1)[["key", "value"]]

    columns = "key bigint, value bigint"
    lies = Operator("lies", "numbers", "key", 2, columns, shifted, keeps_key=True)
    after = Operator("after", "lies", "key", 2, columns, shifted)
    running = Network("lies", [Source("numbers", numbers(spark))], [lies, after]).start(tmp_path)
    said = r"operator 'lies', key group [01] declares keeps_key, but put out a row with the key "
    assert re.search(said + r"key=\d+, which belongs to key group [01];", error_of(running))
