"""Text files in blocks of whole lines, so that a file of any size needs little memory."""

import csv
import io
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.csv as pa_csv

from albic.jobs.datasets.tally import Tally

#: Bytes a block; some hundred thousand lines at most.
BLOCK_BYTES = 8 << 20
#: A line longer than this is damage; the longest real ones are lists of links of some 100 kB.
MOST_LINE_BYTES = 4 << 20

_BOM = b"\xef\xbb\xbf"


def blocks(stream: io.BufferedReader, tally: Tally, size: int = BLOCK_BYTES) -> Iterator[bytes]:
    r"""Yield the bytes of ``stream`` in pieces that end at a line's end; ``\n`` ends every line.

    A line that never ends is dropped, and counted, before it fills the memory.
    """
    left, dropping = b"", False
    first = True
    while chunk := stream.read(size):
        if first:
            chunk, first = chunk.removeprefix(_BOM), False
        end = chunk.rfind(b"\n") + 1
        if dropping and end:
            chunk = chunk[chunk.find(b"\n") + 1 :]
            end, dropping = chunk.rfind(b"\n") + 1, False
        if end:
            yield left + chunk[:end]
            left = chunk[end:]
        elif not dropping:
            left += chunk
        if len(left) > MOST_LINE_BYTES + size:
            tally.skip("line without end")
            left, dropping = b"", True
    if left.strip():
        yield left if left.endswith(b"\n") else left + b"\n"


def lines(block: bytes) -> list[bytes]:
    """Return the lines of ``block`` without their ends; a blank line is an empty one."""
    return block.replace(b"\r\n", b"\n").split(b"\n")[:-1]


def fields(line: bytes) -> list[str]:
    """Return the comma-separated fields of one line, or none if it is not made of any."""
    if b"\0" in line:
        return []
    try:
        return next(csv.reader([line.decode("latin-1").rstrip("\r")]), [])
    except csv.Error:
        return []


def text_table(block: bytes, names: list[str], tally: Tally) -> pa.Table:
    """Return the comma-separated values in ``block`` as columns of text called ``names``.

    Read as Latin-1, which no byte can break. Lines with too few or too many fields, or with a
    quote that stays open, are skipped and counted. Blank lines are nothing.
    """
    if b'"' in block:
        block = _closed_quotes(block, tally)

    def wrong_fields(row: pa_csv.InvalidRow) -> str:
        del row
        tally.skip("wrong number of fields")
        return "skip"

    if not block.strip():
        return pa.table({name: pa.array([], pa.string()) for name in names})
    return pa_csv.read_csv(
        io.BytesIO(block),
        # One thread: pyarrow calls the handler from all of them, and the counts would be torn.
        read_options=pa_csv.ReadOptions(
            use_threads=False,
            block_size=len(block) + 1,
            column_names=names,
            encoding="latin-1",
        ),
        parse_options=pa_csv.ParseOptions(invalid_row_handler=wrong_fields),
        convert_options=pa_csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
        ),
    )


def _closed_quotes(block: bytes, tally: Tally) -> bytes:
    """Return ``block`` without the lines whose quotes do not pair; no value spans two lines."""
    every = block.split(b"\n")
    paired = [line for line in every if line.count(b'"') % 2 == 0]
    tally.skip("quote without end", len(every) - len(paired))
    return b"\n".join(paired)
