"""Real Job 4: Real Job 3 with weather: how much routes are delayed in how much rain.

The sums of routes meet the rain at their origin on that day; delays are summed for each route and
interval of ten in the rain score. Store operators collect what changed and pass it on to the
database now and then.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from albic.jobs.datasets.pace import Pace
from albic.jobs.datasets.prepared import Prepared
from albic.jobs.datasets.sources import frame, ordered_flights, ordered_weather
from albic.jobs.datasets.years import year_of
from albic.jobs.real import airplanes, rain, routes
from albic.jobs.real.airplanes import FLIGHTS, ROWS_PER_BATCH, SUM, SUMS
from albic.jobs.real.feeds import Feed
from albic.jobs.real.job import Inputs, RealJob
from albic.jobs.real.routes import ROUTE, ROUTE_DELAY
from albic.jobs.real.sums import added, latest
from albic.jobs.real.windows import parted
from albic.jobs.stores import Column, Table
from albic.model import InvalidInput
from albic.streams import Operator, Rows, State

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

WEATHER, RAIN, JOIN, EFFICIENCY = "weather", "rainscore", "join", "courier-efficiency"
STORE_DELAYS, STORE_EFFICIENCY = "store-delays", "store-efficiency"
#: How much event time passes between two writes of a store operator.
STORE_EVERY = timedelta(days=7)
SCORE_STEP, LAST_STEP = 10, 90
DAY_US = 86_400_000_000

SCORES = "origin string, destination string, day timestamp, rain_score double"
JOINED = f"{SCORES}, delay_min bigint, flights bigint"
EFFICIENCIES = "origin string, destination string, rain_from int, delay_min bigint, flights bigint"
STEP = (*ROUTE, "rain_from")
TABLE = Table(
    "courier_efficiency",
    (
        Column("origin", "text"),
        Column("destination", "text"),
        Column("rain_from", "integer"),
        Column("delay_min", "integer"),
        Column("flights", "integer"),
    ),
    key=STEP,
)


def join(state: State, rows: Rows) -> pa.Table:
    """Return the delays of each route with the rain of the day, for days that are over."""
    values = ["delay_min", "flights"]
    new = rows.table(ROUTE_DELAY).select([*ROUTE, "day", *values])
    delays, _ = added(state.get("delays"), new, [*ROUTE, "day"], values)
    waiting = [state[name] for name in ("scores",) if name in state]
    scores = pa.concat_tables([*waiting, rows.table(RAIN)])
    late, state["delays"] = parted(delays, "day", rain.DAY, rows.watermark)
    wet, state["scores"] = parted(scores, "day", rain.DAY, rows.watermark)
    return late.join(wet, [*ROUTE, "day"], join_type="inner", use_threads=False)


def efficiency(state: State, rows: Rows) -> pa.Table:
    """Return the sums that changed, for each route and interval of ten in the rain score."""
    given = rows.table()
    step = pc.multiply(pc.floor(pc.divide(given["rain_score"], SCORE_STEP)), SCORE_STEP)
    rain_from = pc.min_element_wise(step, LAST_STEP).cast(pa.int32())
    new = given.select([*ROUTE, "delay_min", "flights"]).append_column("rain_from", rain_from)
    state["sums"], changed = added(state.get("sums"), new, STEP, ["delay_min", "flights"])
    return changed


@dataclass(frozen=True, slots=True)
class Storing:
    """Collects the latest row of each key, and lets them go once in ``every`` of event time."""

    key: tuple[str, ...]
    every: timedelta

    def __call__(self, state: State, rows: Rows) -> pa.Table | None:
        """Return what has to be written now."""
        waiting = state.pop("waiting", None)
        fresh = [rows.table()] if waiting is None else [rows.table(), waiting]
        changed = latest(fresh, self.key)
        if rows.watermark is not None:
            period = int(rows.watermark.timestamp() // self.every.total_seconds())
            if period != state.get("period"):
                state["period"] = period
                return changed
        state["waiting"] = changed
        return None


@dataclass(frozen=True, slots=True)
class Data:
    """Both inputs, and how much event time of them comes in a batch."""

    flights: Prepared
    weather: Prepared
    span_s: float


def data_of(inputs: Inputs) -> Data:
    """Return what the job reads: as much of both as lies in the same time."""
    if inputs.data is not None and not inputs.data.is_dir():
        raise InvalidInput(
            f"{str(inputs.data)!r} is no folder; Job 4 needs one that holds flights and weather"
        )
    flights, weather = ordered_flights(inputs.data), ordered_weather(inputs.data)
    first_us = flights.time_at_us(0)
    part = min((inputs.rows_per_batch or ROWS_PER_BATCH) / flights.rows, 1.0)
    span_us = max(round(part * (flights.last_us - first_us)), 1)
    end_us = flights.last_us + 1
    if inputs.batches is not None:
        # Batches end where multiples of the span do.
        wanted_us = (first_us // span_us + inputs.batches) * span_us
        if inputs.data is None:
            flights, weather = _until(wanted_us, flights), _until(wanted_us, weather)
        end_us = min(flights.last_us + 1, wanted_us)
    # Whole days: an observation may tell of all of its day.
    days = (
        weather.row_at(first_us // DAY_US * DAY_US),
        weather.row_at(-(-end_us // DAY_US) * DAY_US),
    )
    return Data(flights.part(0, flights.row_at(end_us)), weather.part(*days), span_us / 1e6)


def _until(end_us: int, copy: Prepared) -> Prepared:
    """Return rows up to a time, the same again year after year if need be."""
    passes = 1 + max(year_of(end_us) - year_of(copy.firsts_us[0]), 0)
    return copy.repeated(passes * copy.rows) if end_us > copy.last_us else copy


def operators(key_groups: int, score: rain.RainScore) -> list[Operator]:
    """Return the eight operators."""
    both = {ROUTE_DELAY: ROUTE, RAIN: ROUTE}
    delays = Storing(("airplane", "year"), STORE_EVERY)
    stored = Storing(STEP, STORE_EVERY)
    return [
        *routes.operators(key_groups),
        Operator(
            RAIN, WEATHER, "airport", key_groups, SCORES, score, windowed=True, keeps_key="origin"
        ),
        Operator(
            JOIN,
            [ROUTE_DELAY, RAIN],
            both,
            key_groups,
            JOINED,
            join,
            windowed=True,
            keeps_key=True,
        ),
        Operator(EFFICIENCY, JOIN, ROUTE, key_groups, EFFICIENCIES, efficiency, keeps_key=True),
        Operator(STORE_DELAYS, SUM, "airplane", key_groups, SUMS, delays, windowed=True),
        Operator(
            STORE_EFFICIENCY, EFFICIENCY, ROUTE, key_groups, EFFICIENCIES, stored, windowed=True
        ),
    ]


def feeds(inputs: Inputs) -> tuple[Feed, ...]:
    """Return flights and weather on their way, side by side."""
    data = data_of(inputs)
    pace = Pace(span_s=data.span_s)
    return (
        Feed(FLIGHTS, data.flights, pace, airplanes.COLUMNS),
        Feed(WEATHER, data.weather, pace, rain.COLUMNS),
    )


def score_of(inputs: Inputs) -> rain.RainScore:
    """Return what scores the rain of these data."""
    most = rain.record(ordered_weather(inputs.data))
    return rain.RainScore(most, rain.routes(data_of(inputs).flights))


def twin(spark: "SparkSession", inputs: Inputs) -> Mapping[str, "DataFrame"]:
    """Return the job's results out of two queries in SQL."""
    query = f"""
        WITH fallen AS (
            SELECT airport, floor(unix_micros(event_time) / 86400000000) AS day, sequence,
                CAST(round(precipitation_in * 100) AS long) AS hundredths
            FROM {{weather}} WHERE airport IS NOT NULL AND precipitation_in IS NOT NULL),
        record AS (
            SELECT greatest(max(total), 1) AS most
            FROM (SELECT sum(hundredths) AS total FROM fallen GROUP BY airport, day)),
        scores AS (
            SELECT airport, day, 100D * sum(hundredths) / first(most) AS rain_score
            FROM fallen CROSS JOIN record WHERE sequence >= {{begin}} AND sequence < {{end}}
            GROUP BY airport, day),
        late AS (
            SELECT origin, destination, delay_min,
                floor(unix_micros(event_time) / 86400000000) AS day FROM {{flights}})
        SELECT origin, destination,
            CAST(least(floor(rain_score / {SCORE_STEP}) * {SCORE_STEP}, {LAST_STEP}) AS int)
                AS rain_from,
            sum(delay_min) AS delay_min, count(*) AS flights
        FROM late JOIN scores ON airport = origin AND late.day = scores.day GROUP BY ALL
    """  # noqa: S608  numbers of our own
    data = data_of(inputs)
    flights = airplanes.arrived(frame(spark, data.flights, streaming=False))
    whole = ordered_weather(inputs.data).repeated(data.weather.end)
    weather = frame(spark, whole, streaming=False)
    begin, end = data.weather.begin, data.weather.end
    found = spark.sql(query, flights=flights, weather=weather, begin=begin, end=end)
    return {STORE_DELAYS: airplanes.totals(flights), STORE_EFFICIENCY: found}


JOB = RealJob(
    name="job4",
    title="Delays by airplane and by route, and how they go with the rain at the origin.",
    feeds=feeds,
    operators=lambda inputs: operators(inputs.key_groups, score_of(inputs)),
    twin=twin,
    tables={STORE_DELAYS: airplanes.TABLE, STORE_EFFICIENCY: TABLE},
    worst_start=True,
    rows=300_000,
    key_groups=4,
)
