"""Rows in the order of their event time, however many there are: an external merge sort."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

#: Rows that are sorted in memory at once; a flight takes about 150 bytes.
RUN_ROWS = 1_000_000
#: Rows of each run that are in memory while runs are merged.
MERGE_ROWS = 1 << 14

_TIME, _PLACE = "event_time", "_place"
_ORDER = [(_TIME, "ascending"), (_PLACE, "ascending")]


def ordered(
    tables: Iterator[pa.Table], folder: Path, run_rows: int = RUN_ROWS
) -> Iterator[pa.Table]:
    """Yield the rows of ``tables`` by event time; rows of one instant keep the order they came in.

    The answer does not depend on how the rows were cut into tables, nor on ``run_rows``.

    Parameters
    ----------
    tables
        Tables of one schema with a column ``event_time``.
    folder
        Where runs that do not fit into memory wait; emptied by the caller.
    run_rows
        How many rows are held at most, about.
    """
    runs: list[Path] = []
    held: list[pa.Table] = []
    count = seen = 0
    for table in tables:
        places = pa.array(np.arange(seen, seen + table.num_rows))
        held.append(table.append_column(_PLACE, places))
        seen += table.num_rows
        count += table.num_rows
        if count >= run_rows:
            runs.append(_spilled(held, folder / f"run-{len(runs):05}.arrow"))
            held, count = [], 0
    if not runs:
        if held:
            yield _plain(pa.concat_tables(held).sort_by(_ORDER))
        return
    if held:
        runs.append(_spilled(held, folder / f"run-{len(runs):05}.arrow"))
    yield from _merged(runs)


def _spilled(held: list[pa.Table], path: Path) -> Path:
    """Write a sorted run and return where."""
    table = pa.concat_tables(held).sort_by(_ORDER).combine_chunks()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with (
        pa.OSFile(str(path), "wb") as sink,
        pa.ipc.new_file(sink, table.schema, options=options) as writer,
    ):
        writer.write_table(table, max_chunksize=MERGE_ROWS)
    return path


def _merged(runs: list[Path]) -> Iterator[pa.Table]:
    """Yield the rows of sorted runs in order."""
    sources = [_batches(path) for path in runs]
    heads = {number: head for number, run in enumerate(sources) if (head := next(run, None))}
    while heads:
        # Nothing that is still on disk can come before the earliest of the heads' last rows.
        bound = min(_last(head) for head in heads.values())
        ready = []
        for number, head in list(heads.items()):
            before = _until(head, bound)
            ready.append(head.slice(0, before))
            if before < head.num_rows:
                heads[number] = head.slice(before)
            elif (following := next(sources[number], None)) is not None:
                heads[number] = following
            else:
                del heads[number]
        yield _plain(pa.concat_tables(ready).sort_by(_ORDER))


def _batches(path: Path) -> Iterator[pa.Table]:
    """Yield the parts of a run."""
    with pa.memory_map(str(path)) as source:
        reader = pa.ipc.open_file(source)
        for number in range(reader.num_record_batches):
            yield pa.Table.from_batches([reader.get_batch(number)])


def _last(table: pa.Table) -> tuple[int, int]:
    """Return the key of the last row."""
    end = table.num_rows - 1
    return table[_TIME][end].value, table[_PLACE][end].as_py()


def _until(table: pa.Table, bound: tuple[int, int]) -> int:
    """Return how many rows come no later than ``bound``."""
    times = table[_TIME].cast(pa.int64()).to_numpy()
    first, after = (
        np.searchsorted(times, bound[0], "left"),
        np.searchsorted(times, bound[0], "right"),
    )
    places = table[_PLACE].slice(first, after - first).to_numpy()
    return int(first + np.searchsorted(places, bound[1], "right"))


def _plain(table: pa.Table) -> pa.Table:
    """Return the rows without our own column."""
    return table.drop_columns([_PLACE])


def is_ordered(table: pa.Table) -> bool:
    """Return whether the rows are in the order of their event time."""
    times = table[_TIME].cast(pa.int64())
    return pc.all(pc.greater_equal(times[1:], times[:-1])).as_py() is not False
