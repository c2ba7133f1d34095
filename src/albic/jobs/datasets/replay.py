"""An ordered copy as a source of Spark's: rows come as their event time does, but faster.

An offset is the number of the next row. What a range of offsets holds never changes, so a query
that starts again from its checkpoint sees the same rows. Only *how far* a batch reaches depends on
the clock, and Spark writes that down before it reads.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.streaming.datasource import (
    ReadAllAvailable,
    ReadLimit,
    SupportsTriggerAvailableNow,
)
from pyspark.sql.types import StructType

from albic.jobs.datasets.pace import Pace
from albic.jobs.datasets.prepared import SEQUENCE, Prepared, opened
from albic.model import InvalidInput

NAME = "albic-replay"
#: A packed replay has this one column, and its record batches this one more than were asked for.
PAYLOAD, LAST = "payload", "last"


_PACKED = pa.schema([(PAYLOAD, pa.binary())])


def packed(rows: pa.RecordBatch, columns: Sequence[str], last: int) -> pa.RecordBatch:
    """Return rows as one row of bytes; a column says which of them has the number ``last``."""
    ends = pc.equal(rows.column(SEQUENCE.name), last)
    whole = rows.select(columns).append_column(pa.field(LAST, pa.bool_()), ends)
    return pa.RecordBatch.from_pydict({PAYLOAD: [whole.serialize().to_pybytes()]}, _PACKED)


def packed_schema(copy: Prepared, columns: Sequence[str]) -> StructType:
    """Return the columns of the record batches in a packed replay."""
    fields = [copy.schema.field(name) for name in columns]
    return from_arrow_schema(pa.schema([*fields, pa.field(LAST, pa.bool_())]))


@dataclass
class Rows(InputPartition):
    """A range of row numbers."""

    first: int
    end: int


class Replay(DataSource):
    """The source ``albic-replay``; :func:`albic.jobs.datasets.flights` sets its options."""

    @classmethod
    def name(cls) -> str:
        """Return the name for ``spark.readStream.format``."""
        return NAME

    def schema(self) -> StructType:
        """Return the columns."""
        if "packed" in self.options:
            return from_arrow_schema(_PACKED)
        return from_arrow_schema(opened(Path(self.options["folder"])).schema)

    def streamReader(self, schema: StructType) -> "ReplayReader":  # noqa: N802  Spark's name
        """Return the reader."""
        del schema
        options = self.options
        given = {name: options.get(name) for name in ("speed_up", "rows", "span_s")}
        pace = Pace(
            speed_up=float(given["speed_up"]) if given["speed_up"] else None,
            rows=int(given["rows"]) if given["rows"] else None,
            span_s=float(given["span_s"]) if given["span_s"] else None,
        )
        begin, end = int(options["begin"]), int(options["end"])
        copy = opened(Path(options["folder"])).repeated(end).part(begin, end)
        columns = options["packed"].split(",") if "packed" in options else None
        return ReplayReader(copy, pace, int(options["partitions"]), packed=columns)


class ReplayReader(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Says how far a batch reaches, and reads its rows."""

    def __init__(
        self,
        copy: Prepared,
        pace: Pace,
        partitions: int,
        clock: Callable[[], float] = time.monotonic,
        packed: Sequence[str] | None = None,
    ) -> None:
        self._copy = copy
        self._pace = pace
        self._partitions = partitions
        self._packed = packed
        self._clock = clock
        self._anchor: tuple[float, int] | None = None
        self._all_at_once = False

    def initialOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return the first row."""
        return self._offset(self._copy.begin)

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:  # noqa: N802
        """Return where the next batch ends; the start if nothing is due."""
        del limit
        first = self._row(start)
        return self._offset(self._pace.end(self._copy, first, self._due_us(first)))

    def getDefaultReadLimit(self) -> ReadLimit:  # noqa: N802
        """Return Spark's "everything": the pace is the limit."""
        return ReadAllAvailable()

    def reportLatestOffset(self) -> dict[str, Any]:  # noqa: N802
        """Return the end of the data."""
        return self._offset(self._copy.end)

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """Forget the clock: all rows are there, and the query ends after the last."""
        self._all_at_once = True

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        """Return the rows between two offsets, cut into equal ranges."""
        first, last = self._row(start), self._row(end)
        count = min(self._partitions, last - first)
        cuts = [first + (last - first) * part // max(count, 1) for part in range(count + 1)]
        return [Rows(a, b) for a, b in pairwise(cuts)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one range."""
        if not isinstance(partition, Rows):
            raise InvalidInput(f"{partition!r} is no range of rows")
        for rows in self._copy.read(partition.first, partition.end, self._packed):
            yield rows if not self._packed else packed(rows, self._packed, self._copy.end - 1)

    def commit(self, end: dict[str, Any]) -> None:
        """Keep everything: rows are never used up."""

    def stop(self) -> None:
        """Nothing is open between calls."""

    def _due_us(self, first: int) -> int | None:
        """Return the event time that the clock has reached, counted from where we began."""
        if self._pace.speed_up is None or self._all_at_once:
            return None
        if self._anchor is None:
            self._anchor = self._clock(), self._copy.time_at_us(first)
        began_s, at_us = self._anchor
        return at_us + round((self._clock() - began_s) * self._pace.speed_up * 1e6)

    def _offset(self, row: int) -> dict[str, Any]:
        return {"row": row, "data": self._copy.fingerprint}

    def _row(self, offset: dict[str, Any]) -> int:
        """Return the row of an offset, if it is one of these data."""
        if offset["data"] != self._copy.fingerprint:
            raise InvalidInput(
                "the checkpoint belongs to other data than the ones named now; "
                "name those, or start with a new checkpoint"
            )
        return int(offset["row"])
