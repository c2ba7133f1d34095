"""What a network costs: the two operators of Job 2 as a network, chained, by hand, and fused.

Run it with ``python -m bench.networks``. Every batch has the same number of flights. The operators
are the same functions in all of them: extract the delays, and sum them by airplane and year.
"""

import statistics
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.streaming.query import StreamingQuery
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle
from rich.console import Console

from albic.nodes.isolation import Isolation
from albic.spark.session import local_cluster
from albic.streams import Network, Operator, Source
from albic.streams.hashing import labels
from bench.goals import Goal, Result, Row, timed
from bench.node_options import add_isolation, isolation
from bench.report import show

NODES = 2
AIRPLANES = 4_000
DELAYS = "airplane string, year int, delay double"
#: The first batches start workers and fill caches.
WARM_BATCHES = 2
PATIENCE_S = 120.0
LEAST_OF_HAND = 0.9


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    rows: int
    key_groups: int
    batches: int
    rounds: int


def flights(spark: SparkSession, rows: int) -> DataFrame:
    """Return a stream of flights, ``rows`` a batch, with as many columns as Job 2 reads."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", rows)
    frame = source.option("numPartitions", 2).option("advanceMillisPerBatch", 3_600_000).load()
    number = fn.col("value")
    return frame.select(
        fn.concat(fn.lit("N"), (number * 7919 % AIRPLANES).cast("string")).alias("airplane"),
        fn.col("timestamp").alias("at"),
        (number % 97 - 20).cast("double").alias("departure_delay"),
        (number % 89 - 30).cast("double").alias("arrival_delay"),
        fn.concat(fn.lit("A"), (number % 300).cast("string")).alias("origin"),
        fn.concat(fn.lit("A"), (number % 299).cast("string")).alias("destination"),
    )


def extracted(flown: pd.DataFrame) -> pd.DataFrame:
    """Return airplane, year and delay of each flight that was late."""
    late = flown[flown["arrival_delay"] > 0]
    year = late["at"].dt.year.astype("int32")
    return pd.DataFrame(
        {"airplane": late["airplane"], "year": year, "delay": late["arrival_delay"]}
    )


def summed(before: pd.DataFrame | None, delays: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return all sums so far, and those that changed."""
    new = delays.groupby(["airplane", "year"])["delay"].sum()
    total = new if before is None else before["delay"].add(new, fill_value=0.0)
    return total.to_frame(), total.loc[new.index].reset_index().astype({"year": "int32"})


def network(spark: SparkSession, size: Size, folder: str, chain: str = "never") -> StreamingQuery:
    """Return the two operators as a network."""

    def sums(state: Any, rows: Any) -> pd.DataFrame:  # noqa: ANN401  travels to a worker
        state["sums"], changed = summed(state.get("sums"), rows.frame())
        return changed

    groups = size.key_groups
    made = Network(
        "network",
        [Source("flights", flights(spark, size.rows))],
        [
            Operator(
                "delays",
                "flights",
                "airplane",
                groups,
                DELAYS,
                lambda _, rows: extracted(rows.frame()),
                keeps_key=True,
            ),
            Operator("sums", "delays", "airplane", groups, DELAYS, sums),
        ],
    )
    return made.start(folder, chain=chain).query


class Extract(StatefulProcessor):
    """The first operator by hand."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Have no state."""

    def handleInputRows(  # noqa: N802  Spark's name
        self,
        key: Any,  # noqa: ANN401, ARG002  Spark's
        rows: Iterator[pd.DataFrame],
        timerValues: Any,  # noqa: ANN401, ARG002, N803  Spark's
    ) -> Iterator[pd.DataFrame]:
        """Yield the delays."""
        yield extracted(pd.concat(rows))

    def close(self) -> None:
        """Have nothing to close."""


class Sums(StatefulProcessor):
    """The second operator by hand, or both in one if it is ``fused``."""

    def __init__(self, *, fused: bool) -> None:
        self._fused = fused

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state."""
        self._stored = handle.getValueState("sums", "content binary")

    def handleInputRows(  # noqa: N802  Spark's name
        self,
        key: Any,  # noqa: ANN401, ARG002  Spark's
        rows: Iterator[pd.DataFrame],
        timerValues: Any,  # noqa: ANN401, ARG002, N803  Spark's
    ) -> Iterator[pd.DataFrame]:
        """Yield the sums that changed."""
        content, given = self._stored.get(), pd.concat(rows)
        before = None if content is None else pa.ipc.open_stream(content[0]).read_pandas()
        after, changed = summed(before, extracted(given) if self._fused else given)
        sink = pa.BufferOutputStream()
        table = pa.Table.from_pandas(after)
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        self._stored.update((sink.getvalue().to_pybytes(),))
        yield changed

    def close(self) -> None:
        """Have nothing to close."""


def grouped(frame: DataFrame, processor: StatefulProcessor, groups: int) -> DataFrame:
    """Return one stage by hand, with one key group a partition as in a network."""
    group = fn.pmod(fn.xxhash64("airplane"), fn.lit(groups)).cast("int") + 1
    chosen = fn.array(*(fn.lit(label) for label in labels(groups)))
    return (
        frame.withColumn("label", fn.element_at(chosen, group))
        .groupBy("label")
        .transformWithStateInPandas(processor, DELAYS, "Append", "None")
    )


def by_hand(spark: SparkSession, size: Size, folder: str) -> StreamingQuery:
    """Return the two operators chained by hand."""
    first = grouped(flights(spark, size.rows), Extract(), size.key_groups)
    return _started(grouped(first, Sums(fused=False), size.key_groups), size, folder)


def fused(spark: SparkSession, size: Size, folder: str) -> StreamingQuery:
    """Return both operators as one, without an exchange between."""
    frame = grouped(flights(spark, size.rows), Sums(fused=True), size.key_groups)
    return _started(frame, size, folder)


def _started(frame: DataFrame, size: Size, folder: str) -> StreamingQuery:
    spark = frame.sparkSession
    spark.conf.set("spark.sql.shuffle.partitions", str(size.key_groups))
    writer = frame.writeStream.format("noop").outputMode("append")
    return writer.option("checkpointLocation", folder).start()


VARIANTS: dict[str, Callable[[SparkSession, Size, str], StreamingQuery]] = {
    "network": network,
    "chained": partial(network, chain="auto"),
    "by hand": by_hand,
    "fused": fused,
}


def batch_s(query: StreamingQuery, size: Size) -> list[float]:
    """Return how long each batch took once it was warm, and stop the query."""
    wanted, ends_s = WARM_BATCHES + size.batches, time.monotonic() + PATIENCE_S
    try:
        while True:
            full = [p for p in query.recentProgress if p["numInputRows"] == size.rows]
            if len(full) >= wanted:
                return [
                    p["durationMs"]["triggerExecution"] / 1e3 for p in full[WARM_BATCHES:wanted]
                ]
            if not query.isActive or time.monotonic() > ends_s:
                raise RuntimeError(f"{len(full)} of {wanted} batches came: {query.exception()}")
            time.sleep(0.1)
    finally:
        query.stop()


def streams(size: Size, nodes: Isolation) -> Result:
    """Return the rows per second of each variant, and what the network reaches of the others.

    Variants take turns, so that a busy spell of the machine hits all of them. The median counts.
    """
    took: dict[str, list[float]] = {name: [] for name in VARIANTS}
    with local_cluster(NODES, **nodes.arguments) as cluster:
        for _ in range(size.rounds):
            for name, start in VARIANTS.items():
                with tempfile.TemporaryDirectory(
                    dir=cluster.storage, ignore_cleanup_errors=True
                ) as folder:
                    took[name] += batch_s(start(cluster.spark, size, folder), size)
    rate = {name: size.rows / statistics.median(seconds) for name, seconds in took.items()}
    rows: tuple[Row, ...] = tuple(
        {
            "variant": name,
            "batch_s": statistics.median(took[name]),
            "rows_per_s": rate[name],
            "of_hand": rate[name] / rate["by hand"],
            "of_fused": rate[name] / rate["fused"],
        }
        for name in VARIANTS
    )
    goal = Goal(
        "rows/s of a network over those by hand",
        LEAST_OF_HAND,
        rate["network"] / rate["by hand"],
        least=True,
        note=f"{rate['network'] / rate['fused']:.2f} of fused",
    )
    return Result((goal,), rows, rows)


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and return 1 if a goal is missed."""
    parser = ArgumentParser(prog="python -m bench.networks", description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000, help="flights a batch")
    parser.add_argument("--key-groups", type=int, default=4, help="of each operator")
    parser.add_argument("--batches", type=int, default=5, help="measured in each round")
    parser.add_argument("--rounds", type=int, default=2, help="how often each variant has a turn")
    add_isolation(parser)
    options = parser.parse_args(arguments)
    size = Size(options.rows, options.key_groups, options.batches, options.rounds)
    nodes = isolation(parser, options, NODES)
    result = timed(lambda: streams(size, nodes))
    show(Console(), "streams", result)
    return 0 if all(goal.holds for goal in result.goals) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
