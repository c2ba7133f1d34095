"""Real Job 3: Real Job 2, and the delays of each route: an origin and a destination."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from albic.jobs.datasets.sources import frame
from albic.jobs.real import airplanes
from albic.jobs.real.airplanes import EXTRACT, arrived, flights_of
from albic.jobs.real.job import Inputs, RealJob
from albic.jobs.real.sums import added, counted, summed
from albic.jobs.stores import Column, Table
from albic.streams import Operator, Rows, State

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROUTE_DELAY = "route-delay"
ROUTE = ("origin", "destination")
#: What a batch brings for a route on a day, and the route's sums with it.
ROUTES = (
    "origin string, destination string, day timestamp, delay_min bigint, flights bigint, "
    "total_delay_min bigint, total_flights bigint"
)
TABLE = Table(
    "delays_by_route",
    (
        Column("origin", "text"),
        Column("destination", "text"),
        Column("total_delay_min", "integer"),
        Column("total_flights", "integer"),
    ),
    key=ROUTE,
)


def route_delays(state: State, rows: Rows) -> pa.Table:
    """Return what is new for each route and day, with the route's sums of all times."""
    given = rows.table()
    day = pc.floor_temporal(given["event_time"], unit="day")
    new = counted(given.select([*ROUTE, "delay_min"]).append_column("day", day))
    values = ["delay_min", "flights"]
    state["sums"], changed = added(state.get("sums"), new, ROUTE, values)
    totals = changed.rename_columns([*ROUTE, "total_delay_min", "total_flights"])
    return summed(new, [*ROUTE, "day"], values).join(totals, list(ROUTE), use_threads=False)


def operators(key_groups: int) -> list[Operator]:
    """Return the three operators."""
    routes = Operator(ROUTE_DELAY, EXTRACT, ROUTE, key_groups, ROUTES, route_delays, keeps_key=True)
    return [*airplanes.operators(key_groups), routes]


def twin(spark: "SparkSession", inputs: Inputs) -> Mapping[str, "DataFrame"]:
    """Return the job's results out of two queries in SQL."""
    query = """
        SELECT origin, destination, sum(delay_min) AS total_delay_min, count(*) AS total_flights
        FROM {flights} GROUP BY origin, destination
    """
    flights = arrived(frame(spark, flights_of(inputs), streaming=False))
    routes = spark.sql(query, flights=flights)
    return {airplanes.SUM: airplanes.totals(flights), ROUTE_DELAY: routes}


JOB = RealJob(
    name="job3",
    title="Delays of flights, summed by airplane and year, and by route.",
    feeds=airplanes.feeds,
    operators=lambda inputs: operators(inputs.key_groups),
    twin=twin,
    tables={airplanes.SUM: airplanes.TABLE, ROUTE_DELAY: TABLE},
    worst_start=True,
    rows=400_000,
    key_groups=4,
)
