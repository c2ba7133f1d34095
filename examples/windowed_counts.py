"""Count page views in windows of time; a node that joins later gets its share of the state.

Run it with ``.venv/bin/python examples/windowed_counts.py``; it takes half a minute.
"""

import logging
from tempfile import TemporaryDirectory

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

import albic


def counts(views: DataFrame) -> DataFrame:
    """Return how often each page was viewed in every five seconds; views may be 2 s late."""
    window = fn.window("time", "5 seconds").alias("window")
    return views.withWatermark("time", "2 seconds").groupBy(window, "page").count()


def live(spark: SparkSession) -> DataFrame:
    """Return 500 views a second of 40 pages, some of them far more popular than others."""
    ticks = spark.readStream.format("rate").option("rowsPerSecond", 500).load()
    page = fn.floor(40 * fn.pow(fn.rand(seed=1), 3)).alias("page")
    return ticks.select(fn.col("timestamp").alias("time"), page)


def main() -> None:
    """Run until state has moved to the newcomer, at most two minutes."""
    logging.basicConfig(level="INFO", format="%(message)s")
    settings = {"spark.sql.shuffle.partitions": "8"}
    with TemporaryDirectory() as folder, albic.local_cluster(2, settings=settings) as cluster:
        writer = counts(live(cluster.spark)).writeStream.format("memory").queryName("counts")
        query = writer.option("checkpointLocation", folder).start()
        controller = albic.attach(query, period="3s")  # the one added line
        cluster.add_node()  # plain Spark would never give it any of the state that is there
        for _ in range(24):
            query.awaitTermination(5)
            moves = [m for record in controller.journal.records() for m in record.migrations]
            if "2" in {move.target for move in moves}:  # the third executor
                break
        query.stop()
        latest = cluster.spark.table("counts").orderBy(fn.desc("window"), fn.desc("count"))
        latest.show(6, truncate=False)
        print("moved:", ", ".join(f"{m.partition} to {m.target}" for m in moves) or "nothing")


if __name__ == "__main__":
    main()
