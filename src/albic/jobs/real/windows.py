"""Windows of event time: what is over comes out, the rest waits; and the most frequent in one."""

from collections.abc import Sequence
from datetime import timedelta

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc


def parted(
    table: pa.Table, start: str, length: timedelta, watermark: pd.Timestamp | None
) -> tuple[pa.Table, pa.Table]:
    """Return the rows whose window is over, and those whose window is still open.

    Parameters
    ----------
    start
        The column with the beginnings of windows.
    watermark
        Up to which time all rows are there; nothing is over if nobody knows.
    """
    if watermark is None:
        return table.slice(0, 0), table
    latest = pa.scalar((watermark - length).to_pydatetime(), table[start].type)
    over = pc.less_equal(table[start], latest)
    return table.filter(over), table.filter(pc.invert(over))


def most(table: pa.Table, within: Sequence[str], by: str, names: Sequence[str], k: int) -> pa.Table:
    """Return the ``k`` rows with the most ``by`` for each value of ``within``, with their rank.

    Ranks begin at 1. Of equal rows the first by ``names`` is first.
    """
    order = [*((name, "ascending") for name in within), (by, "descending")]
    ordered = table.sort_by([*order, *((name, "ascending") for name in names)])
    place = ordered.select(list(within)).to_pandas().groupby(list(within)).cumcount()
    ranked = ordered.append_column("rank", pa.array(place.to_numpy() + 1, pa.int64()))
    return ranked.filter(pc.less_equal(ranked["rank"], k))
