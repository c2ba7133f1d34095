"""A program with a cluster of its own: executors with two slots, and one large key group."""

import json
import sys
import time

from pyspark.sql import functions as fn

from albic.control.estimator import estimate
from albic.model import metrics
from albic.spark.bridge import Bridge
from albic.spark.executors import Executors
from albic.spark.observing import observation
from albic.spark.session import local_cluster
from albic.spark.watch import QueryWatch
from tests.spark.conftest import PARTITIONS, PATIENCE_S, counts

BATCHES = 4


def main(checkpoint: str) -> None:
    """Print what was measured of a few batches, and what is predicted from it."""
    settings = {"spark.sql.shuffle.partitions": str(PARTITIONS)}
    with local_cluster(nodes=2, slots=2, settings=settings) as cluster:
        hot = fn.expr(f"pmod(hash(key), {PARTITIONS}) = 0")
        slow = counts(cluster.spark).withColumn("cost_ms", fn.when(hot, 90).otherwise(5))
        slept = fn.expr("reflect('java.lang.Thread', 'sleep', cast(cost_ms as long)) AS slept")
        writer = slow.select("key", "count", slept).writeStream.format("noop")
        writer = writer.option("checkpointLocation", checkpoint).outputMode("complete")
        query = writer.start()
        bridge, executors = Bridge(cluster.spark), Executors(Bridge(cluster.spark))
        ends_s = time.monotonic() + PATIENCE_S
        while bridge.last_batch(query) < 0 and time.monotonic() < ends_s:
            time.sleep(0.05)
        watch = QueryWatch(bridge, query, steers=False)
        executors.look()
        # The first batch is the one that everything is loaded in.
        while len(watch.period) < BATCHES + 1 and time.monotonic() < ends_s:
            watch.take_in(executors.live())
            time.sleep(0.05)
        watch.period = watch.period[1:]
        snapshot = estimate(observation([watch], executors.live(), 0, None))
        query.stop()
    # A batch that was read stands for those after it that were not.
    batches = sum(1 + batch.unread for batch in watch.period)
    per_point_s = (snapshot.period.end_s - snapshot.period.start_s) / 100 / batches
    stages = [batch.stages[0] for batch in watch.period]
    told = {
        "slots": [node.slots for node in snapshot.cluster.nodes],
        "predicted_s": per_point_s * metrics.makespan(snapshot, snapshot.allocation),
        "work_s": per_point_s * metrics.stage_loads(snapshot, snapshot.allocation).max(),
        "largest_s": max_mean([[task.run_s for task in stage.tasks] for stage in stages]),
        "stage_s": sum(stage.ended_s - stage.submitted_s for stage in stages) / len(stages),
    }
    sys.stdout.write(json.dumps(told))


def max_mean(run_s: list[list[float]]) -> float:
    """Return the mean time of the key group that takes longest."""
    return max(sum(mine) / len(mine) for mine in zip(*run_s, strict=True))


if __name__ == "__main__":
    main(sys.argv[1])
