"""Datasets as DataFrames: a stream that replays, or the same rows at once."""

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource

from albic.jobs.datasets import nyc
from albic.jobs.datasets.generating import default_edits
from albic.jobs.datasets.pace import Pace
from albic.jobs.datasets.prepared import Prepared
from albic.jobs.datasets.preparing import prepare
from albic.jobs.datasets.reading import Watch, files_in, reading_of, unwatched
from albic.jobs.datasets.schemas import EDITS, FLIGHTS, WEATHERS, Kind
from albic.model import InvalidInput


def flights(
    spark: SparkSession,
    path: Path | None = None,
    *,
    pace: Pace | None = None,
    streaming: bool = True,
) -> DataFrame:
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
    spark: SparkSession,
    path: Path | None = None,
    *,
    stations: Path | None = None,
    pace: Pace | None = None,
    streaming: bool = True,
) -> DataFrame:
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
    spark: SparkSession,
    path: Path | None = None,
    *,
    pace: Pace | None = None,
    streaming: bool = True,
) -> DataFrame:
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
    spark: SparkSession, copy: Prepared, *, pace: Pace | None = None, streaming: bool = True
) -> DataFrame:
    """Return an ordered copy as a DataFrame, with the row's number in ``sequence``."""
    if not streaming:
        rows = spark.read.parquet(*(str(piece) for piece in copy.pieces))
        return rows.where(f"sequence >= {copy.begin} AND sequence < {copy.end}")
    chosen = pace or Pace()
    replay = _replay()
    spark.dataSource.register(replay)
    reader = spark.readStream.format(replay.name()).option("folder", str(copy.folder))
    reader = reader.option("begin", copy.begin).option("end", copy.end)
    # As many tasks as can run at once: a source has no state to keep together.
    reader = reader.option("partitions", spark.sparkContext.defaultParallelism)
    for name in ("speed_up", "rows", "span_s"):
        value = getattr(chosen, name)
        if value is not None:
            reader = reader.option(name, value)
    return reader.load()


def _replay() -> type[DataSource]:
    """Return the source; Spark learned to limit a batch from Python in version 4.2."""
    try:
        from albic.jobs.datasets.replay import Replay  # noqa: PLC0415
    except ModuleNotFoundError as missing:
        raise InvalidInput(
            f"a replay needs Spark 4.2 or newer: here is no module {missing.name}"
        ) from None
    return Replay


def _ordered(kind: Kind, path: Path, stations: Path | None, watch: Watch) -> Prepared:
    """Return the ordered copy of what a file or folder holds of one kind."""
    files = files_in(path) + (files_in(stations) if stations is not None else [])
    return prepare(kind, files, lambda: reading_of(path, kind, stations), watch)
