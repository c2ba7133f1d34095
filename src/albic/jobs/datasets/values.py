"""Columns of text become numbers, days and times of day; what cannot be read becomes null."""

from collections.abc import Callable, Sequence
from functools import reduce, wraps

import pyarrow as pa
import pyarrow.compute as pc

#: How the sources spell "not known"; ``\\N`` is Hive's.
MISSING = pa.array(["", "NA", "\\N"])

_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,2})?$"
_WHOLE = r"^[+-]?\d{1,18}(\.0*)?$"
_DAY_US = 86_400_000_000
_MINUTE_US = 60_000_000
_EARLIEST, _LATEST = -2_208_988_800_000_000, 4_102_444_800_000_000
"""1900 and 2100, in microseconds from 1970: what lies outside is damage."""


def present(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return ``column`` without surrounding blanks, and null where the source says "missing"."""
    trimmed = pc.utf8_trim_whitespace(column)
    return pc.if_else(pc.is_in(trimmed, MISSING), pa.scalar(None, pa.string()), trimmed)


def by_value(parse: Callable[[pa.Array], pa.Array]) -> Callable[[pa.ChunkedArray], pa.ChunkedArray]:
    """Return ``parse`` for columns: each distinct text is parsed once, as most come many times."""

    @wraps(parse)
    def column_of(column: pa.ChunkedArray) -> pa.ChunkedArray:
        encoded = pa.chunked_array(column).combine_chunks().dictionary_encode()
        return pa.chunked_array([parse(encoded.dictionary).take(encoded.indices)])

    return column_of


@by_value
def readable(column: pa.Array) -> pa.Array:
    """Return where ``column`` is a number; null stays null."""
    return pc.match_substring_regex(column, _NUMBER)


@by_value
def readable_whole(column: pa.Array) -> pa.Array:
    """Return where ``column`` is a whole number; null stays null."""
    return pc.match_substring_regex(column, _WHOLE)


def all_readable(columns: Sequence[pa.ChunkedArray], *, whole: bool = False) -> pa.ChunkedArray:
    """Return where every one of ``columns`` is null or a number."""
    test = readable_whole if whole else readable
    each = [pc.fill_null(test(column), True) for column in columns]  # noqa: FBT003  pyarrow's order
    return reduce(pc.and_, each)


@by_value
def numbers(column: pa.Array) -> pa.Array:
    """Return the decimal numbers in ``column``."""
    good = pc.match_substring_regex(column, _NUMBER)
    # pyarrow reads no plus sign.
    bare = pc.replace_substring_regex(column, r"^\+", "")
    return pc.if_else(good, bare, pa.scalar(None, pa.string())).cast(pa.float64())


def wholes(column: pa.ChunkedArray, kind: pa.DataType | None = None) -> pa.ChunkedArray:
    """Return the whole numbers in ``column``, also those written as 12.00; null where too large."""
    chosen = kind or pa.int32()
    return by_value(lambda texts: _wholes(texts, chosen))(column)


def _wholes(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return the whole numbers in ``column``."""
    good = pc.match_substring_regex(column, _WHOLE)
    bare = pc.replace_substring_regex(column, r"(^\+)|(\.0*$)", "")
    found = pc.if_else(good, bare, pa.scalar(None, pa.string())).cast(pa.int64())
    most = (1 << (kind.bit_width - 1)) - 1
    fits = pc.and_(pc.less_equal(found, most), pc.greater_equal(found, -most))
    return pc.if_else(fits, found, pa.scalar(None, pa.int64())).cast(kind)


@by_value
def minutes_of_day(hhmm: pa.Array) -> pa.Array:
    """Return minutes after midnight for local times: 7 is 00:07, 2400 the day's end."""
    clock = _wholes(hhmm, pa.int32())
    hours = pc.divide(clock, 100)
    minutes = pc.subtract(clock, pc.multiply(hours, 100))
    total = pc.add(pc.multiply(hours, 60), minutes).cast(pa.int32())
    good = pc.and_(
        pc.and_(pc.greater_equal(clock, 0), pc.less_equal(clock, 2400)), pc.less(minutes, 60)
    )
    return pc.if_else(good, total, pa.scalar(None, pa.int32()))


def days(parts: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    """Return the days that columns of year, month and day of month name; null where none."""
    year, month, day = (wholes(part).cast(pa.string()) for part in parts)
    text = pc.binary_join_element_wise(
        year, pc.utf8_lpad(month, 2, "0"), pc.utf8_lpad(day, 2, "0"), "-"
    )
    return days_of(text)


def days_of(text: pa.ChunkedArray, pattern: str = "%Y-%m-%d") -> pa.ChunkedArray:
    """Return the days that ``text`` names in ``pattern``; null where it names none.

    The parser takes 30 February for 1 March, so what is read is written again and compared.
    """
    return by_value(lambda texts: _days_of(texts, pattern))(text)


def _days_of(text: pa.Array, pattern: str) -> pa.Array:
    """Return the days that ``text`` names."""
    found = pc.strptime(text, format=pattern, unit="us", error_is_null=True)
    stamp = found.cast(pa.int64())
    inside = pc.and_(pc.greater_equal(stamp, _EARLIEST), pc.less(stamp, _LATEST))
    again = pc.equal(pc.strftime(found.cast(pa.timestamp("s")), format=pattern), text)
    return pc.if_else(pc.and_(inside, again), found, pa.scalar(None, pa.timestamp("us"))).cast(
        pa.date32()
    )


def instants(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the instants that ISO texts such as 2015-09-12T00:46:58.771Z name; null where none."""
    shape = r"^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?Z$"
    shaped = pc.if_else(pc.match_substring_regex(text, shape), text, pa.scalar(None, pa.string()))
    day = days_of(pc.utf8_slice_codeunits(shaped, 0, 10))
    seconds = pc.add(
        pc.add(
            pc.multiply(pc.utf8_slice_codeunits(shaped, 11, 13).cast(pa.float64()), 3600),
            pc.multiply(pc.utf8_slice_codeunits(shaped, 14, 16).cast(pa.float64()), 60),
        ),
        pc.replace_substring(pc.utf8_slice_codeunits(shaped, 17), "Z", "").cast(pa.float64()),
    )
    of_day_us = pc.round(pc.multiply(seconds, 1e6)).cast(pa.int64())
    whole = pc.add(pc.multiply(day.cast(pa.int32()).cast(pa.int64()), _DAY_US), of_day_us)
    return whole.cast(pa.timestamp("us")).cast(pa.timestamp("us", tz="UTC"))


def local_us(day: pa.ChunkedArray, minutes: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a local day and time as microseconds since 1970, as if the place were at UTC."""
    whole_days = pc.multiply(day.cast(pa.int32()).cast(pa.int64()), _DAY_US)
    return pc.add(whole_days, pc.multiply(minutes.cast(pa.int64()), _MINUTE_US))
