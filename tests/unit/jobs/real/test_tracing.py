"""Traces counted from data: what a network of the same operators counts, row by row."""

import subprocess
import sys
from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

pytest.importorskip("pyspark", reason="the extra spark is not installed")

from albic.jobs.datasets import prepared, synthetic
from albic.jobs.datasets.data_folder import VARIABLE
from albic.jobs.datasets.formats import FORMATS
from albic.jobs.datasets.generating import RECIPES, generate
from albic.jobs.datasets.recipe import Recipe
from albic.jobs.datasets.schemas import WEATHERS
from albic.jobs.real import airplanes, articles, rain, rain_delays, routes
from albic.jobs.real.counting import Given, counts
from albic.jobs.real.tracing import Tracing, traced
from albic.model import InvalidInput
from albic.streams.hashing import key_groups
from albic.streams.parts import ENDED
from tests.unit.jobs.real.helpers import US, replayed

BATCHES, GROUPS = 5, 3


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "home"))


def flights() -> pa.Table:
    made = synthetic.flights(Recipe(2000, 50, 0.5, 0.1, date(2013, 1, 1), 20))
    return made.sort_by("event_time").select(airplanes.COLUMNS)


def edits() -> pa.Table:
    """Return edits of few pages in half an hour."""
    made = synthetic.edits(Recipe(2000, 12, 0.9, 0.1, date(2015, 9, 12), 1))
    times = made["event_time"].cast(pa.int64()).to_numpy()
    dense = times[0] + (times - times[0]) // 48
    columns = {"event_time": pa.array(dense).cast(US), "sequence": np.arange(2000)}
    return pa.table({**columns, "wiki": made["wiki"], "page": made["page"]})


def couriers_of(folder) -> tuple[dict[str, pa.Table], list]:
    made = synthetic.weather(Recipe(60, 3, 0.0, 0.0, date(2013, 1, 1), 20))
    at = made.schema.get_field_index("airport")
    column = pa.array((["ATL", "JFK", "DEN"] * 60)[: made.num_rows], pa.string())
    table = made.set_column(at, made.schema.field(at), column)
    copy = prepared.write(iter([table]), folder, WEATHERS, "mark")
    flown = flights()
    timetable = flown.group_by(["origin", "destination"]).aggregate([])
    operators = rain_delays.operators(GROUPS, rain.RainScore(rain.record(copy), timetable))
    return {"flights": flown, "weather": table.select(rain.COLUMNS)}, operators


def cut(tables: dict[str, pa.Table]) -> list[Given]:
    """Return the same batches that ``replayed`` makes."""
    found = []
    for batch in range(BATCHES):
        parts = {}
        for name, table in tables.items():
            first, end = (table.num_rows * at // BATCHES for at in (batch, batch + 1))
            parts[name] = table.slice(first, end - first)
        over = pd.Timestamp(ENDED, unit="us", tz="UTC") if batch == BATCHES - 1 else None
        clocks = {
            name: over or pd.Timestamp(part["event_time"][-1].as_py())
            for name, part in parts.items()
        }
        found.append(Given(parts, clocks))
    return found


@pytest.mark.parametrize("name", ["job1", "job2", "job3", "job4"])
def test_a_count_has_the_rows_that_the_workers_of_a_network_count(tmp_path, name) -> None:
    tables, operators = {
        "job1": lambda: ({"edits": edits()}, articles.operators(GROUPS)),
        "job2": lambda: ({"flights": flights()}, airplanes.operators(GROUPS)),
        "job3": lambda: ({"flights": flights()}, routes.operators(GROUPS)),
        "job4": lambda: couriers_of(tmp_path),
    }[name]()
    _, hand = replayed(tables, operators, [operators[-1].name], BATCHES)
    batches = hand.counters.batches()
    found = list(counts(operators, cut(tables)))
    assert len(found) == len(batches) == BATCHES
    for count, batch in zip(found, batches, strict=True):
        told = {(each.operator, each.key_group): each.rows_in for each in batch.groups}
        for position, operator in enumerate(operators):
            expected = [told.get((operator.name, group), 0) for group in range(GROUPS)]
            assert count.rows[position].tolist() == expected, operator.name
    assert sum(count.rows[-1].sum() for count in found) > 0


def test_what_is_sent_comes_from_the_key_group_that_had_it_and_goes_to_the_one_that_gets_it():
    flown = flights()
    operators = routes.operators(GROUPS)
    (count,) = counts(operators, [Given({"flights": flown}, {"flights": None})])
    arrived = pc.and_(pc.is_valid(flown["tail_number"]), pc.is_valid(flown["arrival_delay_min"]))
    known = flown.filter(arrived)
    by_airplane = key_groups(known, ["tail_number"], GROUPS)
    by_route = key_groups(known, ["origin", "destination"], GROUPS)
    pairs = np.zeros((GROUPS, GROUPS))
    np.add.at(pairs, (by_airplane, by_route), 1)
    sent = count.sent_bytes[0, 2]
    assert np.allclose(sent / sent.sum(), pairs / pairs.sum())
    one_to_one = count.sent_bytes[0, 1]
    assert np.count_nonzero(one_to_one - np.diag(np.diag(one_to_one))) == 0
    assert one_to_one.sum() == pytest.approx(sent.sum())
    assert count.state_bytes[0].sum() == 0
    assert (count.state_bytes[1] > 0).all()


def written(path, form, rows) -> None:
    recipe, _ = RECIPES[FORMATS[form].kind.name]
    generate(FORMATS[form], replace(recipe, rows=rows, keys=40), path)


def test_a_trace_has_equal_times_and_loses_no_row(tmp_path) -> None:
    file = tmp_path / "flights.csv"
    written(file, "data-expo", 900)
    seen = []
    found = traced(Tracing("job2", file, periods=6, key_groups=4, nodes=2), seen.append)
    assert seen == [1, 2, 3, 4, 5, 6]
    assert found.tuples_per_s.shape == (6, 8)
    assert found.tuples_per_s[:, :4].sum() * found.step_s == pytest.approx(900)
    assert found.about == "900 flights of flights.csv"
    assert len(found.cluster.nodes) == 2
    # Partners do not meet.
    owner = found.allocation.owner
    assert (owner[:4] != owner[4:]).all()


def test_scaled_rows_are_more_and_fall_on_more_key_groups(tmp_path) -> None:
    file = tmp_path / "edits.json"
    written(file, "wikiticker", 60)
    once, often = (
        traced(Tracing("job1", file, periods=2, scale=scale, key_groups=50)) for scale in (1, 30)
    )
    rows = [each.tuples_per_s[:, :50].sum() * each.step_s for each in (once, often)]
    assert rows == pytest.approx([60, 1800])
    busy = [(each.tuples_per_s[0, :50] > 0).sum() for each in (once, often)]
    assert busy[0] <= 30 < busy[1]
    assert often.about.endswith("each 30 times")


@pytest.mark.parametrize(
    ("wishes", "told"),
    [
        ({"job": "job5"}, "choose job1, job2, job3, job4"),
        ({"job": "job2", "periods": 0}, "periods is 0"),
        ({"job": "job2", "key_groups": -1}, "key_groups is -1"),
    ],
)
def test_what_makes_no_sense_is_refused(wishes, told) -> None:
    with pytest.raises(InvalidInput, match=told):
        Tracing(**wishes)


def test_more_periods_than_rows_are_refused(tmp_path) -> None:
    file = tmp_path / "flights.csv"
    written(file, "data-expo", 9)
    with pytest.raises(InvalidInput, match="9 flights, too few for 10 periods"):
        traced(Tracing("job2", file, periods=10))


def test_a_trace_is_counted_where_spark_is_not_installed() -> None:
    program = "import sys; sys.modules['pyspark'] = None; import albic.jobs.real.tracing"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
