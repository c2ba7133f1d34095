"""Daily summaries of weather stations (NOAA GSOD): fixed width (.op) and comma-separated (NCEI)."""

from collections.abc import Mapping

import pyarrow as pa
import pyarrow.compute as pc

from albic.jobs.datasets import values
from albic.jobs.datasets.schemas import WEATHER
from albic.jobs.datasets.tally import Tally

#: Where the fields of a line lie: first and one past the last character.
OP_FIELDS: Mapping[str, tuple[int, int]] = {
    "usaf": (0, 6),
    "wban": (7, 12),
    "day": (14, 22),
    "temperature_f": (24, 30),
    "dew_point_f": (35, 41),
    "sea_level_pressure_mb": (46, 52),
    "station_pressure_mb": (57, 63),
    "visibility_miles": (68, 73),
    "wind_speed_kn": (78, 83),
    "max_wind_speed_kn": (88, 93),
    "gust_kn": (95, 100),
    "max_temperature_f": (102, 108),
    "max_flag": (108, 109),
    "min_temperature_f": (110, 116),
    "min_flag": (116, 117),
    "precipitation_in": (118, 123),
    "precipitation_flag": (123, 124),
    "snow_depth_in": (125, 130),
    "events": (132, 138),
}
OP_WIDTH = 138

CSV_FIELDS: Mapping[str, str] = {
    "station": "STATION",
    "day": "DATE",
    "temperature_f": "TEMP",
    "dew_point_f": "DEWP",
    "sea_level_pressure_mb": "SLP",
    "station_pressure_mb": "STP",
    "visibility_miles": "VISIB",
    "wind_speed_kn": "WDSP",
    "max_wind_speed_kn": "MXSPD",
    "gust_kn": "GUST",
    "max_temperature_f": "MAX",
    "max_flag": "MAX_ATTRIBUTES",
    "min_temperature_f": "MIN",
    "min_flag": "MIN_ATTRIBUTES",
    "precipitation_in": "PRCP",
    "precipitation_flag": "PRCP_ATTRIBUTES",
    "snow_depth_in": "SNDP",
    "events": "FRSHTT",
}

#: What each measure says when it was not measured.
ABSENT: Mapping[str, float] = {
    "temperature_f": 9999.9,
    "dew_point_f": 9999.9,
    "sea_level_pressure_mb": 9999.9,
    "station_pressure_mb": 9999.9,
    "max_temperature_f": 9999.9,
    "min_temperature_f": 9999.9,
    "visibility_miles": 999.9,
    "wind_speed_kn": 999.9,
    "max_wind_speed_kn": 999.9,
    "gust_kn": 999.9,
    "snow_depth_in": 999.9,
    "precipitation_in": 99.99,
}
EVENTS = ("fog", "rain", "snow", "hail", "thunder", "tornado")

#: I: nobody reported rain, and 0.00 may mean "unknown"; H: 0.00, but some hours had rain.
_DOUBTFUL = pa.array(["H", "I"])
#: No barometer on land shows less; a smaller value lost its thousand.
_LEAST_PRESSURE_MB = 100.0


def op_table(lines: list[bytes], tally: Tally) -> pa.Table:
    """Return the fields of fixed-width lines as columns of text; header lines are left out."""
    whole = [line for line in lines if len(line) == OP_WIDTH and not line.startswith(b"STN")]
    others = sum(1 for line in lines if line.strip() and not line.startswith(b"STN"))
    tally.skip("line is not 138 characters long", others - len(whole))
    text = pa.chunked_array([pa.array([line.decode("latin-1") for line in whole], pa.string())])
    parts = {
        name: pc.utf8_slice_codeunits(text, first, last)
        for name, (first, last) in OP_FIELDS.items()
    }
    return pa.table(parts)


def op_weather(raw: pa.Table, tally: Tally) -> pa.Table:
    """Return the days in a table of :func:`op_table`."""
    joined = pc.binary_join_element_wise(raw["usaf"], raw["wban"], "")
    raw = raw.append_column("station", joined)
    return _weather(raw, values.days_of(raw["day"], "%Y%m%d"), tally)


def csv_weather(text: pa.Table, tally: Tally) -> pa.Table:
    """Return the days in a table with NCEI's columns."""
    raw = pa.table({ours: text[theirs] for ours, theirs in CSV_FIELDS.items()})
    pressure = raw["station_pressure_mb"]
    # This format writes 999.9 for "not measured" and 009.7 for 1009.7.
    measured = values.numbers(pc.utf8_trim_whitespace(pressure))
    cut = pc.fill_null(pc.less(measured, _LEAST_PRESSURE_MB), False)  # noqa: FBT003
    mended = pc.if_else(cut, pc.add(measured, 1000.0), measured)
    mended = pc.if_else(pc.equal(measured, 999.9), ABSENT["station_pressure_mb"], mended)
    # Text again, so that both formats go the same way; null stays what it was, and is judged there.
    words = pc.coalesce(pc.round(mended, 1).cast(pa.string()), pressure)
    at = raw.schema.get_field_index("station_pressure_mb")
    raw = raw.set_column(at, "station_pressure_mb", words)
    tally.mend("station pressure without its thousand: restored", pc.sum(cut).as_py() or 0)
    return _weather(raw, values.days_of(raw["day"]), tally)


def _weather(raw: pa.Table, day: pa.ChunkedArray, tally: Tally) -> pa.Table:
    """Return good rows in the schema ``WEATHER``."""
    trimmed = {name: values.present(raw[name]) for name in ABSENT}
    flags = {name: raw[name] for name in ("station", "events", *_FLAGS)}
    table = pa.table({"day": day, **trimmed, **flags})
    kept = tally.keep(
        table,
        {
            "impossible date": pc.is_valid(day),
            "station is not of 11 characters": pc.match_substring_regex(
                table["station"], "^[0-9A-Z]{11}$"
            ),
            "a measure that is no number": values.all_readable(list(trimmed.values())),
            "events (FRSHTT) are not six digits": pc.match_substring_regex(
                table["events"], "^[01]{6}$"
            ),
        },
    )
    return _normalised(kept)


_FLAGS = ("max_flag", "min_flag", "precipitation_flag")


def _normalised(kept: pa.Table) -> pa.Table:
    """Return good rows with every column in its type."""
    flag = values.present(kept["precipitation_flag"])
    made = {name: measured(kept[name], absent) for name, absent in ABSENT.items()}
    made |= {
        "event_time": kept["day"].cast(pa.timestamp("us")).cast(pa.timestamp("us", tz="UTC")),
        "day": kept["day"],
        "hours": pa.array([24] * kept.num_rows, pa.int32()),
        "station": kept["station"],
        "airport": pa.nulls(kept.num_rows, pa.string()),
        "precipitation_flag": flag,
        "precipitation_doubtful": pc.is_in(flag, _DOUBTFUL),
        "max_temperature_derived": pc.equal(kept["max_flag"], "*"),
        "min_temperature_derived": pc.equal(kept["min_flag"], "*"),
    }
    for at, name in enumerate(EVENTS):
        made[name] = pc.equal(pc.utf8_slice_codeunits(kept["events"], at, at + 1), "1")
    return pa.table({name: made[name] for name in WEATHER.names}, schema=WEATHER)


def measured(column: pa.ChunkedArray, absent: float) -> pa.ChunkedArray:
    """Return the numbers in ``column``, and null where it says ``absent``."""
    found = values.numbers(column)
    return pc.if_else(pc.equal(found, absent), pa.scalar(None, pa.float64()), found)
