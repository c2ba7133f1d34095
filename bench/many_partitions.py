"""What the controller costs beside a query with 1,000 state partitions.

A running count on two executors, a third joins, and albic plans and moves as it does anywhere:
reading batches, planning and pointing together are held against the time of the batches. Prints
what was read, planned and moved; ends with 1 if that is more than 1 % of the batches.

    python -m bench.many_partitions
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.streaming.query import StreamingQuery

import albic
from albic.advice.surroundings import HDFS_BACKED, PROVIDER
from albic.control import Controller
from albic.control.journal import Status
from albic.spark.attaching import bridge_of_process
from albic.wiring import LocalCluster

PARTITIONS, NODES, ROWS = 1_000, 2, 20_000
#: A tenth of all key groups may move in a period.
MAX_MIGRATIONS = PARTITIONS // 10
GOAL_PCT = 1.0


def started(spark: SparkSession, checkpoint: Path) -> StreamingQuery:
    """Return a running count by key."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", ROWS)
    rows = source.option("numPartitions", NODES).option("advanceMillisPerBatch", 1000).load()
    counted = rows.groupBy((fn.col("value") % ROWS).alias("key")).count()
    writer = counted.writeStream.outputMode("update").format("noop")
    return writer.option("checkpointLocation", str(checkpoint)).start()


def ended(query: StreamingQuery) -> Iterator[tuple[int, float]]:
    """Yield each batch as it ends, and how long it took."""
    bridge, last = bridge_of_process(), -1
    while query.isActive:
        told = bridge.last_ended(query)
        if told is not None and told.batch_id > last and told.batch_s is not None:
            last = told.batch_id
            yield told.batch_id, told.batch_s
        time.sleep(0.1)
    raise RuntimeError(f"the query ended: {query.exception()}")


def measure(cluster: LocalCluster, folder: Path, batches: int) -> tuple[Controller, list[float]]:
    """Return the controller of a run, and how long the batches beside it took."""
    query = started(cluster.spark, folder / "checkpoint")
    took_s: list[float] = []
    controller: Controller | None = None
    try:
        for batch, batch_s in ended(query):
            print(f"batch {batch}: {batch_s:.1f} s", flush=True)
            if controller is None:
                controller = albic.attach(query, max_migrations=MAX_MIGRATIONS)
                cluster.add_node()
                continue
            took_s.append(batch_s)
            if len(took_s) == batches:
                controller.stop()
                return controller, took_s
    finally:
        query.stop()
    raise RuntimeError("the query ended early")


def main() -> int:
    """Print what the controller did and what that cost."""
    options = argparse.ArgumentParser(prog="python -m bench.many_partitions", description=__doc__)
    options.add_argument("--batches", type=int, default=8, help="batches beside the controller")
    settings = {"spark.sql.shuffle.partitions": str(PARTITIONS), PROVIDER: HDFS_BACKED}
    with (
        tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
        albic.local_cluster(nodes=NODES, settings=settings) as cluster,
    ):
        controller, took_s = measure(cluster, Path(folder), options.parse_args().batches)
        records = controller.journal.records()
    moves = sum(len(each.moves) for each in records if each.status is Status.APPLIED)
    rounds_s = sum(each.wall_s for each in records)
    share_pct = 100 * controller.worked_s / sum(took_s)
    print(f"{len(took_s)} batches of {PARTITIONS:,} key groups, {sum(took_s):.1f} s in all")
    print(f"{len(records)} rounds took {rounds_s:.2f} s, {moves} key groups were told to move")
    for each in records:
        print(f"  {each.trigger}, {each.status}, {each.wall_s:.2f} s: {each.reason}")
    print(f"the controller worked {controller.worked_s:.2f} s: {share_pct:.2f} %, goal 1 %")
    return int(share_pct > GOAL_PCT)


if __name__ == "__main__":
    sys.exit(main())
