"""What it costs the driver to read the statistics of a batch with 120 key groups.

Batches are read while the next one runs, as a controller does, and the first half of them is left
alone, so that a delay would show. Prints one line for each; ends with 1 if a goal is missed.

    python -m bench.reading
"""

import argparse
import copy
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.batch import BatchSample
from albic.spark.bridge import Bridge
from albic.spark.operators import shape
from albic.spark.session import local_cluster
from albic.spark.statistics import StatisticsReader

#: Two stages of 60 with a shuffle between them: more to read than one stage of 120.
PARTITIONS, KEY_GROUPS = 60, 120
GOAL_S = 0.1
READS_A_BATCH = 10
WARM_UP = 2


def wait_for_batch(bridge: Bridge, query: StreamingQuery) -> int:
    """Wait until another batch has ended and return its number."""
    before = bridge.last_batch(query)
    while bridge.last_batch(query) <= before:
        if not query.isActive:
            raise RuntimeError(f"the query ended: {query.exception()}")
        time.sleep(0.02)
    return bridge.last_batch(query)


def stream(spark: SparkSession) -> DataFrame:
    """Return two aggregates in a row over a steady source."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 5000)
    source = source.option("numPartitions", 2).option("advanceMillisPerBatch", 1000).load()
    keyed = source.withColumn("key", fn.col("value") % 1000).withWatermark("timestamp", "1 second")
    first = keyed.groupBy(fn.window("timestamp", "1 second"), "key").agg(fn.count("*").alias("n"))
    return first.groupBy(fn.window("window", "2 seconds"), "key").agg(fn.sum("n").alias("n"))


def measure(batches: int) -> tuple[list[float], list[BatchSample], list[BatchSample]]:
    """Return how long reads took, and the batches without and with reads beside them."""
    settings = {"spark.sql.shuffle.partitions": str(PARTITIONS)}
    took_s: list[float] = []
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        local_cluster(nodes=2, settings=settings) as own,
    ):
        bridge = Bridge(own.spark)
        writer = stream(own.spark).writeStream.format("noop")
        query = writer.option("checkpointLocation", str(Path(folder) / "checkpoint")).start()
        while bridge.last_batch(query) < WARM_UP:
            wait_for_batch(bridge, query)
        plan = bridge.plan(query)
        if plan is None:
            raise RuntimeError("there is no plan after a batch")
        reader = StatisticsReader(bridge, shape(plan, "", str(query.runId)))
        reader.read(bridge.last_batch(query))
        for _ in range(batches):
            last = wait_for_batch(bridge, query)
        quiet, busy = reader.read(last), []
        for _ in range(batches):
            last = wait_for_batch(bridge, query)
            for _ in range(READS_A_BATCH):
                # A twin, for a reader reads each batch once.
                twin = copy.copy(reader)
                began_s = time.perf_counter()
                twin.read(last)
                took_s.append(time.perf_counter() - began_s)
            busy += reader.read(last)
        query.stop()
    for sample in (*quiet, *busy):
        if sample.coverage < 1 or sum(len(s.tasks) for s in sample.stages) != KEY_GROUPS:
            raise RuntimeError(f"batch {sample.batch_id} was not read whole")
    return took_s, quiet, busy


def main() -> int:
    """Print the medians and whether the goals were met."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--batches", type=int, default=4, help="batches of each kind")
    took_s, quiet, busy = measure(options.parse_args().batches)
    median_s, late_s = np.percentile(took_s, [50, 95])
    print(f"{len(took_s)} reads of batches with {KEY_GROUPS} key groups")
    print(f"a read: median {1e3 * median_s:.1f} ms, p95 {1e3 * late_s:.1f} ms, goal below 100 ms")
    alone_s, beside_s = (np.median([b.ended_s - b.started_s for b in s]) for s in (quiet, busy))
    print(f"a batch: median {alone_s:.2f} s; beside {READS_A_BATCH} reads {beside_s:.2f} s")
    return int(late_s >= GOAL_S)


if __name__ == "__main__":
    sys.exit(main())
