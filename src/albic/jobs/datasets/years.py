"""Rows that come again, some whole years later: the same keys and counts on the same days.

A day keeps its place in the calendar. Where the later year has no 29th of February, what happened
on it is moved to the last moment of the 28th, so that rows stay in the order of their time.
"""

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Times = npt.NDArray[np.datetime64]

#: The column that has a year as a number.
YEAR = "year"
#: The last year that rows may come to: pandas knows no time after April 2262.
LAST_YEAR = 2261


def year_of(time_us: int) -> int:
    """Return the year of a time in microseconds since 1970."""
    return int(np.datetime64(time_us, "us").astype("M8[Y]").astype(np.int64)) + 1970


def spanned(first_us: int, last_us: int) -> int:
    """Return the fewest whole years after which the first row comes later than the last."""
    years = max(year_of(last_us) - year_of(first_us), 1)
    return years if later_us(first_us, years) > last_us else years + 1


def later_us(time_us: int, years: int) -> int:
    """Return the same time of a later year."""
    moved = later(np.array([time_us], "M8[us]"), years)
    return int(moved.astype(np.int64)[0])


def later(times: Times, years: int) -> Times:
    """Return the same times of a later year; the order stays."""
    months = times.astype("M8[M]")
    target = months + np.timedelta64(12 * years, "M")
    inside = times - months.astype(times.dtype)
    moved: Times = target.astype(times.dtype) + inside.astype(np.timedelta64)
    # One tick of a date is a day, so that dates become the 28th, and times its last moment.
    ends: Times = (target + np.timedelta64(1, "M")).astype(times.dtype) - np.timedelta64(1)
    return np.where(moved.astype("M8[M]") == target, moved, ends)


def later_rows(rows: pa.RecordBatch, years: int) -> pa.RecordBatch:
    """Return rows as they come some years later: all dates, times and years move along."""
    if not years:
        return rows
    columns = [_later(rows.column(at), field, years) for at, field in enumerate(rows.schema)]
    return pa.RecordBatch.from_arrays(columns, schema=rows.schema)


def _later(column: pa.Array, field: pa.Field, years: int) -> pa.Array:
    """Return one column as it is some years later."""
    if pa.types.is_timestamp(field.type):
        unit, whole = field.type.unit, pa.int64()
    elif pa.types.is_date32(field.type):
        unit, whole = "D", pa.int32()
    elif field.name == YEAR:
        return pa.array(column.to_numpy(zero_copy_only=False) + years, field.type, from_pandas=True)
    else:
        return column
    numbers = column.cast(whole).fill_null(0).to_numpy().astype(np.int64)
    moved = later(numbers.view(f"M8[{unit}]"), years).astype(np.int64)
    made = pa.array(moved, whole, mask=column.is_null().to_numpy(zero_copy_only=False))
    return made.cast(field.type)
