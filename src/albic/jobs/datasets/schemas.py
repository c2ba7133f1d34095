"""What a row of each dataset looks like, whatever format it came in.

Every schema begins with ``event_time``, an instant in UTC. What a format does not tell is null.
``docs/datasets.md`` says what each column means and where it comes from.
"""

from dataclasses import dataclass

import pyarrow as pa

_INSTANT = pa.timestamp("us", tz="UTC")

FLIGHT = pa.schema(
    [
        ("event_time", _INSTANT),
        ("flight_date", pa.date32()),
        ("year", pa.int32()),
        ("carrier", pa.string()),
        ("flight_number", pa.int32()),
        ("tail_number", pa.string()),
        ("origin", pa.string()),
        ("destination", pa.string()),
        ("scheduled_departure_min", pa.int32()),
        ("departure_min", pa.int32()),
        ("scheduled_arrival_min", pa.int32()),
        ("arrival_min", pa.int32()),
        ("departure_delay_min", pa.int32()),
        ("arrival_delay_min", pa.int32()),
        ("air_time_min", pa.int32()),
        ("distance_miles", pa.int32()),
        ("cancelled", pa.bool_()),
        ("cancellation_code", pa.string()),
        ("diverted", pa.bool_()),
        ("carrier_delay_min", pa.int32()),
        ("weather_delay_min", pa.int32()),
        ("nas_delay_min", pa.int32()),
        ("security_delay_min", pa.int32()),
        ("late_aircraft_delay_min", pa.int32()),
    ]
)

WEATHER = pa.schema(
    [
        ("event_time", _INSTANT),
        ("day", pa.date32()),
        ("hours", pa.int32()),
        ("station", pa.string()),
        ("airport", pa.string()),
        ("precipitation_in", pa.float64()),
        ("precipitation_flag", pa.string()),
        ("precipitation_doubtful", pa.bool_()),
        ("temperature_f", pa.float64()),
        ("dew_point_f", pa.float64()),
        ("sea_level_pressure_mb", pa.float64()),
        ("station_pressure_mb", pa.float64()),
        ("visibility_miles", pa.float64()),
        ("wind_speed_kn", pa.float64()),
        ("max_wind_speed_kn", pa.float64()),
        ("gust_kn", pa.float64()),
        ("max_temperature_f", pa.float64()),
        ("max_temperature_derived", pa.bool_()),
        ("min_temperature_f", pa.float64()),
        ("min_temperature_derived", pa.bool_()),
        ("snow_depth_in", pa.float64()),
        ("fog", pa.bool_()),
        ("rain", pa.bool_()),
        ("snow", pa.bool_()),
        ("hail", pa.bool_()),
        ("thunder", pa.bool_()),
        ("tornado", pa.bool_()),
    ]
)

EDIT = pa.schema(
    [
        ("event_time", _INSTANT),
        ("wiki", pa.string()),
        ("page", pa.string()),
        ("namespace", pa.string()),
        ("article_id", pa.int64()),
        ("revision_id", pa.int64()),
        ("user", pa.string()),
        ("user_id", pa.int64()),
        ("anonymous", pa.bool_()),
        ("minor", pa.bool_()),
        ("new", pa.bool_()),
        ("robot", pa.bool_()),
        ("unpatrolled", pa.bool_()),
        ("added", pa.int64()),
        ("deleted", pa.int64()),
        ("delta", pa.int64()),
        ("words", pa.int64()),
        ("comment", pa.string()),
        ("country", pa.string()),
        ("region", pa.string()),
        ("city", pa.string()),
    ]
)

STATION = pa.schema(
    [
        ("station", pa.string()),
        ("usaf", pa.string()),
        ("wban", pa.string()),
        ("name", pa.string()),
        ("country", pa.string()),
        ("state", pa.string()),
        ("icao", pa.string()),
        ("airport", pa.string()),
        ("latitude", pa.float64()),
        ("longitude", pa.float64()),
        ("elevation_m", pa.float64()),
        ("begin", pa.date32()),
        ("end", pa.date32()),
    ]
)


@dataclass(frozen=True)
class Kind:
    """One of the four sorts of rows: its name, its schema, and the columns that serve as keys."""

    name: str
    schema: pa.Schema
    keys: tuple[str, ...]


FLIGHTS = Kind("flights", FLIGHT, ("tail_number", "origin", "carrier"))
WEATHERS = Kind("weather", WEATHER, ("station",))
EDITS = Kind("edits", EDIT, ("page", "user", "wiki"))
STATIONS = Kind("stations", STATION, ("country",))

KINDS = {kind.name: kind for kind in (FLIGHTS, WEATHERS, EDITS, STATIONS)}
