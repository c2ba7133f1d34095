"""Rows on their way: packed by key group, as Arrow, in few rows of Spark's.

Spark hands every row to Python on its own, so many small rows are slow, and the sort before each
stateful stage is as well. A *block* is one row of Spark's with many rows of the user's, all for one
key group. Its payload is an Arrow record batch; the schema is the network's and does not travel.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from albic.streams.hashing import key_groups
from albic.streams.layout import Layout

#: The columns of a block, for Spark.
WIRE = (
    "label int, kind int, operator int, slot int, partition int, ordinal bigint, "
    "rows int, payload binary"
)
WIRE_SCHEMA = pa.schema(
    [
        ("label", pa.int32()),
        ("kind", pa.int32()),
        ("operator", pa.int32()),
        ("slot", pa.int32()),
        ("partition", pa.int32()),
        ("ordinal", pa.int64()),
        ("rows", pa.int32()),
        ("payload", pa.binary()),
    ]
)
#: The label of a block that goes nowhere but to the sinks.
NOWHERE = -1
#: Senders are counted above this many bits of an ordinal, their blocks below.
SENDER_BITS = 32


class Kind(IntEnum):
    """What a block is: rows for an operator, rows for sinks, watermarks, or counters."""

    ROWS = 0
    OUTPUT = 1
    WATERMARKS = 2
    COUNTERS = 3


class Block(NamedTuple):
    """One row of Spark's.

    ``label`` leads to a partition of the next stage. Rows are for the input number ``slot`` of an
    operator, in ``partition`` of its stage; all else comes from an operator, and ``slot`` is its
    key group. Blocks are taken in by ``ordinal``, so that a repeated batch gives the same answer.
    """

    label: int
    kind: int
    operator: int
    slot: int
    partition: int
    ordinal: int
    rows: int
    payload: bytes


@dataclass(frozen=True, slots=True)
class Outlet:
    """One consumer of a producer's rows: an operator, through its input number ``slot``."""

    operator: int
    slot: int
    key: tuple[str, ...]


def split(table: pa.Table, key: Sequence[str], groups: int) -> list[tuple[int, int, bytes]]:
    """Return (key group, number of rows, payload) for each key group that has rows."""
    if not table.num_rows:
        return []
    if groups == 1:
        return [(0, table.num_rows, payload(table))]
    group_of = key_groups(table, key, groups)
    if (group_of == group_of[0]).all():
        # As where two operators in a row have the same key: nothing has to be sorted.
        return [(int(group_of[0]), table.num_rows, payload(table))]
    order = np.argsort(group_of, kind="stable")
    ends = np.cumsum(np.bincount(group_of, minlength=groups)).tolist()
    (batch,) = table.take(pa.array(order)).combine_chunks().to_batches()
    return [
        (group, end - begin, batch.slice(begin, end - begin).serialize().to_pybytes())
        for group, begin, end in zip(range(groups), [0, *ends], ends, strict=False)
        if end > begin
    ]


def payload(table: pa.Table) -> bytes:
    """Return a table's rows as one record batch; there has to be one."""
    (batch,) = table.combine_chunks().to_batches()
    content: bytes = batch.serialize().to_pybytes()
    return content


def unpacked(payloads: Iterable[bytes], schema: pa.Schema) -> pa.Table:
    """Return the rows of several payloads as one table."""
    batches = [pa.ipc.read_record_batch(pa.py_buffer(content), schema) for content in payloads]
    return pa.Table.from_batches(batches, schema)


def deliver(
    table: pa.Table, outlets: Sequence[Outlet], layout: Layout, level: int, ordinal: int
) -> Iterator[Block]:
    """Yield the blocks that take ``table`` to its consumers, by way of the stage after ``level``.

    Consumers with the same key and as many key groups get the same payloads, made once.
    """
    made: dict[tuple[tuple[str, ...], int], list[tuple[int, int, bytes]]] = {}
    for outlet in outlets:
        place = layout.places[outlet.operator]
        shape = (outlet.key, place.key_groups)
        if shape not in made:
            made[shape] = split(table, outlet.key, place.key_groups)
        for group, rows, content in made[shape]:
            partition = place.first + group
            label = layout.labels()[layout.hop(level + 1, place.level, partition)]
            yield Block(
                label, Kind.ROWS, outlet.operator, outlet.slot, partition, ordinal, rows, content
            )


def columns(blocks: Sequence[Block]) -> dict[str, list[object]]:
    """Return blocks as columns."""
    turned = list(zip(*blocks, strict=True)) or [()] * len(Block._fields)
    return {name: list(values) for name, values in zip(Block._fields, turned, strict=True)}
