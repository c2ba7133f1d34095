"""Small files of every format, and what the loaders make of them."""

import gzip
from pathlib import Path
from typing import Any

import pyarrow as pa

from albic.jobs.datasets.airline import DATA_EXPO
from albic.jobs.datasets.reading import Reading, reading_of

EXPO_HEADER = ",".join(DATA_EXPO)
EXPO_ROW = (
    "2008,1,3,4,2003,1955,2211,2225,WN,335,N712SW,128,150,116,-14,8,IAD,TPA,810,4,8,0,,0,"
    "NA,NA,NA,NA,NA"
)
REVISION = "REVISION 12 30364918 Anarchism 2005-12-06T17:44:47Z RJII 141644"
SNAP_REST = (
    "CATEGORY\nIMAGE\nMAIN A_b\nTALK\nUSER\nUSER_TALK\nOTHER\nEXTERNAL\nTEMPLATE\n"
    "COMMENT small fix\nMINOR 0\nTEXTDATA 229\n"
)


def expo(**changes: str) -> str:
    """Return a Data Expo row with some fields changed."""
    fields = dict(zip(DATA_EXPO, EXPO_ROW.split(","), strict=True))
    return ",".join({**fields, **changes}.values())


def loaded(path: Path) -> tuple[list[dict[str, Any]], Reading]:
    """Return the rows of a file, and the reading with its tally."""
    reading = reading_of(path)
    rows = [row for table in reading.tables() for row in table.to_pylist()]
    return rows, reading


def table_of(path: Path) -> pa.Table:
    return pa.concat_tables(reading_of(path).tables())


def file(folder: Path, text: str | bytes, name: str = "data.csv") -> Path:
    path = folder / name
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path
