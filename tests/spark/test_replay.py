"""A replay comes in the order of event time, and goes on where it stopped with the same rows."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from albic.jobs.datasets import Pace, flights
from albic.jobs.datasets.data_folder import VARIABLE
from albic.jobs.datasets.formats import RELEASE_2015
from albic.jobs.datasets.generating import generate
from albic.jobs.datasets.recipe import Recipe
from albic.jobs.datasets.sources import frame, ordered_flights

ROWS = 900


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "home"))
    path = tmp_path / "flights.csv.gz"
    generate(RELEASE_2015, Recipe(ROWS, 30, 0.5, 0.1, date(2015, 1, 1), 3), path)
    return path


Batches = dict[int, list[int]]


def recorded(stop_after: int | None, seen: Batches) -> Callable[[DataFrame, int], None]:
    """Return a sink that notes each batch's rows, and fails when it has seen enough."""

    def note(frame: DataFrame, number: int) -> None:
        if stop_after is not None and number >= stop_after:
            # Noted first: what a failed batch read must come again.
            seen[-1] = [row["sequence"] for row in frame.select("sequence").collect()]
            raise RuntimeError("enough")
        seen[number] = [row["sequence"] for row in frame.select("sequence").collect()]

    return note


def run(frame: DataFrame, checkpoint: Path, stop_after: int | None = None) -> Batches:
    seen: Batches = {}
    query = (
        frame.writeStream.foreachBatch(recorded(stop_after, seen))
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    try:
        query.awaitTermination(120)
    except Exception:
        if stop_after is None:
            raise
    finally:
        query.stop()
    return seen


def test_a_stream_has_the_rows_of_its_batch_twin_in_order(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    twin = flights(spark, data, streaming=False)
    stream = flights(spark, data, pace=Pace(rows=250))
    assert stream.isStreaming
    assert stream.schema == twin.schema
    batches = run(stream, tmp_path / "checkpoint")
    assert [len(rows) for rows in batches.values()] == [250, 250, 250, 150]
    assert [row for number in sorted(batches) for row in sorted(batches[number])] == list(
        range(ROWS)
    )
    ordered = twin.orderBy("sequence").select("event_time").collect()
    assert ordered == sorted(ordered)


def test_a_replay_that_was_cut_short_goes_on_with_the_same_rows(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    first = run(flights(spark, data, pace=Pace(rows=200)), tmp_path / "c", stop_after=2)
    # Another pace: the batch that failed was written down, so it comes again as it was.
    second = run(flights(spark, data, pace=Pace(rows=350)), tmp_path / "c")
    assert second[2] == first[-1]
    rows = first[0] + first[1] + [row for number in second for row in second[number]]
    assert sorted(rows) == list(range(ROWS))


def test_a_checkpoint_of_other_data_is_refused(
    spark: SparkSession, data: Path, tmp_path: Path
) -> None:
    run(flights(spark, data, pace=Pace(rows=500)), tmp_path / "c", stop_after=1)
    generate(RELEASE_2015, Recipe(ROWS, 30, 0.5, 0.1, date(2015, 1, 1), 3, seed=2), data)
    with pytest.raises(Exception, match="belongs to other data"):
        run(flights(spark, data, pace=Pace(rows=500)), tmp_path / "c")


def test_rows_that_come_again_are_the_same_for_a_replay_and_for_sql(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "home"))
    path = tmp_path / "leap.csv.gz"
    # Over a 29th of February, which the next years do not have.
    generate(RELEASE_2015, Recipe(ROWS, 30, 0.5, 0.1, date(2016, 2, 27), 5), path)
    copy = ordered_flights(path).repeated(3 * ROWS).part(ROWS // 2, 3 * ROWS - 7)
    columns = ["sequence", "event_time", "flight_date", "year", "tail_number"]
    read = pa.Table.from_batches(list(copy.read(copy.begin, copy.end))).select(columns)
    told = frame(spark, copy, streaming=False).select(*columns).orderBy("sequence").toArrow()
    assert told.to_pylist() == read.to_pylist()
    assert {day.year for day in read["flight_date"].to_pylist()} == {2016, 2017, 2018}
