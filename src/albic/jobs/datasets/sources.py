"""Datasets as DataFrames: a stream that replays, or the same rows at once."""

from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from albic.jobs.datasets import nyc
from albic.jobs.datasets.generating import default_edits
from albic.jobs.datasets.pace import Pace
from albic.jobs.datasets.prepared import SEQUENCE, Prepared
from albic.jobs.datasets.preparing import prepare
from albic.jobs.datasets.reading import Watch, files_in, reading_of, unwatched
from albic.jobs.datasets.schemas import EDITS, FLIGHTS, WEATHERS, Kind
from albic.jobs.datasets.years import YEAR
from albic.model import InvalidInput

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader
    from pyspark.sql.types import StructType

DAY_US = 86_400_000_000


def flights(
    spark: "SparkSession",
    path: Path | None = None,
    *,
    pace: Pace | None = None,
    streaming: bool = True,
) -> "DataFrame":
    """Return flights by their scheduled departure; from New York in 2013 if no ``path`` is given.

    Parameters
    ----------
    path
        A file or folder in one of the formats of airlines.
    pace
        How fast they come; as fast as batches end if not given.
    streaming
        Whether rows come as a stream, or all at once for a batch query over the same rows.
    """
    return frame(spark, ordered_flights(path), pace=pace, streaming=streaming)


def weather(
    spark: "SparkSession",
    path: Path | None = None,
    *,
    stations: Path | None = None,
    pace: Pace | None = None,
    streaming: bool = True,
) -> "DataFrame":
    """Return observations of weather; hourly at New York in 2013 if no ``path`` is given.

    Parameters
    ----------
    path
        A file or folder of NOAA's.
    stations
        The list of stations that says which airport each serves; found by itself in a folder.
    pace
        How fast they come; as fast as batches end if not given.
    streaming
        Whether rows come as a stream, or all at once for a batch query over the same rows.
    """
    return frame(spark, ordered_weather(path, stations), pace=pace, streaming=streaming)


def edits(
    spark: "SparkSession",
    path: Path | None = None,
    *,
    pace: Pace | None = None,
    streaming: bool = True,
) -> "DataFrame":
    """Return edits of Wikipedia; generated ones if no ``path`` is given.

    Parameters
    ----------
    path
        A file or folder with wikiticker's lines or SNAP's blocks.
    pace
        How fast they come; as fast as batches end if not given.
    streaming
        Whether rows come as a stream, or all at once for a batch query over the same rows.
    """
    return frame(spark, ordered_edits(path), pace=pace, streaming=streaming)


def ordered_flights(path: Path | None = None, watch: Watch = unwatched) -> Prepared:
    """Return the ordered copy of flights."""
    return _ordered(FLIGHTS, path or nyc.file("flights.csv.zip"), None, watch)


def ordered_weather(
    path: Path | None = None, stations: Path | None = None, watch: Watch = unwatched
) -> Prepared:
    """Return the ordered copy of weather."""
    return _ordered(WEATHERS, path or nyc.file("weather.csv"), stations, watch)


def ordered_edits(path: Path | None = None, watch: Watch = unwatched) -> Prepared:
    """Return the ordered copy of edits."""
    return _ordered(EDITS, path or default_edits(), None, watch)


def frame(
    spark: "SparkSession", copy: Prepared, *, pace: Pace | None = None, streaming: bool = True
) -> "DataFrame":
    """Return an ordered copy as a DataFrame, with the row's number in ``sequence``."""
    if not streaming:
        rows = spark.read.parquet(*(str(piece) for piece in copy.pieces))
        if copy.passes > 1:
            rows = _again(rows, copy)
        return rows.where(f"sequence >= {copy.begin} AND sequence < {copy.end}")
    return _reader(spark, copy, pace or Pace()).load()


def packed_frame(
    spark: "SparkSession", copy: Prepared, pace: Pace, columns: Sequence[str]
) -> tuple["DataFrame", "StructType"]:
    """Return an ordered copy as a stream of Arrow record batches, and the columns of those.

    They are as in ``packed`` of :class:`albic.streams.Source`, with one more that is true in the
    very last row.
    """
    replay = _module()
    reader = _reader(spark, copy, pace).option("packed", ",".join(columns))
    return reader.load(), replay.packed_schema(copy, columns)


def _reader(spark: "SparkSession", copy: Prepared, pace: Pace) -> "DataStreamReader":
    """Return a replay that only has to be loaded."""
    replay = _module().Replay
    spark.dataSource.register(replay)
    reader = spark.readStream.format(replay.name()).option("folder", str(copy.folder))
    reader = reader.option("begin", copy.begin).option("end", copy.end)
    # As many tasks as can run at once: a source has no state to keep together.
    reader = reader.option("partitions", spark.sparkContext.defaultParallelism)
    for name in ("speed_up", "rows", "span_s"):
        value = getattr(pace, name)
        if value is not None:
            reader = reader.option(name, value)
    return reader


def _again(rows: "DataFrame", copy: Prepared) -> "DataFrame":
    """Return rows that come again and again, in words of SQL; a replay does it in Python."""
    inside = f"pmod(unix_micros({{0}}), {DAY_US})"
    day = f"date_from_unix_date(int((unix_micros({{0}}) - {inside}) div {DAY_US}))"
    moved = f"add_months({day}, 12 * {copy.years} * pass)"
    # A 29th of February that became the 28th ends that day, so that times stay in order.
    time = f"if(day({moved}) < day({day}), {DAY_US - 1}, {inside})"
    written = {
        "timestamp": f"timestamp_micros(unix_date({moved}) * {DAY_US} + {time})",
        "date": f"add_months({{0}}, 12 * {copy.years} * pass)",
    }
    named = {
        YEAR: f"{{0}} + {copy.years} * pass",
        SEQUENCE.name: f"{{0}} + {copy.pass_rows}L * pass",
    }
    columns = [
        f"{named.get(name, written.get(kind, '{0}')).format(name)} AS {name}"
        for name, kind in rows.dtypes
    ]
    passes = rows.sparkSession.range(copy.passes).selectExpr("int(id) AS pass")
    return rows.crossJoin(passes).selectExpr(*columns)


def _module() -> ModuleType:
    """Return what has the source; Spark learned to limit a batch from Python in version 4.2."""
    try:
        from albic.jobs.datasets import replay  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise InvalidInput(
            f"a replay needs Spark 4.2 or newer: here is no module {missing.name}"
        ) from None
    return replay


def _ordered(kind: Kind, path: Path, stations: Path | None, watch: Watch) -> Prepared:
    """Return the ordered copy of what a file or folder holds of one kind."""
    files = files_in(path) + (files_in(stations) if stations is not None else [])
    return prepare(kind, files, lambda: reading_of(path, kind, stations), watch)
