"""Real Job 1: the most edited articles of each minute, by region and over all.

The data have no places, so edits spread evenly over the GeoHash cells that cover Denmark, by their
number. What is most edited over all is worked out from what is most edited in each cell.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from albic.arrays import Ints
from albic.jobs.datasets.pace import Pace
from albic.jobs.datasets.prepared import Prepared
from albic.jobs.datasets.sources import frame, ordered_edits
from albic.jobs.real.feeds import Feed
from albic.jobs.real.geohash import geohash
from albic.jobs.real.job import Inputs, RealJob
from albic.jobs.real.sums import added, counted, summed
from albic.jobs.real.windows import most, parted
from albic.jobs.stores import Column, Table
from albic.streams import Operator, Rows, State

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROWS_PER_BATCH = 1_000
EDITS, GEOHASH, TOP, GLOBAL = "edits", "geohash", "top-k", "global-top-k"
WINDOW = timedelta(minutes=1)
K = 10

#: Cells of four letters: 0.18 degrees from south to north, 0.35 from west to east.
LETTERS, NORTH, EAST = 4, 180 / 2**10, 360 / 2**10
#: Jutland's west coast to Copenhagen, Gedser to Skagen.
SOUTH_ROW, ROWS, WEST_COLUMN, COLUMNS = 822, 19, 534, 14
#: Knuth's: one edit after another lands far from it, and all cells get as many.
SPREAD = 2_654_435_761

ARTICLE = ("wiki", "page")
PLACED = "geohash string, wiki string, page string, event_time timestamp"
TOPS = (
    "window_start timestamp, geohash string, wiki string, page string, edits bigint, "
    "event_time timestamp"
)
RANKED = "window_start timestamp, rank bigint, wiki string, page string, edits bigint"
TABLE = Table(
    "top_articles",
    (
        Column("window_start", "timestamp"),
        Column("rank", "integer"),
        Column("wiki", "text"),
        Column("page", "text"),
        Column("edits", "integer"),
    ),
    key=("window_start", "rank"),
)


def cells(sequence: Ints) -> Ints:
    """Return the cell of each edit, from 0 up; as even as can be."""
    chosen: Ints = ((sequence * SPREAD & 0xFFFFFFFF) * (ROWS * COLUMNS)) >> 32
    return chosen


def place(state: State, rows: Rows) -> pa.Table:
    """Return the GeoHash of each edit's place."""
    del state
    given = rows.table()
    row, column = np.divmod(cells(given["sequence"].to_numpy()), COLUMNS)
    north = (SOUTH_ROW + row.astype(np.float64) + 0.5) * NORTH - 90
    east = (WEST_COLUMN + column.astype(np.float64) + 0.5) * EAST - 180
    names = ["wiki", "page", "event_time"]
    return pa.table(
        {"geohash": geohash(north, east, LETTERS), **{name: given[name] for name in names}}
    )


def per_minute(placed: pa.Table) -> pa.Table:
    """Return the edits of each article in each cell and minute."""
    start = pc.floor_temporal(placed["event_time"], unit="minute")
    rows = counted(placed.select(["geohash", *ARTICLE]), "edits")
    key = ["window_start", "geohash", *ARTICLE]
    return summed(rows.append_column("window_start", start), key, ["edits"])


def over(state: State, new: pa.Table, rows: Rows, key: tuple[str, ...]) -> pa.Table:
    """Return the edits of all minutes that are over; the others wait in the state."""
    counts, _ = added(state.get("open"), new, key, ["edits"])
    done, state["open"] = parted(counts, "window_start", WINDOW, rows.watermark)
    return done


def timed(table: pa.Table) -> pa.Table:
    """Return the rows with a time inside their window, so that they are not late downstream."""
    last = pc.add(table["window_start"], pa.scalar(WINDOW - timedelta(microseconds=1)))
    return table.append_column("event_time", last)


def top(state: State, rows: Rows) -> pa.Table:
    """Return the most edited articles of each cell in the minutes that are over."""
    done = over(state, per_minute(rows.table()), rows, ("window_start", "geohash", *ARTICLE))
    ranked = most(done, ["window_start", "geohash"], "edits", ARTICLE, K)
    return timed(ranked.drop_columns(["rank"]))


def global_top(state: State, rows: Rows) -> pa.Table:
    """Return the most edited articles of the minutes that are over."""
    key = ("window_start", *ARTICLE)
    done = over(state, summed(rows.table(), key, ["edits"]), rows, key)
    return most(done, ["window_start"], "edits", ARTICLE, K)


def edits_of(inputs: Inputs) -> Prepared:
    """Return the edits that a job reads."""
    return inputs.bounded(ordered_edits(inputs.data), ROWS_PER_BATCH)


def feeds(inputs: Inputs) -> tuple[Feed, ...]:
    """Return edits on their way."""
    pace = Pace(rows=inputs.rows_per_batch or ROWS_PER_BATCH)
    return (Feed(EDITS, edits_of(inputs), pace, ("event_time", "sequence", *ARTICLE)),)


def last_operator(key_groups: int, above: str) -> Operator:
    """Return the operator that has the last say, fed by ``above``."""
    return Operator(GLOBAL, above, "window_start", key_groups, RANKED, global_top, windowed=True)


def operators(key_groups: int) -> list[Operator]:
    """Return the three operators; each has a key that has nothing to do with the others'."""
    return [
        Operator(GEOHASH, EDITS, "sequence", key_groups, PLACED, place, "event_time"),
        Operator(
            TOP,
            GEOHASH,
            "geohash",
            key_groups,
            TOPS,
            top,
            "event_time",
            windowed=True,
            keeps_key=True,
        ),
        last_operator(key_groups, TOP),
    ]


def twin(spark: "SparkSession", inputs: Inputs) -> Mapping[str, "DataFrame"]:
    """Return the job's result out of one query in SQL; cells have numbers there."""
    query = f"""
        WITH placed AS (
            SELECT floor(unix_micros(event_time) / 60000000) AS minute, wiki, page,
                shiftright((sequence * {SPREAD} & 4294967295) * {ROWS * COLUMNS}, 32) AS cell
            FROM {{edits}}),
        counts AS (SELECT minute, cell, wiki, page, count(*) AS edits FROM placed GROUP BY ALL),
        ranked AS (
            SELECT *, row_number() OVER (
                PARTITION BY minute, cell ORDER BY edits DESC, wiki, page) AS place FROM counts),
        sums AS (
            SELECT minute, wiki, page, sum(edits) AS edits
            FROM ranked WHERE place <= {K} GROUP BY ALL),
        listed AS (
            SELECT *, row_number() OVER (
                PARTITION BY minute ORDER BY edits DESC, wiki, page) AS rank FROM sums)
        SELECT timestamp_seconds(60 * minute) AS window_start, CAST(rank AS long) AS rank,
            wiki, page, edits FROM listed WHERE rank <= {K}
    """  # noqa: S608  numbers of our own
    edits = frame(spark, edits_of(inputs), streaming=False)
    return {GLOBAL: spark.sql(query, edits=edits)}


JOB = RealJob(
    name="job1",
    title="The most edited articles of each minute, by region of Denmark and over all.",
    feeds=feeds,
    operators=lambda inputs: operators(inputs.key_groups),
    twin=twin,
    tables={GLOBAL: TABLE},
    worst_start=False,
    rows=600_000,
)
