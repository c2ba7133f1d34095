"""A job whose hot keys change: the demonstration and the benchmarks run it.

An event costs a wait, as a call to a slow service would, so that a machine with two cores can stand
for four nodes; or work of the processor, where nodes have a processor of their own. How many events
a key group gets follows Zipf's law; which groups are hot changes every so many batches.
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
#: The most events whose key groups are drawn one by one; further ones begin again from the first.
MOST_DRAWN = 2_000


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
        How long one event waits.
    work
        What one event costs the processor: so many rounds of hashing.
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
    free
        The first so many batches cost nothing.
    filled
        Whether the first batch writes every key, so that the state has its size from then on.
    swing
        How the number of events goes up and down, if it does; ``events`` is the most.
    """

    key_groups: int = 24
    events: int = 1200
    wait_ms: int = 8
    work: int = 0
    skew: float = 0.7
    first_phase: int = 6
    phase: int = 12
    keys: int = 4
    note_bytes: int = 0
    sources: int = 4
    free: int = 0
    filled: bool = False
    swing: Swing | None = None
    seed: int = 1

    def __post_init__(self) -> None:
        if self.key_groups < 1 or self.events < self.key_groups:
            raise InvalidInput(
                f"{self.events} events for {self.key_groups} key groups; each needs at least one"
            )
        if min(self.first_phase, self.phase, self.keys, self.sources) < 1:
            raise InvalidInput("phases, keys and sources must be at least 1")
        if min(self.wait_ms, self.work, self.free) < 0:
            raise InvalidInput("wait_ms, work and free must be 0 or more")
        if self.filled and self.keys * self.key_groups < self.events:
            raise InvalidInput(
                f"{self.events} events fill {self.keys * self.key_groups} keys; there must be as "
                f"many keys, or not filled"
            )

    def change_at(self, batch: int) -> bool:
        """Return whether other groups are hot in ``batch`` than in the one before it."""
        return batch >= self.first_phase and (batch - self.first_phase) % self.phase == 0

    def rows(self, batch: int) -> int:
        """Return how many events ``batch`` has."""
        every = (self.events,) if self.swing is None else self.swing.rows(self.events)
        return every[batch % len(every)]


def ranks(drift: Drift) -> Ints:
    """Return the rank of every event of a batch: rank 0 has the most events, each at least one.

    Where there are very many events, it is the first ranks of a row that repeats.
    """
    events = max(min(drift.events, MOST_DRAWN), drift.key_groups)
    weight = (1.0 + np.arange(drift.key_groups)) ** -drift.skew
    share = np.cumsum(weight / weight.sum())
    spare = events - drift.key_groups
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


def arriving(spark: SparkSession, drift: Drift, phases: int = 8) -> DataFrame:
    """Return the events: ``key``, ``value``, and whether one is ``free`` of cost.

    After ``phases`` changes of the hot groups it begins again.
    """
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
    drawn = ranks(drift)
    rank = _nth(drawn, place % drawn.size)
    group = _nth(hot_order(drift, phases).ravel(), phase * drift.key_groups + rank)
    # A key that few others have in common, so that keys of a group take turns.
    turn = fn.pmod(fn.hash("value"), fn.lit(drift.keys))
    key = group * drift.keys + turn
    if drift.filled:
        last, step = fn.lit(drift.key_groups * drift.keys - 1), fn.lit(drift.events)
        key = fn.explode(
            fn.when(batch == 0, fn.sequence(place, last, step)).otherwise(fn.array(key))
        )
    free = batch < drift.free
    listed = rows.select(key.alias("key"), "value", free.alias("free"))
    return listed.withColumn("key", _nth(labels(spark, drift).ravel(), fn.col("key")))


def drifting(spark: SparkSession, drift: Drift, phases: int = 8) -> DataFrame:
    """Return a stream of counts per key; after ``phases`` changes it begins again."""
    # By key first, so that the cost is paid by the task that keeps the key's state.
    placed = arriving(spark, drift, phases).repartition(drift.key_groups, "key")
    done = placed.withColumn("waited", _waited(drift)).withColumn("worked", _worked(drift))
    kept = [
        fn.count(fn.lit(1)).alias("events"),
        # Reading the answer of each call keeps Spark from leaving the calls out.
        fn.count("waited").alias("waits"),
        fn.max(fn.length("worked")).alias("works"),
        fn.max("value").alias("last"),
    ]
    if drift.note_bytes:
        kept.append(fn.max(_note(drift.note_bytes)).alias("note"))
    return done.groupBy("key").agg(*kept)


def _waited(drift: Drift) -> Column:
    """Return the answer of a call that waits."""
    if not drift.wait_ms:
        return fn.lit(None).cast("string")
    asked = fn.when(fn.col("free"), fn.lit(0)).otherwise(fn.lit(drift.wait_ms)).cast("long")
    return fn.call_function("reflect", fn.lit("java.lang.Thread"), fn.lit("sleep"), asked)


def _worked(drift: Drift) -> Column:
    """Return what so many rounds of hashing make of an event."""
    if not drift.work:
        return fn.lit(None).cast("string")
    hashed = fn.aggregate(
        fn.sequence(fn.lit(1), fn.lit(drift.work)),
        fn.col("value").cast("string"),
        lambda text, _: fn.sha2(text, 256),
    )
    return fn.when(fn.col("free"), fn.lit(None)).otherwise(hashed)


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
