"""One cluster for the whole folder, and streams that are easy to check."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.streaming.query import StreamingQuery

from albic.control import acting
from albic.spark.batch import BatchSample
from albic.spark.bridge import Bridge
from albic.spark.executors import Executor, Executors
from albic.spark.operators import QueryShape, shape
from albic.spark.placement import KeyGroup, Placement, Reconciliation
from albic.spark.session import LocalCluster, local_cluster
from albic.spark.statistics import StatisticsReader

PARTITIONS = 4
ROWS = 400
KEYS = 20
PATIENCE_S = 120.0


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    marks = (
        pytest.mark.spark,
        # The first test also starts the cluster.
        pytest.mark.timeout(180),
        pytest.mark.skipif(sys.platform != "linux", reason="only Linux has 127.0.0.10 by itself"),
    )
    for item in items:
        if here in item.path.parents:
            for mark in marks:
                # A module that needs longer says so itself.
                if mark.name != "timeout" or item.get_closest_marker("timeout") is None:
                    item.add_marker(mark)
            if (told := item.get_closest_marker("contract")) is not None:
                # What the table of versions calls it.
                spec = getattr(item, "callspec", None)
                kind = "" if spec is None else f": {spec.id}"
                item.user_properties.append(("contract", f"{told.args[0]}{kind}"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[LocalCluster]:
    settings = {
        "spark.sql.shuffle.partitions": str(PARTITIONS),
        "spark.sql.streaming.stateStore.minDeltasForSnapshot": "3",
        "spark.sql.streaming.stateStore.maintenanceInterval": "2s",
    }
    with local_cluster(nodes=2, settings=settings) as running:
        yield running


@pytest.fixture(scope="session")
def spark(cluster: LocalCluster) -> SparkSession:
    return cluster.spark


@pytest.fixture(scope="session")
def bridge(spark: SparkSession) -> Bridge:
    return Bridge(spark)


@pytest.fixture(autouse=True)
def _settled(request: pytest.FixtureRequest) -> None:
    """Wait until every node has its executor: the test before may have added or removed some."""
    if "cluster" not in request.fixturenames:
        return
    there, running = request.getfixturevalue("bridge"), request.getfixturevalue("cluster")
    ends_s = time.monotonic() + PATIENCE_S
    while len(there.executor_ids()) != len(running.hosts):
        assert time.monotonic() < ends_s, "the executors do not fit the nodes"
        time.sleep(0.1)


@pytest.fixture(autouse=True)
def _no_rule_broken(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Hold every test to the rules that hold whatever happens."""
    yield
    broken = [record for record in caplog.get_records("call") if record.name == acting.__name__]
    assert not [record.getMessage() for record in broken]


@pytest.fixture
def executors(bridge: Bridge) -> tuple[Executor, ...]:
    known = Executors(bridge)
    known.look()
    return known.live()


@dataclass
class Watched:
    """A running query with everything that albic has for it."""

    query: StreamingQuery
    bridge: Bridge
    shape: QueryShape
    reader: StatisticsReader
    placement: Placement
    executors: Executors
    checkpoint: Path
    answers: list[Reconciliation] = field(default_factory=list)

    def batches(self, count: int = 1) -> list[BatchSample]:
        """Wait for the next ``count`` batches, reconciling after each as the control loop does."""
        found: list[BatchSample] = []
        ends_s = time.monotonic() + PATIENCE_S
        while len(found) < count:
            assert self.query.isActive, self.query.exception()
            assert time.monotonic() < ends_s, f"{len(found)} of {count} batches came"
            for sample in self.reader.read(self.bridge.last_batch(self.query)):
                self.executors.look()
                answer = self.placement.after_batch(sample, self.executors.live())
                self.answers.append(answer)
                found.append(sample)
            time.sleep(0.02)
        return found

    def batch_on(self, wanted: Mapping[KeyGroup, Executor], most: int = 8) -> BatchSample:
        """Return the first batch whose tasks all ran where wanted.

        One or two may have been under way when we pointed, and quick ones more.
        """
        expected = {group: executor.id for group, executor in wanted.items()}
        for _ in range(most):
            (sample,) = self.batches(1)[-1:]
            found = ran_on(sample)
            if all(found.get(group) == owner for group, owner in expected.items()):
                return sample
        raise AssertionError(f"the last of {most} batches ran on {found}, wanted was {expected}")

    def groups(self) -> list[KeyGroup]:
        return [
            KeyGroup(stage, partition)
            for stage, info in enumerate(self.shape.stages)
            for partition in range(info.partitions)
        ]


def ran_on(sample: BatchSample) -> dict[KeyGroup, str]:
    return {
        KeyGroup(stage.stage, task.partition): task.executor_id
        for stage in sample.stages
        for task in stage.tasks
    }


@pytest.fixture
def watch(bridge: Bridge, tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    """Return a function that starts a stream into a memory table and watches it."""
    queries: list[StreamingQuery] = []

    def start(frame: DataFrame, table: str, mode: str = "append", pause_s: float = 0) -> Watched:
        writer = frame.writeStream.format("memory").queryName(table).outputMode(mode)
        writer = writer.option("checkpointLocation", str(tmp_path / table))
        query = writer.trigger(processingTime=f"{round(pause_s * 1e3)} milliseconds").start()
        queries.append(query)
        ends_s = time.monotonic() + PATIENCE_S
        while bridge.last_batch(query) < 0:
            assert query.isActive, query.exception()
            assert time.monotonic() < ends_s, "no batch came"
            time.sleep(0.02)
        plan = bridge.plan(query)
        assert plan is not None
        found = shape(plan, table, str(query.runId))
        executors = Executors(bridge)
        executors.look()
        reader, placement = StatisticsReader(bridge, found), Placement(bridge, found)
        return Watched(query, bridge, found, reader, placement, executors, tmp_path / table)

    yield start
    for query in queries:
        query.stop()


def numbers(spark: SparkSession, rows: int = ROWS) -> DataFrame:
    """Return a stream of (value, key, timestamp) with ``rows`` new numbers a batch, a second on."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows)
    frame = source.option("numPartitions", 2).option("advanceMillisPerBatch", 1000).load()
    return frame.withColumn("key", fn.col("value") % KEYS)


def counts(spark: SparkSession) -> DataFrame:
    return numbers(spark).groupBy("key").count()


def skewed(spark: SparkSession) -> DataFrame:
    """Return counts whose tasks take long for a few of the keys."""
    cost_ms = fn.when(fn.col("key") < 5, 60).otherwise(10).cast("long")
    spent = fn.expr("reflect('java.lang.Thread', 'sleep', cost_ms) AS slept")
    return counts(spark).withColumn("cost_ms", cost_ms).select("key", "count", spent)


def exact_counts(spark: SparkSession, table: str) -> None:
    found = {row["key"]: row["count"] for row in spark.table(table).collect()}
    each = set(found.values())
    assert len(found) == KEYS
    assert len(each) == 1, "some key lost or doubled rows"
    assert each.pop() % (ROWS // KEYS) == 0
