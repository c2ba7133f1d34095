"""What lies in the checkpoint of a network: operators with their state, and how far sources are."""

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import SparkSession

from albic.streams.checkpoint import Checkpoint
from albic.streams.packing import UNKNOWN
from albic.streams.parts import ENDED
from albic.streams.state import About
from albic.streams.stored_state import stored_groups, stored_values
from albic.streams.takeover import old_sources


@dataclass(frozen=True, slots=True)
class StoredOperator:
    """One operator. ``stored`` of its key groups have been called; rows count since the first.

    Bytes are those of the states as they are stored; what the network notes itself is not in them.
    """

    name: str
    key_groups: int
    stored: int
    state_bytes: int
    largest_bytes: int
    tables: tuple[str, ...]
    rows_in: int
    rows_out: int
    late_rows: int


@dataclass(frozen=True, slots=True)
class StoredSource:
    """One source. ``watermark_us`` counts from 1970, None while nobody knows a time."""

    name: str
    watermark_us: int | None
    ended: bool


@dataclass(frozen=True, slots=True)
class Inventory:
    """A whole checkpoint.

    ``batch`` is the last that ended, ``begun`` the one after it if it began. ``offsets`` say how
    far Spark's sources were read, in its own words; a source of the network may have several.
    """

    query: str
    batch: int
    begun: int | None
    operators: tuple[StoredOperator, ...]
    sources: tuple[StoredSource, ...]
    offsets: tuple[str | None, ...]


def inventory(spark: SparkSession, checkpoint: Checkpoint) -> Inventory:
    """Return what lies in a checkpoint."""
    groups = stored_groups(stored_values(spark, checkpoint), checkpoint)
    newest = checkpoint.batches[-1].number
    return Inventory(
        query=checkpoint.query,
        batch=checkpoint.last,
        begun=newest if newest > checkpoint.last else None,
        operators=stored_operators(groups),
        sources=stored_sources(groups),
        offsets=checkpoint.offsets,
    )


def stored_operators(groups: Sequence[About]) -> tuple[StoredOperator, ...]:
    """Return the operators by name."""
    by_name: dict[str, list[About]] = {}
    for group in groups:
        by_name.setdefault(group.operator, []).append(group)
    return tuple(
        StoredOperator(
            name=name,
            key_groups=mine[0].key_groups,
            stored=len(mine),
            state_bytes=sum(group.state_bytes for group in mine),
            largest_bytes=max(group.state_bytes for group in mine),
            tables=tuple(sorted({table for group in mine for table in group.tables})),
            rows_in=sum(group.rows_in for group in mine),
            rows_out=sum(group.rows_out for group in mine),
            late_rows=sum(group.late_rows for group in mine),
        )
        for name, mine in sorted(by_name.items())
    )


def stored_sources(groups: Sequence[About]) -> tuple[StoredSource, ...]:
    """Return the sources in their order; by number where nobody wrote their names down."""
    reached = [max(each) for each in zip(*(g.watermarks for g in groups), strict=True)]
    names = old_sources(groups) or [f"source {number}" for number in range(len(reached))]
    return tuple(
        StoredSource(name, None if at in (UNKNOWN, ENDED) else at, at == ENDED)
        for name, at in zip(names, reached, strict=True)
    )
