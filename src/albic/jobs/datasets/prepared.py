"""Ordered copies of data: rows by event time in Parquet pieces, each row with its number.

A range of row numbers always means the same rows. That is what a stream's offsets are made of.
"""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from albic.jobs.datasets.schemas import KINDS, Kind
from albic.jobs.datasets.years import LAST_YEAR, later_rows, later_us, spanned, year_of
from albic.model import InvalidInput

#: Part of every fingerprint: raise it when the same file would give other rows.
VERSION = 1
INDEX = "index.json"
SEQUENCE = pa.field("sequence", pa.int64())

PIECE_ROWS = 1 << 17
_GROUP_ROWS = 1 << 14


@dataclass(frozen=True)
class Prepared:
    """An ordered copy.

    Attributes
    ----------
    folder
        Where it lies; what runs elsewhere must see it under the same path.
    kind
        What its rows are.
    fingerprint
        Of the files it was made of: equal fingerprints, equal rows.
    starts
        The number of each piece's first row, and at the end the number of all rows.
    firsts_us
        The event time of each piece's first row, in microseconds since 1970.
    last_us
        The event time of the last row.
    begin
        The number of the first row; above 0 if rows before it were left out.
    files
        How many pieces there are as files. If there are more, the others are the same ones again,
        each time ``years`` later; none of them is written anywhere.
    years
        How many years later rows come again.
    """

    folder: Path
    kind: Kind
    fingerprint: str
    starts: tuple[int, ...]
    firsts_us: tuple[int, ...]
    last_us: int
    begin: int = 0
    files: int = 0
    years: int = 0

    @property
    def end(self) -> int:
        """Return the number after that of the last row."""
        return self.starts[-1]

    @property
    def rows(self) -> int:
        """Return how many rows there are."""
        return self.end - self.begin

    @property
    def schema(self) -> pa.Schema:
        """Return the kind's schema with the row's number at the end."""
        return self.kind.schema.append(SEQUENCE)

    @property
    def pieces(self) -> list[Path]:
        """Return the files, in order; each once."""
        count = len(self.firsts_us)
        count = min(count, self.files) if self.files else count
        return [self.folder / piece_name(number) for number in range(count)]

    @property
    def passes(self) -> int:
        """Return how often the rows come, the last time perhaps not all of them."""
        return -(-len(self.firsts_us) // len(self.pieces))

    @property
    def pass_rows(self) -> int:
        """Return how many rows come before they come again."""
        return self.starts[len(self.pieces)]

    def repeated(self, rows: int) -> "Prepared":
        """Return at least ``rows`` rows: the same again and again, whole years later each time.

        Row numbers go on. Nothing is written, and a copy that has enough rows stays as it is.
        """
        passes, years = -(-rows // self.rows), spanned(self.firsts_us[0], self.last_us)
        if passes <= 1:
            return self
        if year_of(self.last_us) + years * (passes - 1) > LAST_YEAR:
            raise InvalidInput(
                f"{rows:,} {self.kind.name} would repeat these {self.rows:,} until after the year "
                f"{LAST_YEAR}, the last that can be worked with; ask for fewer"
            )
        again = range(passes)
        return replace(
            self,
            starts=(
                *(n * self.rows + s for n in again for s in self.starts[:-1]),
                passes * self.rows,
            ),
            firsts_us=tuple(later_us(t, n * years) for n in again for t in self.firsts_us),
            last_us=later_us(self.last_us, (passes - 1) * years),
            files=len(self.firsts_us),
            years=years,
        )

    def part(self, begin: int, end: int) -> "Prepared":
        """Return the rows from ``begin`` up to ``end`` as a copy of its own; numbers stay.

        An ``end`` beyond all rows means all of them.
        """
        end = min(end, self.end)
        if not self.begin <= begin < end:
            raise InvalidInput(f"there are no {self.kind.name} from row {begin} up to row {end}")
        starts = [start for start in self.starts[:-1] if start < end]
        return replace(
            self,
            starts=(*starts, end),
            firsts_us=self.firsts_us[: len(starts)],
            last_us=self.time_at_us(end - 1),
            begin=begin,
        )

    def read(
        self, first: int, end: int, columns: Sequence[str] | None = None
    ) -> Iterator[pa.RecordBatch]:
        """Yield the rows from number ``first`` up to, not including, ``end``.

        Fewer ``columns`` take less time; the row's number is always there.
        """
        chosen = None if columns is None else list(dict.fromkeys([*columns, SEQUENCE.name]))
        piece = max(bisect_right(self.starts, first) - 1, 0)
        while first < min(end, self.end):
            start, until = self.starts[piece], min(end, self.starts[piece + 1])
            for rows in _rows(self._file(piece), first - start, until - start, chosen):
                yield self._again(rows, piece)
            first, piece = until, piece + 1

    def row_at(self, time_us: int) -> int:
        """Return the number of the first row whose event time is ``time_us`` or later."""
        piece = bisect_left(self.firsts_us, time_us) - 1
        if piece < 0:
            return self.begin
        (rows,) = (
            pq.read_table(self._file(piece), columns=["event_time"]).combine_chunks().to_batches()
        )
        times = later_rows(rows, self._years_on(piece)).column("event_time")
        inside = np.searchsorted(times.cast(pa.int64()).to_numpy(), time_us, "left")
        return min(max(self.starts[piece] + int(inside), self.begin), self.end)

    def time_at_us(self, row: int) -> int:
        """Return the event time of a row, or of the last one if there is none of that number."""
        if row >= self.end:
            return self.last_us
        (batch,) = self.read(row, row + 1)
        return int(batch.column("event_time")[0].value)

    def _file(self, piece: int) -> Path:
        """Return the file of a piece."""
        return self.folder / piece_name(piece % self.files if self.files else piece)

    def _years_on(self, piece: int) -> int:
        """Return how much later than in its file the rows of a piece come."""
        return piece // self.files * self.years if self.files else 0

    def _again(self, rows: pa.RecordBatch, piece: int) -> pa.RecordBatch:
        """Return rows out of the file of a piece as that piece has them."""
        years = self._years_on(piece)
        if not years:
            return rows
        sequence = pc.add(rows.column(SEQUENCE.name), piece // self.files * self.pass_rows)
        moved = later_rows(rows, years)
        return moved.set_column(moved.schema.get_field_index(SEQUENCE.name), SEQUENCE, sequence)


def opened(folder: Path) -> Prepared:
    """Return the ordered copy in ``folder``."""
    try:
        index = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        return Prepared(
            folder,
            KINDS[index["kind"]],
            index["fingerprint"],
            tuple(index["starts"]),
            tuple(index["firsts_us"]),
            index["last_us"],
        )
    except (OSError, ValueError, KeyError) as wrong:
        raise InvalidInput(
            f"{str(folder)!r} is no ordered copy of data ({wrong!r}); delete it and start again"
        ) from None


def write(tables: Iterator[pa.Table], folder: Path, kind: Kind, fingerprint: str) -> Prepared:
    """Write ordered ``tables`` as pieces into ``folder`` and return the copy."""
    starts, firsts = [0], []
    last_us = 0
    for number, piece in enumerate(_pieces(tables)):
        sequence = pa.array(np.arange(starts[-1], starts[-1] + piece.num_rows))
        whole = piece.append_column(SEQUENCE, sequence)
        pq.write_table(whole, folder / piece_name(number), row_group_size=_GROUP_ROWS)
        starts.append(starts[-1] + piece.num_rows)
        firsts.append(piece["event_time"][0].value)
        last_us = piece["event_time"][piece.num_rows - 1].value
    if not firsts:
        raise InvalidInput(f"there are no {kind.name} in these data")
    made = Prepared(folder, kind, fingerprint, tuple(starts), tuple(firsts), last_us)
    index = {
        "kind": kind.name,
        "fingerprint": fingerprint,
        "starts": starts,
        "firsts_us": firsts,
        "last_us": last_us,
    }
    (folder / INDEX).write_text(json.dumps(index), encoding="utf-8")
    return made


def piece_name(number: int) -> str:
    """Return the name of a piece."""
    return f"piece-{number:06}.parquet"


def _pieces(tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Yield the rows in tables of exactly ``PIECE_ROWS``, the last one but for less."""
    held: list[pa.Table] = []
    count = 0
    for table in tables:
        rest = table
        while count + rest.num_rows >= PIECE_ROWS:
            taken = rest.slice(0, PIECE_ROWS - count)
            yield pa.concat_tables([*held, taken])
            rest, held, count = rest.slice(taken.num_rows), [], 0
        if rest.num_rows:
            held.append(rest)
            count += rest.num_rows
    if held:
        yield pa.concat_tables(held)


def _rows(path: Path, first: int, end: int, columns: list[str] | None) -> Iterator[pa.RecordBatch]:
    """Yield the rows from ``first`` up to ``end`` of one piece, reading only what holds them."""
    with pq.ParquetFile(path) as file:
        groups = range(first // _GROUP_ROWS, -(-end // _GROUP_ROWS))
        for group in groups:
            start = group * _GROUP_ROWS
            table = file.read_row_group(group, columns)
            inside = table.slice(max(first - start, 0), end - max(first, start))
            yield from inside.combine_chunks().to_batches()
