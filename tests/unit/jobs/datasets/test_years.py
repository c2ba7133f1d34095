"""Rows repeat year after year: the same keys and counts, on the same days, in order."""

from collections import Counter
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from albic.jobs.datasets import prepared, synthetic, years
from albic.jobs.datasets.prepared import Prepared
from albic.jobs.datasets.recipe import Recipe
from albic.jobs.datasets.schemas import FLIGHTS
from albic.model import InvalidInput

ROWS = 500


def copy(folder: Path, start: date, days: int) -> Prepared:
    table = synthetic.flights(Recipe(ROWS, 20, 0.5, 0.1, start, days)).sort_by("event_time")
    return prepared.write(iter([table]), folder, FLIGHTS, "mark")


def rows_of(made: Prepared, first: int, end: int) -> pa.Table:
    return pa.Table.from_batches(list(made.read(first, end)))


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "PIECE_ROWS", 128)


@pytest.mark.parametrize(
    ("moment", "later_by", "found"),
    [
        pytest.param("2013-03-01T07:08:09", 3, "2016-03-01T07:08:09", id="an ordinary day"),
        pytest.param("2012-02-29T07:08:09", 4, "2016-02-29T07:08:09", id="leap to leap"),
        pytest.param("2012-02-29T07:08:09", 1, "2013-02-28T23:59:59.999999", id="no 29th there"),
        pytest.param("2012-12-31T23:59:59", 88, "2100-12-31T23:59:59", id="2100 is no leap year"),
        pytest.param("2012-02-29T00:00:00", 88, "2100-02-28T23:59:59.999999", id="nor has a 29th"),
    ],
)
def test_a_time_keeps_its_place_in_the_calendar(moment, later_by, found) -> None:
    times = np.array([moment], "M8[us]")
    assert years.later(times, later_by)[0] == np.datetime64(found, "us")


def test_a_date_that_a_year_does_not_have_is_the_day_before() -> None:
    dates = np.array(["2012-02-28", "2012-02-29", "2012-03-01"], "M8[D]")
    assert years.later(dates, 1).tolist() == [
        date(2013, 2, 28),
        date(2013, 2, 28),
        date(2013, 3, 1),
    ]


@pytest.mark.parametrize(
    ("first", "last", "found"),
    [
        pytest.param("2013-01-01T10", "2014-01-01T04", 1, id="a year abroad"),
        pytest.param("2013-01-01T00", "2014-01-01T00", 2, id="one instant too long"),
        pytest.param("2013-06-01T00", "2013-06-02T00", 1, id="a day"),
        pytest.param("2004-01-01T00", "2013-12-31T00", 10, id="ten years"),
    ],
)
def test_rows_come_again_when_the_last_has_been(first, last, found) -> None:
    first_us, last_us = (int(np.datetime64(each, "us").astype(int)) for each in (first, last))
    assert years.spanned(first_us, last_us) == found


@pytest.mark.usefixtures("small_pieces")
@pytest.mark.parametrize(
    ("start", "days"),
    [
        pytest.param(date(2013, 1, 1), 365, id="a whole year"),
        pytest.param(date(2012, 2, 20), 20, id="over a 29th of February"),
        pytest.param(date(2013, 11, 1), 400, id="more than a year"),
    ],
)
def test_keys_counts_and_measures_repeat_and_dates_go_on(tmp_path, start, days) -> None:
    made = copy(tmp_path, start, days)
    again = made.repeated(4 * ROWS)
    whole = rows_of(again, 0, again.end)
    assert again.rows == whole.num_rows == 4 * ROWS
    assert whole["sequence"].to_pylist() == list(range(4 * ROWS))
    times = whole["event_time"].cast(pa.int64()).to_numpy()
    assert (np.diff(times) >= 0).all()
    first = rows_of(made, 0, ROWS)
    dated = {"event_time", "flight_date", "year", "sequence"}
    for number in range(4):
        part, by = whole.slice(number * ROWS, ROWS), number * again.years
        same = [name for name in whole.column_names if name not in dated]
        assert part.select(same).equals(first.select(same))
        assert [y - by for y in part["year"].to_pylist()] == first["year"].to_pylist()
        days_of = [
            Counter(d.replace(year=2000, day=min(d.day, 28)) for d in t["flight_date"].to_pylist())
            for t in (part, first)
        ]
        assert days_of[0] == days_of[1]
        assert [d.year - by for d in part["flight_date"].to_pylist()] == part_years(first)


def part_years(table: pa.Table) -> list[int]:
    return [day.year for day in table["flight_date"].to_pylist()]


@pytest.mark.usefixtures("small_pieces")
def test_any_range_of_rows_is_the_same_as_in_the_whole(tmp_path) -> None:
    again = copy(tmp_path, date(2013, 1, 1), 365).repeated(3 * ROWS)
    whole = rows_of(again, 0, again.end)
    for first, end in ((0, 1), (499, 501), (127, 900), (990, 1500)):
        assert rows_of(again, first, end).equals(whole.slice(first, end - first))
        assert rows_of(again.part(first, end), first, end).equals(whole.slice(first, end - first))


@pytest.mark.usefixtures("small_pieces")
def test_a_row_is_found_by_its_time_in_every_year(tmp_path) -> None:
    again = copy(tmp_path, date(2013, 1, 1), 365).repeated(3 * ROWS)
    times = rows_of(again, 0, again.end)["event_time"].cast(pa.int64()).to_numpy()
    for row in (0, 1, 499, 500, 501, 1499):
        assert again.time_at_us(row) == times[row]
        assert again.row_at(int(times[row])) == np.searchsorted(times, times[row], "left")
    assert again.last_us == times[-1]
    assert again.row_at(again.last_us + 1) == again.end


def test_enough_rows_stay_as_they_are(tmp_path) -> None:
    made = copy(tmp_path, date(2013, 1, 1), 30)
    assert made.repeated(ROWS) is made
    part = made.repeated(3 * ROWS).part(0, ROWS)
    assert (part.passes, part.rows, part.last_us) == (1, ROWS, made.last_us)


def test_nothing_repeats_beyond_the_years_that_can_be_told(tmp_path) -> None:
    made = copy(tmp_path, date(2013, 1, 1), 30)
    assert made.repeated(249 * ROWS).last_us < datetime(2262, 1, 1, tzinfo=UTC).timestamp() * 1e6
    with pytest.raises(InvalidInput, match="125,000 flights would repeat these 500"):
        made.repeated(250 * ROWS)


def test_what_is_missing_stays_missing() -> None:
    day = pa.array([None, date(2013, 1, 1)])
    moment = pa.array([None, datetime(2013, 1, 1, tzinfo=UTC)], pa.timestamp("us", "UTC"))
    rows = pa.RecordBatch.from_pydict(
        {"d": day, "t": moment, "year": pa.array([None, 5], pa.int32())}
    )
    found = years.later_rows(rows, 2).to_pydict()
    assert found["d"] == [None, date(2015, 1, 1)]
    assert found["t"] == [None, datetime(2013, 1, 1, tzinfo=UTC) + timedelta(730)]
    assert found["year"] == [None, 7]
