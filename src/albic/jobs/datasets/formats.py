"""Which format a file has, told from its first lines, and how to read it."""

import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from albic.jobs.datasets import airline, gsod, isd, nyc, snap, wikiticker
from albic.jobs.datasets.blocks import blocks, fields, lines, text_table
from albic.jobs.datasets.schemas import EDITS, FLIGHTS, STATIONS, WEATHERS, Kind
from albic.jobs.datasets.tally import Tally

Reader = Callable[[io.BufferedReader, Tally], Iterator[pa.Table]]
"""Yields tables in the schema of the format's kind, and counts what it leaves out."""


@dataclass(frozen=True)
class Format:
    """One way in which a kind of rows is written down."""

    name: str
    kind: Kind
    about: str


@dataclass(frozen=True)
class Recognised:
    """A format, and how to read a file that has it."""

    format: Format
    read: Reader


DATA_EXPO = Format("data-expo", FLIGHTS, "Data Expo 2009 on-time flights, 1987-2008")
PREZIP = Format("bts-prezip", FLIGHTS, "BTS on-time archive, 109 columns")
TRANSTATS = Format("bts-transtats", FLIGHTS, "BTS download page, upper-case columns")
RELEASE_2015 = Format("flights-2015", FLIGHTS, 'DOT release "2015 Flight Delays"')
NYC = Format("nycflights13", FLIGHTS, "flights from New York in 2013")
OTHER_FLIGHTS = Format("flights", FLIGHTS, "on-time flights, columns known by name")
GSOD_OP = Format("gsod-op", WEATHERS, "NOAA GSOD days, fixed width")
GSOD_CSV = Format("gsod-csv", WEATHERS, "NOAA GSOD days, NCEI's comma-separated values")
NYC_WEATHER = Format("nycflights13-weather", WEATHERS, "hourly weather at New York, 2013")
ISD = Format("isd-history", STATIONS, "NOAA's list of weather stations")
WIKITICKER = Format("wikiticker", EDITS, "Wikipedia edits of 2015-09-12, JSON lines")
SNAP = Format("snap-enwiki", EDITS, "SNAP's English Wikipedia history, blocks of 14 lines")

FORMATS = {
    each.name: each
    for each in (
        *(DATA_EXPO, PREZIP, TRANSTATS, RELEASE_2015, NYC, OTHER_FLIGHTS),
        *(GSOD_OP, GSOD_CSV, NYC_WEATHER, ISD, WIKITICKER, SNAP),
    )
}

#: A column that only one style of header has, and that style.
_STYLES = {
    "OP_UNIQUE_CARRIER": TRANSTATS,
    "FlightDate": PREZIP,
    "ORIGIN_AIRPORT": RELEASE_2015,
    "sched_dep_time": NYC,
    "UniqueCarrier": DATA_EXPO,
}
_HEAD_LINES = 40


def recognised(head: bytes) -> Recognised | None:
    """Return the format of a file that begins with ``head``, or nothing."""
    first_lines = lines(head.removeprefix(b"\xef\xbb\xbf") + b"\n")[:_HEAD_LINES]
    first = next((line for line in first_lines if line.strip()), b"")
    return _not_flights(first, first_lines) or _flights(first)


def _not_flights(first: bytes, first_lines: Sequence[bytes]) -> Recognised | None:
    """Return the format if it is not one of the many of flights."""
    names = fields(first)
    revision = any(line.startswith(snap.MARK) and len(line.split()) == 7 for line in first_lines)
    columns = all(names.count(name) == 1 for name in gsod.CSV_FIELDS.values())
    objects = first.startswith(b"{") and b'"page"' in first and b'"time"' in first
    known = (
        (first.startswith(b"STN--- WBAN"), Recognised(GSOD_OP, _gsod_op)),
        (columns, Recognised(GSOD_CSV, _by_header(names, gsod.csv_weather))),
        (names == isd.HEADER, Recognised(ISD, _isd)),
        (names == nyc.WEATHER_HEADER, Recognised(NYC_WEATHER, _by_header(names, nyc.weather))),
        (objects, Recognised(WIKITICKER, _wikiticker)),
        (revision, Recognised(SNAP, _snap)),
    )
    return next((found for fits, found in known if fits), None)


def _flights(first: bytes) -> Recognised | None:
    """Return the format if the first line is a header of flights, or a flight without one."""
    names = fields(first)
    columns = airline.columns_of(names)
    if columns is not None:
        style = next((form for name, form in _STYLES.items() if name in names), OTHER_FLIGHTS)
        return Recognised(style, _flights_reader(len(names), columns, header=True))
    if (
        len(names) == len(airline.DATA_EXPO)
        and names[0].isdigit()
        and 1987 <= int(names[0]) <= 2100
    ):
        expo = airline.columns_of(airline.DATA_EXPO)
        if expo is not None:
            return Recognised(DATA_EXPO, _flights_reader(len(names), expo, header=False))
    return None


def _flights_reader(width: int, columns: dict[str, int], *, header: bool) -> Reader:
    """Return a reader of flights whose fields lie where ``columns`` says."""
    # The archive's header ends in a comma, so one column has no name: positions do for all.
    names = [str(position) for position in range(width)]

    def read(stream: io.BufferedReader, tally: Tally) -> Iterator[pa.Table]:
        zones = nyc.airport_zones()
        for block in _body(stream, tally, header=header):
            yield airline.flights(text_table(block, names, tally), columns, zones, tally)

    return read


def _by_header(names: list[str], normalise: Callable[[pa.Table, Tally], pa.Table]) -> Reader:
    """Return a reader of comma-separated values under a header."""

    def read(stream: io.BufferedReader, tally: Tally) -> Iterator[pa.Table]:
        for block in _body(stream, tally, header=True):
            yield normalise(text_table(block, names, tally), tally)

    return read


def _gsod_op(stream: io.BufferedReader, tally: Tally) -> Iterator[pa.Table]:
    for block in blocks(stream, tally):
        yield gsod.op_weather(gsod.op_table(lines(block), tally), tally)


def _isd(stream: io.BufferedReader, tally: Tally) -> Iterator[pa.Table]:
    for block in blocks(stream, tally):
        yield isd.stations(isd.split(lines(block), tally), tally)


def _wikiticker(stream: io.BufferedReader, tally: Tally) -> Iterator[pa.Table]:
    for block in blocks(stream, tally):
        yield wikiticker.edits(lines(block), tally)


def _snap(stream: io.BufferedReader, tally: Tally) -> Iterator[pa.Table]:
    waiting: list[bytes] = []
    for block in blocks(stream, tally):
        waiting += lines(block)
        whole = snap.last_record(waiting)
        yield snap.edits(waiting[:whole], tally)
        waiting = waiting[whole:]
    yield snap.edits(waiting, tally)


def _body(stream: io.BufferedReader, tally: Tally, *, header: bool) -> Iterator[bytes]:
    """Yield blocks of lines without the header."""
    for block in blocks(stream, tally):
        start = block.lstrip(b"\r\n")
        yield start[start.find(b"\n") + 1 :] if header else start
        header = False
