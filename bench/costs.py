"""The constants of the simulator's cost model, measured on Spark on this machine.

``python -m bench.costs [process] [shuffle] [pause] [start]``; without a word, all of them. Beside
each stands what the figures of the real jobs take for it.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator

import numpy as np
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

from albic.model import (
    Allocation,
    Budget,
    NotReady,
    Outcome,
    PlanRequest,
    SearchReport,
    Snapshot,
    plan_for,
)
from albic.sim import SPARK_COSTS
from albic.spark.attaching import bridge_of_process, runtime_of
from albic.spark.runtime import SparkRuntime
from albic.spark.session import LocalCluster, local_cluster

#: Each is timed so often, and the shortest counts: the rest is the machine's own business.
TIMES = 3
NODES, KEYS = 2, 1_000
PAYLOAD_BYTES = 500
#: Rounds of moving everything, and the rows of state that each batch adds.
ROUNDS, ROWS_PER_BATCH = 4, 20_000
PATIENCE_S = 120.0

Found = Iterator[tuple[str, float, str]]


def shortest_s(work: Callable[[], object]) -> float:
    """Return the shortest of a few runs, after one that makes the cluster warm."""
    work()
    took_s = []
    for _ in range(TIMES):
        began_s = time.perf_counter()
        work()
        took_s.append(time.perf_counter() - began_s)
    return min(took_s)


def ignored(frame: DataFrame) -> None:
    """Compute ``frame`` and throw it away."""
    frame.write.format("noop").mode("overwrite").save()


def process(cluster: LocalCluster) -> Found:
    """Yield the time of a row in an aggregation: what more rows take longer."""

    def counting(rows: int) -> Callable[[], object]:
        keys = cluster.spark.range(rows, numPartitions=1).groupBy(fn.col("id") % KEYS)
        return lambda: ignored(keys.agg(fn.count("*"), fn.sum("id")))

    few, many = 2_000_000, 12_000_000
    yield (
        "process_s_per_tuple",
        (shortest_s(counting(many)) - shortest_s(counting(few))) / (many - few),
        "an aggregation by 1,000 keys",
    )


def shuffle(cluster: LocalCluster) -> Found:
    """Yield the time of a byte through a shuffle: rows that are repartitioned against none."""
    rows = 200_000
    frame = cluster.spark.range(rows, numPartitions=NODES)
    # Random text, or compression would make it a few bytes.
    random = fn.concat(*[fn.hex(fn.xxhash64("id", fn.lit(part))) for part in range(32)])
    frame = frame.withColumn("payload", fn.substring(random, 1, PAYLOAD_BYTES)).cache()
    frame.count()
    through = shortest_s(lambda: ignored(frame.repartition(NODES, "id")))
    beside = shortest_s(lambda: ignored(frame))
    frame.unpersist()
    per_byte_s = NODES * (through - beside) / (rows * PAYLOAD_BYTES)
    for name in ("serialise_s_per_byte", "deserialise_s_per_byte"):
        yield name, per_byte_s / 2, "half of a shuffle of rows of 500 bytes"


def pause(cluster: LocalCluster) -> Found:
    """Yield α: how much longer a batch takes in which all state moves, for the bytes of a node."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        query = growing(cluster.spark, folder)
        try:
            runtime = runtime_of(bridge_of_process(), [query], {}, per_batch=10_000, steers=True)
            per_byte_s = [alpha_of(runtime) for _ in range(ROUNDS)]
            runtime.close()
        finally:
            query.stop()
    yield "pause_s_per_byte", float(np.median(per_byte_s[1:])), "all state moves between two nodes"


def growing(spark: SparkSession, folder: str):  # noqa: ANN201  Spark's own
    """Return a running query whose state gets larger with every batch."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", ROWS_PER_BATCH)
    frame = source.load().withColumn("text", fn.repeat(fn.hex(fn.xxhash64("value")), 8))
    writer = frame.dropDuplicates(["value", "text"]).writeStream.format("noop")
    return writer.option("checkpointLocation", folder).start()


def alpha_of(runtime: SparkRuntime) -> float:
    """Return the delay of moving all key groups, a byte."""
    quiet_s = batch_s(runtime, 4)
    snapshot = measured(runtime)
    nodes = len(snapshot.cluster.nodes)
    request = PlanRequest(snapshot, Budget(np.inf))
    turned = Allocation((snapshot.allocation.owner + 1) % nodes)
    report = SearchReport("bench", Outcome.HEURISTIC, "everything moves")
    runtime.apply(plan_for(request, turned, report), snapshot)
    # The batch under way has its owners already.
    busy_s = max(batch_s(runtime, 1) for _ in range(2))
    return max(busy_s - quiet_s, 0.0) / (snapshot.state_bytes.sum() / nodes)


def measured(runtime: SparkRuntime) -> Snapshot:
    """Return the first snapshot that is ready."""
    ends_s = time.monotonic() + PATIENCE_S
    while True:
        try:
            return runtime.snapshot()
        except NotReady:
            if time.monotonic() > ends_s:
                raise
            batch_s(runtime, 1)


def batch_s(runtime: SparkRuntime, count: int) -> float:
    """Wait for batches and return how long one took."""
    runtime.effect()
    ends_s, seen = time.monotonic() + PATIENCE_S, 0
    while seen < count and time.monotonic() < ends_s:
        seen += runtime.observe().batches
        time.sleep(0.02)
    took_s = runtime.effect().batch_s
    if took_s is None:
        raise TimeoutError(f"no batch ended within {PATIENCE_S:g} s")
    return took_s


def start(cluster: LocalCluster) -> Found:
    """Yield how long it takes from asking for a node until it is there."""
    began_s = time.perf_counter()
    cluster.add_node()
    cluster.wait_for_executors(len(cluster.hosts))
    yield "start_up_s", time.perf_counter() - began_s, "one more executor of the embedded cluster"


MEASURES = {"process": process, "shuffle": shuffle, "pause": pause, "start": start}


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m bench.costs", description=__doc__)
    parser.add_argument("measure", nargs="*", help=", ".join(MEASURES))
    asked = parser.parse_args().measure
    if unknown := set(asked) - set(MEASURES):
        parser.error(f"{', '.join(sorted(unknown))}: there is only {', '.join(MEASURES)}")
    with local_cluster(nodes=NODES, settings={"spark.sql.shuffle.partitions": "8"}) as cluster:
        for name in asked or list(MEASURES):
            for constant, value, how in MEASURES[name](cluster):
                taken = getattr(SPARK_COSTS, constant)
                print(f"{constant:24} {value:10.3g} (figures: {taken:g})   {how}", flush=True)


if __name__ == "__main__":
    main()
