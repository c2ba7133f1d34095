"""A job whose hot keys change: the demonstration and the benchmark run it.

Every event costs a wait, as a call to a slow service would, so that a machine with two cores can
stand for four nodes. How many events a key group gets follows Zipf's law; which groups are hot
changes every so many batches.
"""

from dataclasses import dataclass

import numpy as np
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as fn

from albic.arrays import Ints
from albic.jobs.swinging import Swing
from albic.model import InvalidInput

#: Candidates for keys; each partition is met by about one in ``key_groups`` of them.
CANDIDATES_PER_GROUP = 64


@dataclass(frozen=True, slots=True)
class Drift:
    """How much work comes, how skewed it is, and when it changes.

    Parameters
    ----------
    key_groups
        State partitions; the session's ``spark.sql.shuffle.partitions`` has to say the same.
    events
        Events in a batch.
    wait_ms
        What one event costs.
    skew
        Exponent of Zipf's law; 0 makes all key groups equal.
    first_phase, phase
        Batches until the hot groups change for the first time, and from then on.
    keys
        Keys in a key group.
    note_bytes
        What each key keeps besides its counters: the size of the state.
    sources
        Partitions of the source.
    tiny_first
        Whether the first batch costs nothing.
    swing
        How the number of events goes up and down, if it does; ``events`` is the most.
    """

    key_groups: int = 24
    events: int = 1200
    wait_ms: int = 8
    skew: float = 0.7
    first_phase: int = 6
    phase: int = 12
    keys: int = 4
    note_bytes: int = 0
    sources: int = 4
    tiny_first: bool = False
    swing: Swing | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        if self.key_groups < 1 or self.events < self.key_groups:
            raise InvalidInput(
                f"{self.events} events for {self.key_groups} key groups; each needs at least one"
            )
        if min(self.first_phase, self.phase, self.keys, self.sources) < 1:
            raise InvalidInput("phases, keys and sources must be at least 1")

    def change_at(self, batch: int) -> bool:
        """Return whether other groups are hot in ``batch`` than in the one before it."""
        return batch >= self.first_phase and (batch - self.first_phase) % self.phase == 0

    def rows(self, batch: int) -> int:
        """Return how many events ``batch`` has."""
        every = (self.events,) if self.swing is None else self.swing.rows(self.events)
        return every[batch % len(every)]


def ranks(drift: Drift) -> Ints:
    """Return the rank of every event of a batch: rank 0 has the most events, each at least one."""
    weight = (1.0 + np.arange(drift.key_groups)) ** -drift.skew
    share = np.cumsum(weight / weight.sum())
    spare = drift.events - drift.key_groups
    drawn = np.searchsorted(share, (np.arange(spare) + 0.5) / max(spare, 1))
    every = np.concatenate([np.arange(drift.key_groups), np.minimum(drawn, drift.key_groups - 1)])
    # Mixed, so that each source partition has its part of every group.
    mixed: Ints = np.random.default_rng(drift.seed).permutation(every)
    return mixed


def hot_order(drift: Drift, phases: int) -> Ints:
    """Return, phase by phase, which key group has which rank."""
    draw = np.random.default_rng(drift.seed + 1)
    order: Ints = np.array([draw.permutation(drift.key_groups) for _ in range(phases)])
    return order


def drifting(spark: SparkSession, drift: Drift, phases: int = 8) -> DataFrame:
    """Return a stream of counts per key; after ``phases`` changes it begins again."""
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", drift.events)
    rows = (
        source.option("numPartitions", drift.sources).option("advanceMillisPerBatch", 1000).load()
    )
    batch = fn.floor(fn.col("value") / drift.events)
    phase = fn.greatest(fn.floor((batch - drift.first_phase) / drift.phase) + 1, fn.lit(0)) % phases
    place = fn.col("value") % drift.events
    if drift.swing is not None:
        # The events of a batch are mixed, so the first of them are a fair part of all.
        every = np.array(drift.swing.rows(drift.events))
        rows = rows.where(place < _nth(every, batch % every.size))
    rank = _nth(ranks(drift), place)
    group = _nth(hot_order(drift, phases).ravel(), phase * drift.key_groups + rank)
    # A key that few others have in common, so that keys of a group take turns.
    turn = fn.pmod(fn.hash("value"), fn.lit(drift.keys))
    key = _nth(labels(spark, drift).ravel(), group * drift.keys + turn)
    wait_ms = fn.lit(drift.wait_ms).cast("long")
    if drift.tiny_first:
        wait_ms = fn.when(batch == 0, fn.lit(0).cast("long")).otherwise(wait_ms)
    events = rows.select(key.alias("key"), "value", wait_ms.alias("wait_ms"))
    # By key first, so that the waiting is done by the task that keeps the key's state.
    placed = events.repartition(drift.key_groups, "key")
    waited = placed.withColumn("done", fn.expr("reflect('java.lang.Thread', 'sleep', wait_ms)"))
    kept = [
        fn.count(fn.lit(1)).alias("events"),
        # Reading the answer of each call keeps Spark from leaving the calls out.
        fn.count("done").alias("answers"),
        fn.max("value").alias("last"),
    ]
    if drift.note_bytes:
        kept.append(fn.max(_note(drift.note_bytes)).alias("note"))
    return waited.groupBy("key").agg(*kept)


def labels(spark: SparkSession, drift: Drift) -> Ints:
    """Return keys for every key group: Spark's own hash puts a row of them into one partition."""
    many = drift.key_groups * max(CANDIDATES_PER_GROUP, 8 * drift.keys)
    hashed = fn.pmod(fn.hash("id"), fn.lit(drift.key_groups))
    found: list[list[int]] = [[] for _ in range(drift.key_groups)]
    for row in spark.range(many, numPartitions=1).select("id", hashed.alias("group")).collect():
        found[row["group"]].append(row["id"])
    chosen: Ints = np.array([keys[: drift.keys] for keys in found])
    return chosen


def _note(size_bytes: int) -> Column:
    """Return a text of that size that cannot be pressed together much, and grows with time."""
    pieces = [
        fn.sha2(fn.concat("value", fn.lit(f"/{at}")), 512) for at in range(-(-size_bytes // 128))
    ]
    return fn.concat(fn.lpad(fn.col("value").cast("string"), 12, "0"), *pieces)


def _nth(values: Ints, position: Column) -> Column:
    """Return the value at a position, out of a constant list."""
    # As one text: a literal for each value would be thousands of calls into the JVM.
    listed = fn.split(fn.lit(",".join(str(value) for value in values)), ",").cast("array<long>")
    return fn.element_at(listed, (position + 1).cast("int"))
