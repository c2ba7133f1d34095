"""What a job reads: all of the data, or as much of both inputs as lies in the same time."""

from datetime import date
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="the extra spark is not installed")

from albic.jobs.datasets import prepared, synthetic
from albic.jobs.datasets.recipe import Recipe
from albic.jobs.datasets.schemas import FLIGHTS, WEATHERS
from albic.jobs.real import REAL_JOBS, Inputs, couriers, results
from albic.model import InvalidInput

DAY_US = 86_400_000_000
NEW_YEAR = date(2013, 1, 1)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have 40 days of flights, a hundred a day, and 60 of weather."""
    tables = {
        FLIGHTS: synthetic.flights(Recipe(4000, 50, 0.5, 0.1, NEW_YEAR, 40)).sort_by("event_time"),
        WEATHERS: synthetic.weather(Recipe(180, 3, 0.0, 0.0, NEW_YEAR, 60)),
    }
    for kind, table in tables.items():
        folder = tmp_path / kind.name
        folder.mkdir()
        copy = prepared.write(iter([table]), folder, kind, "mark")
        monkeypatch.setattr(couriers, f"ordered_{kind.name}", lambda _, copy=copy: copy)


@pytest.mark.usefixtures("data")
def test_without_a_bound_all_is_read(tmp_path) -> None:
    found = couriers.data_of(Inputs(tmp_path))
    assert (found.flights.rows, found.weather.rows) == (4000, 180)


@pytest.mark.usefixtures("data")
@pytest.mark.parametrize("batches", [1, 3, 5])
def test_both_inputs_end_in_the_same_batch(tmp_path, batches) -> None:
    found = couriers.data_of(Inputs(tmp_path, rows_per_batch=500, batches=batches))
    span_us = round(found.span_s * 1e6)
    cells = [
        {time.value // span_us for batch in copy.read(0, copy.rows) for time in batch["event_time"]}
        for copy in (found.flights, found.weather)
    ]
    assert len(cells[0]) == batches
    assert max(cells[0]) == max(cells[1])


@pytest.mark.parametrize("wrong", [{"key_groups": 0}, {"rows_per_batch": -1}, {"batches": 0}])
def test_what_makes_no_sense_is_refused(tmp_path, wrong) -> None:
    with pytest.raises(InvalidInput, match="must be at least 1"):
        Inputs(tmp_path, **wrong)


def test_a_file_is_not_enough_for_two_inputs(tmp_path) -> None:
    file = tmp_path / "flights.csv"
    file.touch()
    with pytest.raises(InvalidInput, match="flights and weather"):
        couriers.data_of(Inputs(tmp_path, data=file))


@pytest.mark.parametrize("name", REAL_JOBS)
def test_before_a_job_began_its_results_are_empty(tmp_path, name) -> None:
    job = REAL_JOBS[name]
    assert results(job, Inputs(tmp_path / "new")) == {operator: [] for operator in job.tables}
