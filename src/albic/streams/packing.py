"""The two ends of a network: a source's rows are packed, an operator's output is unpacked."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext

from albic.streams.layout import Layout
from albic.streams.packed_rows import (
    SENDER_BITS,
    WIRE_SCHEMA,
    Block,
    Kind,
    Outlet,
    columns,
    deliver,
    unpacked,
)
from albic.streams.parts import ENDED

#: So many rows are packed at once. More make larger blocks; all of them are in memory.
PACKED_ROWS = 65_536
#: The watermark of a source that has not shown any time.
UNKNOWN = -(2**63)


@dataclass(frozen=True, slots=True)
class Packer:
    """Packs the rows of source ``number`` for the first stage; runs before the first exchange.

    At its end each task tells every key group of the first stage how late it is: the latest event
    time less the delay, or later than anything if the source has ended. ``opens`` says that rows
    come as record batches in a column of bytes.
    """

    number: int
    sources: int
    schema: pa.Schema
    event_time: str | None
    delay_us: int
    ends: str | None
    outlets: tuple[Outlet, ...]
    layout: Layout
    opens: bool = False

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the blocks of the task that runs."""
        context = TaskContext.get()
        if context is None:
            raise RuntimeError("a source is packed by Spark's tasks")
        yield from self.packed(batches, context.partitionId())

    def packed(self, batches: Iterator[pa.RecordBatch], task: int) -> Iterator[pa.RecordBatch]:
        """Yield the blocks of one task."""
        ordinal = task << SENDER_BITS
        watermark = UNKNOWN
        rows = record_batches(batches, self.schema) if self.opens else batches
        for table in gathered(rows, self.schema):
            ordinal += 1
            if self.event_time is not None:
                watermark = max(watermark, self._latest(table))
            blocks = list(deliver(table, self.outlets, self.layout, 0, ordinal))
            yield pa.RecordBatch.from_pydict(columns(blocks), WIRE_SCHEMA)
        if watermark > UNKNOWN:
            yield pa.RecordBatch.from_pydict(columns(self._marks(watermark)), WIRE_SCHEMA)

    def _latest(self, table: pa.Table) -> int:
        """Return the watermark after these rows."""
        if self.ends is not None and pc.any(table.column(self.ends)).as_py():
            return ENDED
        latest = pc.max(table.column(self.event_time).cast(pa.int64())).as_py()
        return UNKNOWN if latest is None else int(latest) - self.delay_us

    def _marks(self, watermark: int) -> list[Block]:
        """Return the news of this source's watermark for all key groups of the first stage."""
        watermarks = np.full(self.sources, UNKNOWN)
        watermarks[self.number] = watermark
        return [
            Block(label, Kind.WATERMARKS, -1, -1, partition, 0, 0, watermarks.tobytes())
            for partition, label in enumerate(self.layout.labels()[: self.layout.used[0]])
        ]


@dataclass(frozen=True, slots=True)
class Unpacker:
    """Turns blocks of one operator's output into its rows."""

    schema: pa.Schema

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield the rows of one task."""
        for batch in batches:
            contents = (value.as_buffer() for value in batch.column(0))
            yield from unpacked(contents, self.schema).to_batches()


def record_batches(packed: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Yield the record batches in the first column of ``packed``."""
    for batch in packed:
        for content in batch.column(0):
            yield pa.ipc.read_record_batch(content.as_buffer(), schema)


def gathered(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows in tables that are worth packing."""
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        waiting.append(batch)
        rows += batch.num_rows
        if rows >= PACKED_ROWS:
            yield pa.Table.from_batches(waiting).cast(schema)
            waiting, rows = [], 0
    if rows:
        yield pa.Table.from_batches(waiting).cast(schema)
