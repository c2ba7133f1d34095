"""Jobs 2 to 4: delays, sums, rain, their join, and stores that write now and then."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

pytest.importorskip("pyspark", reason="the extra spark is not installed")

from albic.jobs.datasets import prepared, synthetic
from albic.jobs.datasets.recipe import Recipe
from albic.jobs.datasets.schemas import FLIGHT, WEATHERS
from albic.jobs.real import airplanes, articles, rain, rain_delays, routes
from albic.model import InvalidInput
from albic.streams import State
from albic.streams.layout import layout
from tests.unit.jobs.real.helpers import US, lines, replayed, rows

NEW_YEAR = datetime(2013, 1, 1, tzinfo=UTC)
AIRPORTS = ("ATL", "JFK", "DEN")


def flights(*, airplane=("N1",), delay=(10,), day=(0,)) -> pa.Table:
    count = max(len(airplane), len(delay), len(day))
    when = [NEW_YEAR + timedelta(days=each) for each in np.resize(day, count).tolist()]
    known = {
        "event_time": pa.array(when, US),
        "tail_number": pa.array((airplane * count)[:count], pa.string()),
        "year": pa.array([2013] * count, pa.int32()),
        "origin": pa.array(["JFK"] * count),
        "destination": pa.array(["ATL"] * count),
        "arrival_delay_min": pa.array((delay * count)[:count], pa.int32()),
    }
    columns = {each.name: known.get(each.name, pa.nulls(count, each.type)) for each in FLIGHT}
    return pa.table(columns, schema=FLIGHT)


def test_who_is_early_is_not_late_and_who_never_came_does_not_count() -> None:
    given = flights(airplane=("N1", "N2", None, "N3"), delay=(7, -5, 3, None))
    found = airplanes.extract(State(), rows(given))
    assert lines(found, "airplane", "delay_min") == [("N1", 7), ("N2", 0)]
    # All else of a flight goes on with it.
    assert set(found.column_names) == {*FLIGHT.names, "airplane", "delay_min"} - {"tail_number"}


def test_sums_run_on_and_only_those_that_changed_come_out() -> None:
    state = State()

    def batch(**what) -> list[tuple]:
        delays = airplanes.extract(State(), rows(flights(**what)))
        return lines(airplanes.sum_delays(state, rows(delays)))

    assert batch(airplane=("N1", "N2", "N1"), delay=(1, 2, 4)) == [
        ("N1", 2013, 5, 2),
        ("N2", 2013, 2, 1),
    ]
    assert batch(airplane=("N3", "N2"), delay=(8, 16)) == [("N2", 2013, 18, 2), ("N3", 2013, 8, 1)]
    assert batch(airplane=("N1",), delay=(1,)) == [("N1", 2013, 6, 3)]


def test_a_route_tells_what_is_new_each_day_and_its_sum() -> None:
    state = State()
    first = airplanes.extract(State(), rows(flights(delay=(1, 2, 3), day=(0, 1, 1))))
    found = routes.route_delays(state, rows(first))
    names = ("delay_min", "flights", "total_delay_min", "total_flights")
    assert lines(found, *names) == [(1, 1, 6, 3), (5, 2, 6, 3)]
    again = airplanes.extract(State(), rows(flights(delay=(9,), day=(1,))))
    assert lines(routes.route_delays(state, rows(again)), *names) == [(9, 1, 15, 4)]


def observed(*hours: tuple[str, float, float | None]) -> pa.Table:
    """Return observations: an airport, hours since New Year, inches of rain."""
    return pa.table(
        {
            "event_time": pa.array([NEW_YEAR + timedelta(hours=at) for _, at, _ in hours], US),
            "airport": pa.array([airport for airport, _, _ in hours], pa.string()),
            "precipitation_in": pa.array([inches for _, _, inches in hours], pa.float64()),
        }
    )


TIMETABLE = pa.table({"origin": ["JFK", "JFK", "ATL"], "destination": ["ATL", "DEN", "JFK"]})


def test_a_day_of_rain_is_scored_when_it_is_over_for_every_route_from_there() -> None:
    score, state = rain.RainScore(200, TIMETABLE), State()
    morning = observed(("JFK", 3, 0.29), ("JFK", 4, 0.01), ("SEA", 4, 1.0), ("ATL", 5, None))
    assert score(state, rows(morning, "2013-01-01 05:00")).num_rows == 0
    evening = observed(("JFK", 20, 0.20), (None, 21, 2.0), ("JFK", 25, 2.0))
    found = score(state, rows(evening, "2013-01-02 01:00"))
    assert lines(found, "origin", "destination", "rain_score") == [
        ("JFK", "ATL", 25.0),
        ("JFK", "DEN", 25.0),
    ]
    later = score(state, rows(observed(), "2013-01-03"))
    assert lines(later, "destination", "rain_score") == [("ATL", 100.0), ("DEN", 100.0)]


def test_a_route_meets_the_rain_of_the_day_and_waits_for_it() -> None:
    state = State()
    delays = routes.route_delays(
        State(),
        rows(airplanes.extract(State(), rows(flights(delay=(10, 20, 40), day=(0, 0, 1))))),
    )
    none = rain.RainScore(100, TIMETABLE)(State(), rows(observed()))
    assert rain_delays.join(state, rows({"route-delay": delays, "rainscore": none})).num_rows == 0
    scores = rain.RainScore(100, TIMETABLE)(
        State(), rows(observed(("JFK", 1, 0.5), ("ATL", 1, 0.1)), "2013-01-02")
    )
    inputs = {"route-delay": delays.slice(0, 0), "rainscore": scores}
    found = rain_delays.join(state, rows(inputs, "2013-01-02"))
    assert lines(found, "delay_min", "flights", "rain_score") == [(30, 2, 50.0)]
    # The second day has no rain score: nothing comes of it, and nothing is kept.
    inputs["rainscore"] = none
    assert rain_delays.join(state, rows(inputs, "2013-01-04")).num_rows == 0
    assert state["delays"].num_rows == state["scores"].num_rows == 0


@pytest.mark.parametrize(
    ("score", "step"), [(0.0, 0), (9.99, 0), (10.0, 10), (89.9, 80), (90.0, 90), (100.0, 90)]
)
def test_scores_fall_into_intervals_of_ten(score, step) -> None:
    given = pa.table(
        {
            "origin": ["JFK"],
            "destination": ["ATL"],
            "rain_score": [score],
            "delay_min": [5],
            "flights": [1],
        }
    )
    found = rain_delays.efficiency(State(), rows(given))
    assert lines(found, "rain_from", "delay_min", "flights") == [(step, 5, 1)]


def test_a_store_writes_the_latest_of_each_key_once_a_period() -> None:
    storing, state = rain_delays.Storing(("key",), timedelta(days=7)), State()

    def batch(values: dict[str, int], watermark: str | None) -> list[tuple] | None:
        table = pa.table(
            {"key": pa.array(values, pa.string()), "value": pa.array(values.values(), pa.int64())}
        )
        written = storing(state, rows(table, watermark))
        return None if written is None else lines(written)

    assert batch({"a": 1}, None) is None
    assert batch({"b": 2}, "2013-01-03") == [("a", 1), ("b", 2)]
    assert batch({"a": 3, "c": 4}, "2013-01-04") is None
    assert batch({"a": 5}, "2013-01-05") is None
    assert batch({}, "2013-01-12") == [("a", 5), ("c", 4)]
    assert batch({}, "2013-01-12") is None
    assert batch({"a": 6}, "2262-01-01") == [("a", 6)]


def weather(tmp_path, airports: list[str | None]) -> prepared.Prepared:
    made = synthetic.weather(Recipe(60, 3, 0.0, 0.0, date(2013, 1, 1), 20))
    at = made.schema.get_field_index("airport")
    column = pa.array((airports * 60)[: made.num_rows], pa.string())
    table = made.set_column(at, made.schema.field(at), column)
    return prepared.write(iter([table]), tmp_path, WEATHERS, "mark")


def test_the_record_is_the_wettest_day_of_one_airport(tmp_path) -> None:
    copy = weather(tmp_path, list(AIRPORTS))
    (batch,) = copy.read(0, copy.rows)
    assert rain.record(copy) == round(
        100 * max(x or 0 for x in batch["precipitation_in"].to_pylist())
    )


def test_weather_without_airports_is_refused(tmp_path) -> None:
    with pytest.raises(InvalidInput, match="isd-history"):
        rain.record(weather(tmp_path, [None]))


def test_all_of_job_4_equals_a_computation_at_once(tmp_path) -> None:
    flown = synthetic.flights(Recipe(4000, 50, 0.5, 0.1, date(2013, 1, 1), 20))
    flown = flown.sort_by("event_time").select(airplanes.COLUMNS)
    copy = weather(tmp_path, list(AIRPORTS))
    (batch,) = copy.read(0, copy.rows)
    wet = pa.Table.from_batches([batch]).select(rain.COLUMNS)
    timetable = flown.group_by(["origin", "destination"]).aggregate([])
    operators = rain_delays.operators(3, rain.RainScore(rain.record(copy), timetable))
    sinks = ["store-delays", "store-efficiency"]
    found, hand = replayed({"flights": flown, "weather": wet}, operators, sinks, 7)

    frame = flown.to_pandas().dropna(subset=["tail_number", "arrival_delay_min"])
    frame["delay"] = frame["arrival_delay_min"].clip(lower=0).astype(int)
    sums = frame.groupby(["tail_number", "year"])["delay"].agg(["sum", "count"])
    last = found["store-delays"].groupby(["airplane", "year"]).last()
    assert last.to_numpy().tolist() == sums.to_numpy().tolist()

    fell = wet.to_pandas().dropna(subset=["precipitation_in"])
    fell["score"] = 100 * (100 * fell["precipitation_in"]).round() / rain.record(copy)
    frame["day"] = frame["event_time"].dt.floor("D")
    keys = {"left_on": ["origin", "day"], "right_on": ["airport", "event_time"]}
    both = frame.merge(fell, **keys)
    step = (both["score"] // 10 * 10).clip(upper=90).astype(int).rename("rain_from")
    expected = both.groupby(["origin", "destination", step])["delay"].agg(["sum", "count"])
    last = found["store-efficiency"].groupby(["origin", "destination", "rain_from"]).last()
    assert len(expected) > 100
    pd.testing.assert_index_equal(last.index, expected.index, check_names=False, exact=False)
    assert last.to_numpy().tolist() == expected.to_numpy().tolist()
    assert hand.counters.totals("join").late_rows == 0


def score() -> rain.RainScore:
    return rain.RainScore(1, pa.table({"origin": ["JFK"], "destination": ["ATL"]}))


@pytest.mark.parametrize(
    ("operators", "apart", "chained"),
    [
        pytest.param(articles.operators(8), (3, 24), (3, 24), id="job1"),
        pytest.param(airplanes.operators(4), (2, 8), (1, 4), id="job2"),
        pytest.param(routes.operators(4), (2, 16), (2, 8), id="job3"),
        pytest.param(rain_delays.operators(4, score()), (5, 40), (3, 24), id="job4"),
    ],
)
def test_operators_of_one_key_save_stages_and_tasks(operators, apart, chained) -> None:
    for chain, expected in (("never", apart), ("auto", chained)):
        found = layout(operators, chain)
        assert (found.depth, found.tasks) == expected
