"""Join shown ads with their clicks; a node that joins later gets its share of the state.

Run it with ``.venv/bin/python examples/ad_clicks.py``; it takes half a minute.
"""

import logging
from tempfile import TemporaryDirectory

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn

import albic

CLICKED = "clicked_ad = ad AND clicked_at BETWEEN shown_at AND shown_at + INTERVAL 5 SECONDS"


def outcomes(shown: DataFrame, clicks: DataFrame) -> DataFrame:
    """Return each shown ad with its clicks of the next 5 s, or null once none can come any more."""
    on_time = clicks.withWatermark("clicked_at", "2 seconds")
    joined = shown.withWatermark("shown_at", "2 seconds").join(on_time, fn.expr(CLICKED), "left")
    return joined.select("ad", "campaign", "shown_at", "clicked_at")


def live(spark: SparkSession) -> tuple[DataFrame, DataFrame]:
    """Return 200 ads a second of five campaigns, and clicks on some of them a second later."""
    ticks = spark.readStream.format("rate").option("rowsPerSecond", 200).load()
    clicks = ticks.where("hash(value) % 5 = value % 5")
    later = "timestamp + INTERVAL 1 SECOND AS clicked_at"
    shown = ticks.selectExpr("value AS ad", "value % 5 AS campaign", "timestamp AS shown_at")
    return shown, clicks.selectExpr("value AS clicked_ad", later)


def main() -> None:
    """Run until state has moved to the newcomer, at most two minutes."""
    logging.basicConfig(level="INFO", format="%(message)s")
    settings = {"spark.sql.shuffle.partitions": "8"}
    with TemporaryDirectory() as folder, albic.local_cluster(2, settings=settings) as cluster:
        writer = outcomes(*live(cluster.spark)).writeStream.format("memory").queryName("outcomes")
        query = writer.option("checkpointLocation", folder).start()
        controller = albic.attach(query, period="3s")  # the one added line
        cluster.add_node()  # plain Spark would never give it any of the state that is there
        for _ in range(24):
            query.awaitTermination(5)
            moves = [m for record in controller.journal.records() for m in record.migrations]
            if "2" in {move.target for move in moves}:  # the third executor
                break
        query.stop()
        campaigns = (
            cluster.spark.table("outcomes")
            .groupBy("campaign")
            .agg(fn.count("ad").alias("shown"), fn.count("clicked_at").alias("clicked"))
        )
        campaigns.orderBy("campaign").show()
        print("moved:", ", ".join(f"{m.partition} to {m.target}" for m in moves) or "nothing")


if __name__ == "__main__":
    main()
