"""Advice on real jobs: hot keys, few partitions and speculation; none of them in a good job."""

from collections.abc import Iterator

import pytest
from pyspark.sql import functions as fn

import albic
from albic.advice import Finding
from albic.advice.surroundings import SPECULATION
from albic.control import Controller
from tests.spark.conftest import PARTITIONS, counts, numbers
from tests.spark.test_attach import wait_until


@pytest.fixture
def speculative(spark) -> Iterator[None]:
    """Let the application say that it speculates; tasks are placed as ever.

    The scheduler reads the setting once, when it starts.
    """
    conf = spark.sparkContext._jsc.sc().conf()
    conf.set(SPECULATION, "true")
    yield
    conf.set(SPECULATION, "false")


def working(frame, cost_ms):
    """Return counts whose tasks take so long for each key."""
    spent = fn.expr("reflect('java.lang.Thread', 'sleep', cost_ms) AS slept")
    return frame.withColumn("cost_ms", cost_ms.cast("long")).select("key", "count", spent)


def told(watched, **more) -> list[Finding]:
    """Return the advice once two rounds have measured the query."""
    with albic.attach(watched.query, period="2 batches", dry_run=True, **more) as controller:
        wait_until(lambda: measured(controller) >= 2, "nothing was measured")
        return list(controller.advice())


def measured(controller: Controller) -> int:
    return sum(record.snapshot is not None for record in controller.journal.records())


def rules(findings: list[Finding]) -> set[str]:
    return {finding.rule for finding in findings}


def test_a_hot_key_is_found_where_it_is(spark, watch) -> None:
    hot = fn.when(fn.col("key") == 7, 900).otherwise(5)
    watched = watch(working(counts(spark), hot), "hot", "complete")
    (finding,) = [f for f in told(watched) if f.rule == "oversized key group"]
    heaviest = spark.range(1).select(
        fn.expr(f"pmod(hash(CAST(7 AS bigint)), {PARTITIONS})").alias("at")
    )
    assert finding.key_group == heaviest.first()["at"]
    assert finding.cost > 0.1
    assert "salt" in finding.remedy


def test_three_partitions_are_too_few_for_two_executors(spark, watch) -> None:
    before = spark.conf.get("spark.sql.shuffle.partitions")
    spark.conf.set("spark.sql.shuffle.partitions", "3")
    try:
        # As many keys in each partition, and each takes as long.
        by_partition = numbers(spark).withColumn("key", fn.col("value") % 300)
        even = by_partition.groupBy("key").count()
        watched = watch(working(even, fn.lit(4)), "few", "complete")
    finally:
        spark.conf.set("spark.sql.shuffle.partitions", before)
    found = told(watched)
    (finding,) = [f for f in found if f.rule == "too few key groups"]
    assert finding.setting == "spark.sql.shuffle.partitions"
    assert "oversized key group" not in rules(found)


@pytest.mark.usefixtures("speculative")
def test_speculation_is_told(spark, watch) -> None:
    watched = watch(counts(spark), "speculating", "complete")
    (finding,) = [f for f in told(watched) if f.rule == "speculation"]
    assert finding.setting == SPECULATION


def test_an_even_job_hears_of_none_of_these(spark, watch) -> None:
    even = numbers(spark).withColumn("key", fn.col("value") % 300).groupBy("key").count()
    watched = watch(working(even, fn.lit(4)), "even", "complete")
    found = rules(told(watched))
    assert not found & {"oversized key group", "too few key groups", "speculation"}
    assert watched.query.isActive
