"""Made-up data with the skew and drift of the real ones, from a seed."""

from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from albic.arrays import Ints
from albic.jobs.datasets import nyc, time_zones
from albic.jobs.datasets.recipe import Recipe, drawn
from albic.jobs.datasets.schemas import EDIT, FLIGHT, WEATHER
from albic.jobs.datasets.skew import zipf_shares

_DAY_US = 86_400_000_000
_HOUR_US = 3_600_000_000
_EPOCH = date(1970, 1, 1)


_CARRIERS = (
    "UA",
    "B6",
    "EV",
    "DL",
    "AA",
    "MQ",
    "US",
    "9E",
    "WN",
    "VX",
    "FL",
    "AS",
    "F9",
    "YV",
    "HA",
    "OO",
)
_AIRPORTS = (
    *("ATL", "DFW", "ORD", "LAX", "DEN", "PHX", "SFO", "LAS", "IAH", "MCO", "LGA", "BOS"),
    *("DTW", "MSP", "SEA", "JFK", "EWR", "CLT", "MIA", "BWI", "SLC", "FLL", "MDW", "DCA"),
    *("SAN", "TPA", "PHL", "DAL", "HNL", "PDX", "STL", "HOU", "BNA", "AUS", "OAK", "MCI"),
)
_AIRPORT_EXPONENT = 0.95
_CARRIER_EXPONENT = 0.96
_USERS, _USER_EXPONENT = 12_000, 0.93
_TONGUES = ("en", "vi", "de", "fr", "ru", "es", "it", "pt", "ja", "zh", "pl", "nl", "sv")
_WIKIS = tuple(f"{tongue}.wikipedia" for tongue in _TONGUES)
_WIKI_EXPONENT = 1.37


def flights(recipe: Recipe) -> pa.Table:
    """Return flights in the schema ``FLIGHT``: each airplane has a carrier, few are cancelled."""
    rng = np.random.default_rng(recipe.seed)
    day = np.sort(rng.integers(0, recipe.days, recipe.rows))
    plane = drawn(rng, recipe, day)
    start = rng.integers(5 * 12, 23 * 12, recipe.rows) * 5
    origin = rng.choice(
        len(_AIRPORTS), recipe.rows, p=zipf_shares(len(_AIRPORTS), _AIRPORT_EXPONENT)
    )
    hops = rng.integers(1, len(_AIRPORTS), recipe.rows)
    destination = (origin + hops) % len(_AIRPORTS)
    distance = 150 + 37 * ((origin * 7 + destination * 11) % 60)
    late = rng.exponential(35, recipe.rows) * (rng.random(recipe.rows) < 0.35)
    delay = np.rint(rng.normal(-3, 4, recipe.rows) + late).astype(int)
    arrival_delay = np.rint(delay + rng.normal(-4, 10, recipe.rows)).astype(int)
    cancelled = rng.random(recipe.rows) < 0.02
    diverted = ~cancelled & (rng.random(recipe.rows) < 0.002)
    owners = rng.choice(
        len(_CARRIERS), recipe.keys, p=zipf_shares(len(_CARRIERS), _CARRIER_EXPONENT)
    )
    air = (distance / 7.5).astype(int) + 10
    whole = np.int32
    epoch_day = (recipe.start - _EPOCH).days + day
    no_arrival = cancelled | diverted
    columns = {
        "flight_date": pa.array(epoch_day.astype(whole), pa.int32()).cast(pa.date32()),
        "carrier": [_CARRIERS[owner] for owner in owners[plane]],
        "flight_number": pa.array(1 + (plane * 13 + start) % 6000, pa.int32()),
        "tail_number": [_tail(each) for each in plane.tolist()],
        "origin": [_AIRPORTS[each] for each in origin],
        "destination": [_AIRPORTS[each] for each in destination],
        "scheduled_departure_min": pa.array(start, pa.int32()),
        "departure_min": _where(~cancelled, _clock(start + delay)),
        "scheduled_arrival_min": pa.array(_clock(start + air + 30), pa.int32()),
        "arrival_min": _where(~no_arrival, _clock(start + air + 30 + arrival_delay)),
        "departure_delay_min": _where(~cancelled, delay),
        "arrival_delay_min": _where(~no_arrival, arrival_delay),
        "air_time_min": _where(~no_arrival, air),
        "distance_miles": pa.array(distance, pa.int32()),
        "cancelled": pa.array(cancelled),
        "cancellation_code": pa.array(np.where(cancelled, "B", ""), mask=~cancelled),
        "diverted": pa.array(diverted),
        **_causes(arrival_delay, ~no_arrival & (arrival_delay >= 15)),
    }
    return completed(columns)


def completed(columns: dict[str, object]) -> pa.Table:
    """Return flights with the year and the event time that follow from the rest."""
    table = pa.table(columns)
    days = table["flight_date"].cast(pa.int32()).to_numpy().astype(np.int64)
    minutes = table["scheduled_departure_min"].to_numpy().astype(np.int64)
    local = pa.chunked_array([pa.array(days * _DAY_US + minutes * 60_000_000)])
    when, _ = time_zones.instants(local, table["origin"], nyc.airport_zones())
    years = [day.year for day in table["flight_date"].to_pylist()]
    full = {**{name: table[name] for name in table.column_names}, "event_time": when, "year": years}
    return pa.table({name: full[name] for name in FLIGHT.names}, schema=FLIGHT)


def edits(recipe: Recipe) -> pa.Table:
    """Return edits in the schema ``EDIT``, by time: busy pages come and go, robots stay."""
    rng = np.random.default_rng(recipe.seed)
    start_us = (recipe.start - _EPOCH).days * _DAY_US
    # Milliseconds, as in the real file.
    offset = np.sort(rng.integers(0, recipe.days * _DAY_US // 1000, recipe.rows)) * 1000
    page = drawn(rng, recipe, offset // _HOUR_US)
    user = rng.choice(_USERS, recipe.rows, p=zipf_shares(_USERS, _USER_EXPONENT))
    wiki = rng.choice(len(_WIKIS), recipe.keys, p=zipf_shares(len(_WIKIS), _WIKI_EXPONENT))
    anonymous = rng.random(recipe.rows) < 0.097
    robot = user < 30
    delta = np.rint(rng.standard_cauchy(recipe.rows).clip(-300, 300) * 40).astype(int)
    words = rng.integers(20, 5000, recipe.rows)
    columns = {
        "event_time": pa.array(start_us + offset, pa.timestamp("us")).cast(
            pa.timestamp("us", tz="UTC")
        ),
        "wiki": [_WIKIS[each] for each in wiki[page]],
        "page": [f"Page {each}" for each in page.tolist()],
        "namespace": ["Main"] * recipe.rows,
        "article_id": pa.array(page + 1),
        "revision_id": pa.array(np.arange(1, recipe.rows + 1)),
        "user": [
            f"10.{each >> 8 & 255}.{each & 255}.7" if unknown else f"User {each}"
            for each, unknown in zip(user.tolist(), anonymous.tolist(), strict=True)
        ],
        "user_id": pa.array(user + 1, mask=anonymous),
        "anonymous": pa.array(anonymous),
        "minor": pa.array(rng.random(recipe.rows) < 0.3),
        "new": pa.array(rng.random(recipe.rows) < 0.06),
        "robot": pa.array(robot & ~anonymous),
        "unpatrolled": pa.array(rng.random(recipe.rows) < 0.05),
        "added": pa.array(delta.clip(0)),
        "deleted": pa.array((-delta).clip(0)),
        "delta": pa.array(delta),
        "words": pa.array(words),
        "comment": [f"edit {each}" for each in range(recipe.rows)],
        "country": pa.array(np.where(anonymous, "DK", ""), mask=~anonymous),
        "region": pa.nulls(recipe.rows, pa.string()),
        "city": pa.nulls(recipe.rows, pa.string()),
    }
    return pa.table({name: columns[name] for name in EDIT.names}, schema=EDIT)


def weather(recipe: Recipe) -> pa.Table:
    """Return days of weather in the schema ``WEATHER``: each station one row a day."""
    rng = np.random.default_rng(recipe.seed)
    rows = recipe.rows
    station = np.arange(rows) % recipe.keys
    day = np.arange(rows) // recipe.keys
    warmth = np.round(55 - 25 * np.cos(2 * np.pi * day / 365.25) + rng.normal(0, 6, rows), 1)
    wet = rng.random(rows) < 0.3
    rain = np.round(rng.exponential(0.25, rows) * wet, 2).clip(0, 20)
    unknown = rng.random(rows) < 0.05
    wind = np.round(rng.gamma(4, 2, rows), 1)
    # In one of the formats 999.9 says "not measured".
    pressure = np.round(rng.normal(1005, 8, rows), 1)
    days = [recipe.start + timedelta(days=int(each)) for each in day]
    false = pa.array(np.zeros(rows, bool))
    columns: dict[str, object] = {
        "event_time": pa.array(days, pa.date32())
        .cast(pa.timestamp("us"))
        .cast(pa.timestamp("us", tz="UTC")),
        "day": pa.array(days, pa.date32()),
        "hours": pa.array([24] * rows, pa.int32()),
        "station": [f"{700_000 + each:06}{10_000 + each:05}" for each in station.tolist()],
        "precipitation_in": pa.array(rain, mask=unknown),
        "precipitation_flag": pa.array(np.where(unknown, "", "G"), mask=unknown),
        "precipitation_doubtful": false,
        "temperature_f": pa.array(warmth),
        "dew_point_f": pa.array(np.round(warmth - 9, 1)),
        "sea_level_pressure_mb": pa.array(np.round(rng.normal(1015, 8, rows), 1)),
        "station_pressure_mb": pa.array(np.where(pressure == 999.9, 1000.0, pressure)),
        "visibility_miles": pa.array(np.round(rng.uniform(1, 10, rows), 1)),
        "wind_speed_kn": pa.array(wind),
        "max_wind_speed_kn": pa.array(np.round(wind + 5, 1)),
        "max_temperature_f": pa.array(np.round(warmth + 8, 1)),
        "max_temperature_derived": pa.array(rng.random(rows) < 0.5),
        "min_temperature_f": pa.array(np.round(warmth - 8, 1)),
        "min_temperature_derived": pa.array(rng.random(rows) < 0.5),
        "rain": pa.array(rain > 0),
        **dict.fromkeys(("fog", "snow", "hail", "thunder", "tornado"), false),
    }
    full = {field.name: columns.get(field.name, pa.nulls(rows, field.type)) for field in WEATHER}
    return pa.table(full, schema=WEATHER)


def _tail(number: int) -> str:
    """Return the tail number of an airplane."""
    return f"N{number + 100}{'ABCDEFGHJK'[number % 10]}A"


def _clock(minutes: Ints) -> Ints:
    """Return minutes after midnight, whatever day it is then."""
    return minutes % 1440


def _where(there: np.ndarray, values: np.ndarray) -> pa.Array:
    """Return whole numbers, and null where they are not there."""
    return pa.array(values.astype(np.int32), pa.int32(), mask=~there)


def _causes(delay: Ints, told: np.ndarray) -> dict[str, pa.Array]:
    """Return the causes of delays of a quarter of an hour or more; they add up to the delay."""
    half = delay // 2
    nothing = np.zeros_like(delay)
    return {
        "carrier_delay_min": _where(told, half),
        "weather_delay_min": _where(told, nothing),
        "nas_delay_min": _where(told, delay - half),
        "security_delay_min": _where(told, nothing),
        "late_aircraft_delay_min": _where(told, nothing),
    }
