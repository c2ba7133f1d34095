"""Points are measured once, kept at once, and never taken from other code or other numbers."""

import logging
from dataclasses import replace

import pytest

from albic.experiments import store as stores
from albic.experiments.entries.lemmas import LEMMAS
from albic.experiments.experiment import parameters
from albic.experiments.result import result_of
from albic.experiments.runner import measured
from albic.experiments.runs.lemmas import LemmaPoint
from albic.experiments.runs.methods import MILP
from albic.experiments.store import Kept, Store, code_hash
from tests.unit.experiments.small import Number, small, square


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "points", "code")


def stopping_at(value):
    """Return a measure that is interrupted at one point."""

    def measure(point):
        if point.value == value:
            raise KeyboardInterrupt
        return square(point)

    return measure


def never(point):
    raise AssertionError(f"{point} was measured again")


def test_every_point_is_measured_in_order(store):
    done = list(measured(small(), store))
    assert [each.point.value for each in done] == [1, 2, 3]
    assert not any(each.found for each in done)


def test_a_run_that_was_stopped_goes_on_where_it_was(store):
    with pytest.raises(KeyboardInterrupt):
        list(measured(small(stopping_at(3)), store))
    done = list(measured(small(), store))
    assert [(each.point.value, each.found) for each in done] == [(1, True), (2, True), (3, False)]
    assert list(measured(small(never), store))[2].kept.rows == ({"value": 3, "square": 9},)


def test_rows_stand_in_the_order_of_points_whatever_was_done_first(store):
    list(measured(small(numbers=(3,)), store))
    result = result_of(small(), measured(small(), store), {}, quick=False)
    assert result.rows.numbers("square") == [1, 4, 9]


def test_results_of_other_code_or_other_numbers_do_not_count(store):
    store.save(Number(1), Kept(({"square": 1},), 0.5))
    assert store.load(Number(1)) == Kept(({"square": 1},), 0.5)
    assert store.load(Number(1, seed=2)) is None
    assert replace(store, code="other").load(Number(1)) is None


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'{"format": "albic-point/1", "rows": [{"a"', id="cut off"),
        pytest.param(b"\xff\xfe", id="not text"),
        pytest.param(b'{"format": "albic-point/9", "rows": [], "seconds": 1}', id="other format"),
        pytest.param(b'{"format": "albic-point/1", "rows": [1], "seconds": 1}', id="no rows"),
        pytest.param(b'{"format": "albic-point/1", "rows": [], "seconds": "1"}', id="no seconds"),
        pytest.param(b"[]", id="a list"),
    ],
)
def test_a_damaged_file_is_told_and_measured_again(store, damage, caplog):
    list(measured(small(numbers=(2,)), store))
    (path,) = store.folder.rglob("*.json")
    path.write_bytes(damage)
    with caplog.at_level(logging.WARNING):
        (done,) = measured(small(numbers=(2,)), store)
    assert not done.found
    assert done.kept.rows == ({"value": 2, "square": 4},)
    assert "measured again" in caplog.text
    assert next(measured(small(never, numbers=(2,)), store)).found


def test_two_processes_measure_the_same_as_one(tmp_path):
    points = tuple(LemmaPoint(3, MILP, seed) for seed in (1, 2, 3))
    asked = replace(LEMMAS, points=points)
    alone = list(measured(asked, Store(tmp_path / "one", "code")))
    together = list(measured(asked, Store(tmp_path / "two", "code"), at_once=2))
    assert sorted(each.position for each in together) == [0, 1, 2]
    for each in together:
        assert each.kept.rows == alone[each.position].kept.rows


def test_what_is_timed_is_measured_alone(store):
    here = []
    asked = small(lambda point: here.append(point.value) or [], numbers=(1, 2))
    # A function of this test could not be sent to another process at all.
    list(measured(replace(asked, alone=True), store, at_once=2))
    assert here == [1, 2]


def test_the_code_hash_changes_with_the_code(tmp_path, monkeypatch):
    package = tmp_path / "albic"
    (package / "planners").mkdir(parents=True)
    (package / "planners" / "flux.py").write_text("one")
    (package / "planners" / "flux.nbi").write_text("compiled")
    (package / "figures.py").write_text("drawn")
    monkeypatch.setattr(stores.albic, "__file__", str(package / "__init__.py"))
    hashes = []
    for change in (
        lambda: None,
        lambda: (package / "planners" / "flux.nbi").write_text("compiled again"),
        lambda: (package / "figures.py").write_text("drawn better"),
        lambda: (package / "planners" / "flux.py").write_text("two"),
        lambda: (package / "planners" / "new.py").write_text(""),
    ):
        change()
        hashes.append(code_hash.__wrapped__())
    assert hashes[0] == hashes[1] == hashes[2]
    assert len(set(hashes)) == 3


def test_parameters_are_told_with_every_value_they_take():
    assert parameters(small().points) == {"value": [1, 2, 3], "seed": [1]}
    mixed = parameters((Number(1), LemmaPoint(3, MILP, 2)))
    assert mixed == {"value": [1], "seed": [1, 2], "clusters": [3], "method": [MILP]}
