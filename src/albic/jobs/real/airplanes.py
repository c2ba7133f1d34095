"""Real Job 2: extract the delays of flights, and sum them by airplane and year.

Both operators have the same key, so they can run as one; apart, all traffic between them can be
local.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from albic.jobs.datasets.pace import Pace
from albic.jobs.datasets.prepared import Prepared
from albic.jobs.datasets.schemas import FLIGHT
from albic.jobs.datasets.sources import frame, ordered_flights
from albic.jobs.real.feeds import Feed
from albic.jobs.real.job import Inputs, RealJob
from albic.jobs.real.sums import added, counted
from albic.jobs.stores import Column, Table
from albic.streams import Operator, Rows, State

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS_PER_BATCH = 5_000
FLIGHTS, EXTRACT, SUM = "flights", "extract-delay", "sum-delay"

#: A flight travels whole, as the paper's tuples do: who sums delays today may want more tomorrow.
COLUMNS = tuple(FLIGHT.names)
#: The whole flight goes on, with its delay; the airplane has another name from here on.
DELAYS = pa.schema(
    [
        *(each.with_name("airplane") if each.name == "tail_number" else each for each in FLIGHT),
        pa.field("delay_min", pa.int64()),
    ]
)
SUMS = "airplane string, year int, delay_min bigint, flights bigint"
TABLE = Table(
    "delays_by_airplane",
    (
        Column("airplane", "text"),
        Column("year", "integer"),
        Column("delay_min", "integer"),
        Column("flights", "integer"),
    ),
    key=("airplane", "year"),
)


def extract(state: State, rows: Rows) -> pa.Table:
    """Return the delay of each flight that arrived; who is early is not late at all."""
    del state
    flown = rows.table()
    known = pc.and_(pc.is_valid(flown["arrival_delay_min"]), pc.is_valid(flown["tail_number"]))
    arrived = flown.filter(known)
    late = pc.max_element_wise(arrived["arrival_delay_min"].cast(pa.int64()), 0)
    return pa.table([*arrived.select(COLUMNS).columns, late], DELAYS.names)


def sum_delays(state: State, rows: Rows) -> pa.Table:
    """Return the sums by airplane and year that changed."""
    new = counted(rows.table().select(["airplane", "year", "delay_min"]))
    before = state.get("sums")
    state["sums"], changed = added(before, new, ["airplane", "year"], ["delay_min", "flights"])
    return changed


def flights_of(inputs: Inputs) -> Prepared:
    """Return the flights that a job reads."""
    return inputs.bounded(ordered_flights(inputs.data), ROWS_PER_BATCH)


def feeds(inputs: Inputs) -> tuple[Feed, ...]:
    """Return flights on their way."""
    pace = Pace(rows=inputs.rows_per_batch or ROWS_PER_BATCH)
    return (Feed(FLIGHTS, flights_of(inputs), pace, COLUMNS),)


def operators(key_groups: int) -> list[Operator]:
    """Return the two operators."""
    return [
        Operator(
            EXTRACT,
            FLIGHTS,
            "tail_number",
            key_groups,
            DELAYS,
            extract,
            event_time="event_time",
            keeps_key="airplane",
        ),
        Operator(
            SUM,
            EXTRACT,
            "airplane",
            key_groups,
            SUMS,
            sum_delays,
            keeps_key=True,
            split="sums",
        ),
    ]


def arrived(flights: "DataFrame") -> "DataFrame":
    """Return the flights whose delay is known, with their delay."""
    known = flights.where("tail_number IS NOT NULL AND arrival_delay_min IS NOT NULL")
    return known.selectExpr("*", "greatest(arrival_delay_min, 0) AS delay_min")


def totals(flights: "DataFrame") -> "DataFrame":
    """Return the sums by airplane and year out of one query in SQL."""
    query = """
        SELECT tail_number AS airplane, year, sum(delay_min) AS delay_min, count(*) AS flights
        FROM {flights} GROUP BY tail_number, year
    """
    return flights.sparkSession.sql(query, flights=flights)


def twin(spark: "SparkSession", inputs: Inputs) -> Mapping[str, "DataFrame"]:
    """Return the job's result out of one query in SQL."""
    return {SUM: totals(arrived(frame(spark, flights_of(inputs), streaming=False)))}


JOB = RealJob(
    name="job2",
    title="Delays of flights, summed by airplane and year.",
    feeds=feeds,
    operators=lambda inputs: operators(inputs.key_groups),
    twin=twin,
    tables={SUM: TABLE},
    worst_start=True,
    rows=600_000,
    key_groups=4,
)
