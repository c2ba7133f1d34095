"""The files of an ordered copy: rows cut into pieces, and some of them read again."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

#: Rows that are read together; fewer would be slow, more would be read for nothing.
GROUP_ROWS = 1 << 14


def piece_name(number: int) -> str:
    """Return the name of a piece."""
    return f"piece-{number:06}.parquet"


def cut(tables: Iterator[pa.Table], size: int) -> Iterator[pa.Table]:
    """Yield the rows in tables of exactly ``size``, the last one but for less."""
    held: list[pa.Table] = []
    count = 0
    for table in tables:
        rest = table
        while count + rest.num_rows >= size:
            taken = rest.slice(0, size - count)
            yield pa.concat_tables([*held, taken])
            rest, held, count = rest.slice(taken.num_rows), [], 0
        if rest.num_rows:
            held.append(rest)
            count += rest.num_rows
    if held:
        yield pa.concat_tables(held)


def rows_between(
    path: Path, first: int, end: int, columns: list[str] | None
) -> Iterator[pa.RecordBatch]:
    """Yield the rows from ``first`` up to ``end`` of one piece, reading only what holds them."""
    with pq.ParquetFile(path) as file:
        groups = range(first // GROUP_ROWS, -(-end // GROUP_ROWS))
        for group in groups:
            start = group * GROUP_ROWS
            table = file.read_row_group(group, columns)
            inside = table.slice(max(first - start, 0), end - max(first, start))
            yield from inside.combine_chunks().to_batches()
