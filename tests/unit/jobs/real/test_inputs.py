"""What a job reads: all of the data, or as much of both inputs as lies in the same time."""

from datetime import date, timedelta
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="the extra spark is not installed")

from albic.jobs.datasets import prepared, synthetic
from albic.jobs.datasets.recipe import Recipe
from albic.jobs.datasets.schemas import FLIGHTS, WEATHERS
from albic.jobs.real import REAL_JOBS, Inputs, rain_delays, results
from albic.model import InvalidInput

DAY_US = 86_400_000_000
NEW_YEAR = date(2013, 1, 1)
BEFORE = 10


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have 40 days of flights, a hundred a day, and weather from ten days before to ten after."""
    tables = {
        FLIGHTS: synthetic.flights(Recipe(4000, 50, 0.5, 0.1, NEW_YEAR, 40)).sort_by("event_time"),
        WEATHERS: synthetic.weather(Recipe(183, 3, 0.0, 0.0, NEW_YEAR - timedelta(BEFORE), 61)),
    }
    for kind, table in tables.items():
        folder = tmp_path / kind.name
        folder.mkdir()
        copy = prepared.write(iter([table]), folder, kind, "mark")
        monkeypatch.setattr(rain_delays, f"ordered_{kind.name}", lambda _, copy=copy: copy)


@pytest.mark.usefixtures("data")
def test_all_flights_are_read_and_the_weather_of_their_days(tmp_path) -> None:
    found = rain_delays.data_of(Inputs(tmp_path))
    assert found.flights.rows == 4000
    # The last flights leave in the evening of the 40th day, which is the 41st at Greenwich.
    assert found.weather.begin == 3 * BEFORE
    assert found.weather.rows == 3 * 41


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("batches", [1, 3, 5])
def test_so_many_batches_have_the_weather_of_their_days(tmp_path, batches) -> None:
    found = rain_delays.data_of(Inputs(tmp_path, rows_per_batch=500, batches=batches))
    span_us = round(found.span_s * 1e6)
    flown, observed = (
        [time.value for batch in copy.read(copy.begin, copy.end) for time in batch["event_time"]]
        for copy in (found.flights, found.weather)
    )
    assert len({time // span_us for time in flown}) == batches
    assert {time // DAY_US for time in flown} <= {time // DAY_US for time in observed}
    assert max(observed) // DAY_US - max(flown) // DAY_US <= 1


@pytest.mark.usefixtures("data")
def test_weather_of_another_time_is_refused(tmp_path, monkeypatch) -> None:
    early = rain_delays.ordered_weather(None).part(0, 3)
    monkeypatch.setattr(rain_delays, "ordered_weather", lambda _: early)
    with pytest.raises(InvalidInput, match="no weather"):
        rain_delays.data_of(Inputs(tmp_path))


@pytest.mark.parametrize("wrong", [{"key_groups": 0}, {"rows_per_batch": -1}, {"batches": 0}])
def test_what_makes_no_sense_is_refused(tmp_path, wrong) -> None:
    with pytest.raises(InvalidInput, match="must be at least 1"):
        Inputs(tmp_path, **wrong)


def test_a_file_is_not_enough_for_two_inputs(tmp_path) -> None:
    file = tmp_path / "flights.csv"
    file.touch()
    with pytest.raises(InvalidInput, match="flights and weather"):
        rain_delays.data_of(Inputs(tmp_path, data=file))


@pytest.mark.parametrize("name", REAL_JOBS)
def test_before_a_job_began_its_results_are_empty(tmp_path, name) -> None:
    job = REAL_JOBS[name]
    assert results(job, Inputs(tmp_path / "new")) == {operator: [] for operator in job.tables}
