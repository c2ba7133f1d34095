"""Carry the state of one network's checkpoint over into the checkpoint of another.

The new checkpoint is made in a folder beside its place and moved there when it is complete. The old
one is only read.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
from pyspark.sql import DataFrame, SparkSession

from albic.model import InvalidInput
from albic.streams.beside import beside, sweep_beside
from albic.streams.checkpoint import Checkpoint, folder_of, read_checkpoint
from albic.streams.first_batch import prime
from albic.streams.layout import Layout
from albic.streams.parts import Source
from albic.streams.query import Parts
from albic.streams.running_network import PARTITIONS, expect_rocksdb
from albic.streams.spark_sources import keeps_state, spark_sources
from albic.streams.state_handover import GIVEN, NOBODY, TAKEN, Giver, Taker
from albic.streams.stored_state import readable, stored_groups, stored_values
from albic.streams.successor import succeed
from albic.streams.takeover import Heritage, heritage, old_sources

#: Snapshots instead of changes: whatever version they are given, they need nothing before them.
CHANGELOG = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"
#: Sources that Spark itself cannot read again from where they were.
FLEETING = ("socket", "textsocket", "memory")


def carry_over(
    parts: Parts,
    layout: Layout,
    old: str | Path,
    new: str | Path,
    renamed: Mapping[str, str],
) -> None:
    """Make the checkpoint ``new`` out of ``old``; all of it or nothing."""
    spark = parts.sources[0].frame.sparkSession
    expect_rocksdb(spark)
    place = folder_of(new).resolve()
    sweep_beside(place)
    _expect_free(place)
    before = read_checkpoint(old)
    _expect_idle(spark, before)
    values = stored_values(spark, before)
    stored = stored_groups(values, before)
    taken_over = heritage(parts.sources, parts.operators, layout, stored, renamed)
    names = [renamed.get(name, name) for name in old_sources(stored)]
    origin = origins(parts.sources, names, before)
    with beside(place) as folder, _settings(spark, layout):
        taken = _handed(values, taken_over, folder / "taken", before)
        quiet = folder / "quiet"
        quiet.mkdir()
        (quiet / "file").write_text("nothing\n", encoding="utf-8")
        prime(layout, taken, folder / "checkpoint", quiet)
        succeed(folder / "checkpoint", place, before, origin)
        if read_checkpoint(before.folder).last != before.last:
            raise InvalidInput(f"a query is still at work on {before.folder}; stop it first")
        place.parent.mkdir(parents=True, exist_ok=True)
        (folder / "checkpoint").rename(place)


def origins(
    sources: Sequence[Source], names: Sequence[str], before: Checkpoint
) -> list[int | None]:
    """Return where each of Spark's sources of the new query stands in the old one.

    ``names`` are the old sources as they are called now. One that was read before goes on, one that
    is new begins at its beginning.
    """
    found = [spark_sources(source.frame) for source in sources]
    for source, kinds in zip(sources, found, strict=True):
        _expect_lasting(source, kinds)
    asked, there = sum(map(len, found)), len(before.offsets)
    here = [source.name for source in sources]
    if all(len(kinds) == 1 for kinds in found) and there == len(names):
        at = {name: number for number, name in enumerate(names)}
        origin = [at.get(name) for name in here]
        for source, kinds, position in zip(sources, found, origin, strict=True):
            if position is not None:
                _expect_same_kind(source, kinds[0], before.offsets[position])
        return origin
    # Some source is made of several of Spark's: only as a whole can they be told apart.
    if asked != there or (names and here != list(names)):
        raise InvalidInput(
            f"the old checkpoint has offsets of {there} sources of Spark's and the network has "
            f"{asked}: {', '.join(here)}; sources cannot go on where they were, "
            f"so keep them as they were"
        )
    return list(range(there))


def _expect_free(place: Path) -> None:
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise InvalidInput(
            f"the checkpoint {place} is there already; leave carry_over out to go on with it, "
            f"or name a new one"
        )


def _expect_idle(spark: SparkSession, before: Checkpoint) -> None:
    """Refuse a checkpoint that a query of this session is at work on."""
    for query in spark.streams.active:
        if str(query.id) == before.query:
            raise InvalidInput(
                f"the query {query.name!r} is still at work on {before.folder}; stop it first"
            )


def _expect_lasting(source: Source, kinds: Sequence[str]) -> None:
    """Refuse a source that cannot go on where it was, or that has state of its own."""
    for kind in kinds:
        if kind in FLEETING:
            raise InvalidInput(
                f"source {source.name!r} reads from {kind}, which cannot go on where it was"
            )
    step = keeps_state(source.frame)
    if step is not None:
        raise InvalidInput(
            f"source {source.name!r} keeps state of Spark's own ({step}), which cannot be carried "
            f"over; do that step in an operator"
        )


def _expect_same_kind(source: Source, kind: str, offset: str | None) -> None:
    """Refuse files after something else, and something else after files."""
    files = offset is not None and '"logOffset"' in offset
    if offset is not None and kind.startswith("filesource") != files:
        raise InvalidInput(
            f"source {source.name!r} is a {kind} now, which cannot go on at the offset {offset}"
        )


def _handed(values: DataFrame, taken_over: Heritage, folder: Path, before: Checkpoint) -> DataFrame:
    """Return all memories of the new network, worked out once; raise if one is wrong."""
    spark = values.sparkSession
    given = values.mapInArrow(Giver(taken_over).__call__, GIVEN)
    everyone = spark.range(len(taken_over.heirs)).selectExpr(
        "int(id) AS heir",
        f"{NOBODY} AS origin",
        "binary(NULL) AS about",
        "binary(NULL) AS content",
        "string(NULL) AS wrong",
    )
    taker = Taker(taken_over)

    def take(mine: pd.DataFrame) -> pd.DataFrame:
        # Spark counts the arguments, and would count a method's own object.
        return taker(mine)

    taken = given.unionAll(everyone).groupBy("heir").applyInPandas(take, TAKEN)
    with readable(before.folder):
        taken.write.parquet(str(folder))
    found = spark.read.schema(TAKEN).parquet(str(folder))
    wrong = found.where("wrong IS NOT NULL").select("wrong").orderBy("wrong").head()
    if wrong is not None:
        raise InvalidInput(wrong["wrong"])
    return found


@contextmanager
def _settings(spark: SparkSession, layout: Layout) -> Iterator[None]:
    """Have as many partitions as the new network, and snapshots of state."""
    wanted = {PARTITIONS: str(layout.partitions), CHANGELOG: "false"}
    before = {name: spark.conf.get(name, None) for name in wanted}
    try:
        for name, value in wanted.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, earlier in before.items():
            if earlier is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, earlier)
