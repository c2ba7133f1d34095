"""Normalised rows written down in the original formats: what the loaders read."""

import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from albic.jobs.datasets import airline, formats, gsod, snap
from albic.jobs.datasets.archives import compressing
from albic.jobs.datasets.formats import Format
from albic.model import InvalidInput

Row = Mapping[str, object]

_RELEASE_2015_LINES = (
    "YEAR,MONTH,DAY,DAY_OF_WEEK,AIRLINE,FLIGHT_NUMBER,TAIL_NUMBER,ORIGIN_AIRPORT",
    "DESTINATION_AIRPORT,SCHEDULED_DEPARTURE,DEPARTURE_TIME,DEPARTURE_DELAY,TAXI_OUT",
    "WHEELS_OFF,SCHEDULED_TIME,ELAPSED_TIME,AIR_TIME,DISTANCE,WHEELS_ON,TAXI_IN",
    "SCHEDULED_ARRIVAL,ARRIVAL_TIME,ARRIVAL_DELAY,DIVERTED,CANCELLED,CANCELLATION_REASON",
    "AIR_SYSTEM_DELAY,SECURITY_DELAY,AIRLINE_DELAY,LATE_AIRCRAFT_DELAY,WEATHER_DELAY",
)
_RELEASE_2015 = [name for line in _RELEASE_2015_LINES for name in line.split(",")]
_TRANSTATS_LINES = (
    "YEAR,MONTH,DAY_OF_MONTH,FL_DATE,OP_UNIQUE_CARRIER,TAIL_NUM,OP_CARRIER_FL_NUM,ORIGIN,DEST",
    "CRS_DEP_TIME,DEP_TIME,DEP_DELAY,CRS_ARR_TIME,ARR_TIME,ARR_DELAY,CANCELLED",
    "CANCELLATION_CODE,DIVERTED,AIR_TIME,DISTANCE,CARRIER_DELAY,WEATHER_DELAY,NAS_DELAY",
    "SECURITY_DELAY,LATE_AIRCRAFT_DELAY",
)
_TRANSTATS = [name for line in _TRANSTATS_LINES for name in line.split(",")]
_CLOCKS = ("scheduled_departure_min", "departure_min", "scheduled_arrival_min", "arrival_min")
_WORDS = {"carrier", "tail_number", "origin", "destination", "cancellation_code", "date"}


def save(table: pa.Table, form: Format, path: Path) -> None:
    """Write rows to ``path`` in a format, compressed as the name says; whole or not at all."""
    lines = WRITERS.get(form.name)
    if lines is None:
        known = ", ".join(WRITERS)
        raise InvalidInput(f"{form.name} can be read, not written; choose one of {known}")
    # A name that nobody else has: two may be writing the same file.
    fresh = path.with_name(f".new-{secrets.token_hex(4)}-{path.name}")
    try:
        with compressing(fresh) as stream:
            for line in lines(table):
                stream.write(line.encode("utf-8") + b"\n")
        fresh.replace(path)
    except OSError as wrong:
        raise InvalidInput(f"{str(path)!r} cannot be written: {wrong.strerror}") from None
    finally:
        fresh.unlink(missing_ok=True)


def _rows(table: pa.Table) -> Iterator[Row]:
    """Yield rows one by one without holding all of them as Python objects."""
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def _data_expo(table: pa.Table) -> Iterator[str]:
    """Yield Data Expo's lines; missing is NA, but an empty code and tail number stay empty."""
    yield ",".join(airline.DATA_EXPO)
    ours, empty = _ours(airline.DATA_EXPO), {"tail_number", "cancellation_code"}
    for row in _rows(table):
        values = _flight(row, ours, clock="{}")
        yield ",".join(
            value if value is not None else "" if name in empty else "NA"
            for name, value in zip(ours, values, strict=True)
        )


def _release_2015(table: pa.Table) -> Iterator[str]:
    """Yield the lines of the 2015 release; missing is empty, times have four digits."""
    yield ",".join(_RELEASE_2015)
    ours = _ours(_RELEASE_2015)
    for row in _rows(table):
        yield ",".join(value or "" for value in _flight(row, ours, clock="{:04}"))


def _transtats(table: pa.Table) -> Iterator[str]:
    """Yield lines of the download page: quoted words, decimals, a comma at the end."""
    yield ",".join(f'"{name}"' for name in _TRANSTATS) + ","
    ours = _ours(_TRANSTATS)
    for row in _rows(table):
        values = _flight(row, ours, clock="{:04}")
        fields = (
            f'"{value or ""}"'
            if name in _WORDS or name in _CLOCKS
            else ""
            if value is None
            else value
            if name in ("year", "month", "day", "flight_number")
            else f"{value}.00"
            for name, value in zip(ours, values, strict=True)
        )
        yield ",".join(fields) + ","


def _ours(header: list[str]) -> list[str | None]:
    """Return our name for each column of a header."""
    known = {at: name for name, at in (airline.columns_of(header) or {}).items()}
    return [known.get(at) for at in range(len(header))]


def _flight(row: Row, ours: list[str | None], clock: str) -> list[str | None]:
    """Return a flight's fields in the order of ``ours``; nothing where it has none."""
    day = row["flight_date"]
    dated = {
        "year": getattr(day, "year", None),
        "month": getattr(day, "month", None),
        "day": getattr(day, "day", None),
        "date": day,
    }
    found: list[str | None] = []
    for name in ours:
        value = None if name is None else dated.get(name, row.get(name))
        if value is None:
            found.append(None)
        elif name in _CLOCKS and isinstance(value, int):
            found.append(clock.format(value // 60 * 100 + value % 60))
        else:
            found.append(str(int(value)) if isinstance(value, bool) else str(value))
    return found


def _gsod_op(table: pa.Table) -> Iterator[str]:
    """Yield fixed-width lines."""
    header = (
        "STN--- WBAN   YEARMODA    TEMP       DEWP      SLP        STP       VISIB      WDSP     "
    )
    yield header + "MXSPD   GUST    MAX     MIN   PRCP   SNDP   FRSHTT"
    for row in _rows(table):
        fields = _gsod(row) | {
            "usaf": str(row["station"])[:6],
            "wban": str(row["station"])[6:],
            "day": str(row["day"]).replace("-", ""),
        }
        line = [" "] * gsod.OP_WIDTH
        for name, (first, end) in gsod.OP_FIELDS.items():
            line[first:end] = fields[name].rjust(end - first)
        yield "".join(line)


def _gsod_csv(table: pa.Table) -> Iterator[str]:
    """Yield NCEI's lines; the pressure at the station loses its thousand, as there."""
    names = list(gsod.CSV_FIELDS.values())
    yield ",".join(f'"{name}"' for name in names)
    for row in _rows(table):
        fields = _gsod(row) | {"station": str(row["station"]), "day": str(row["day"])}
        pressure = row["station_pressure_mb"]
        fields["station_pressure_mb"] = (
            "999.9" if pressure is None else f"{float(str(pressure)) % 1000:05.1f}"
        )
        yield ",".join(f'"{fields[name]}"' for name in gsod.CSV_FIELDS)


def _gsod(row: Row) -> dict[str, str]:
    """Return the fields that both formats of weather share."""
    fields = {
        name: f"{absent if row[name] is None else row[name]:.{2 if absent == 99.99 else 1}f}"
        for name, absent in gsod.ABSENT.items()
    }
    return fields | {
        "max_flag": "*" if row["max_temperature_derived"] else " ",
        "min_flag": "*" if row["min_temperature_derived"] else " ",
        "precipitation_flag": str(row["precipitation_flag"] or " "),
        "events": "".join("1" if row[name] else "0" for name in gsod.EVENTS),
    }


def _wikiticker(table: pa.Table) -> Iterator[str]:
    """Yield JSON lines."""
    for row in _rows(table):
        document = {
            "time": _iso(row, milliseconds=True),
            "channel": f"#{row['wiki']}",
            "cityName": row["city"],
            "comment": row["comment"],
            "countryIsoCode": row["country"],
            "countryName": None,
            "isAnonymous": row["anonymous"],
            "isMinor": row["minor"],
            "isNew": row["new"],
            "isRobot": row["robot"],
            "isUnpatrolled": row["unpatrolled"],
            "metroCode": None,
            "namespace": row["namespace"],
            "page": row["page"],
            "regionIsoCode": row["region"],
            "regionName": None,
            "user": row["user"],
            "delta": row["delta"],
            "added": row["added"],
            "deleted": row["deleted"],
        }
        yield json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def _snap(table: pa.Table) -> Iterator[str]:
    """Yield SNAP's blocks; lists of links are empty."""
    for row in _rows(table):
        user = str(row["user"]).replace(" ", "_")
        name, number = (f"ip:{user}",) * 2 if row["anonymous"] else (user, str(row["user_id"]))
        page = str(row["page"]).replace(" ", "_")
        when = _iso(row, milliseconds=False)
        yield f"REVISION {row['article_id']} {row['revision_id']} {page} {when} {name} {number}"
        told = {
            "COMMENT": str(row["comment"] or ""),
            "MINOR": str(int(bool(row["minor"]))),
            "TEXTDATA": str(row["words"]),
        }
        for tag in snap.TAGS:
            yield f"{tag} {told[tag]}" if told.get(tag) else tag
        yield ""


def _iso(row: Row, *, milliseconds: bool) -> str:
    """Return the event time as the formats write it."""
    when = row["event_time"]
    spec = "milliseconds" if milliseconds else "seconds"
    text: str = when.isoformat(timespec=spec)  # type: ignore[attr-defined]
    return text.replace("+00:00", "Z")


WRITERS: Mapping[str, Callable[[pa.Table], Iterator[str]]] = {
    formats.DATA_EXPO.name: _data_expo,
    formats.RELEASE_2015.name: _release_2015,
    formats.TRANSTATS.name: _transtats,
    formats.GSOD_OP.name: _gsod_op,
    formats.GSOD_CSV.name: _gsod_csv,
    formats.WIKITICKER.name: _wikiticker,
    formats.SNAP.name: _snap,
}
