"""Several seeds told together: medians, quartiles, and how many agree."""

import math

import pytest

from albic.experiments.entries.lines import bars, lines
from albic.experiments.rows import Rows
from albic.experiments.seed_statistics import Spread, curve, each_seed, judge, mean_spread, spread


def seeded(*values, **about):
    return [{"seed": seed, "value": value, **about} for seed, value in enumerate(values, start=1)]


def test_five_seeds_have_a_median_between_quartiles():
    assert Spread.of([5.0, 1.0, 3.0, 2.0, 4.0]) == Spread(2.0, 3.0, 4.0, 5)
    assert str(Spread.of([5.0, 1.0, 3.0, 2.0, 4.0])) == "3 (2 to 4)"


def test_few_or_equal_seeds_are_told_without_quartiles():
    assert str(Spread.of([3.0])) == "3"
    assert str(Spread.of([1.0, 2.0])) == "1.5"
    assert str(Spread.of([2.0] * 5)) == "2"


def test_what_is_no_number_is_left_out():
    assert Spread.of([math.nan, 2.0]).seeds == 1
    assert str(Spread.of([])) == "not measured"


def test_a_seed_is_one_number_however_many_rows_it_has():
    rows = Rows.of(seeded(1.0, 9.0) + seeded(3.0) + seeded(100.0, 100.0, 4.0)[2:])
    assert [len(some.rows) for some in each_seed(rows)] == [2, 1, 1]
    assert mean_spread(rows, "value").median == 4.0
    assert spread(rows, lambda some: some.most("value")).median == 4.0


def test_rows_without_seeds_are_one_run():
    assert mean_spread(Rows.of([{"value": 1.0}, {"value": 3.0}]), "value") == Spread(2, 2, 2, 1)


def test_a_claim_is_judged_on_the_median_and_tells_how_many_seeds_agree():
    rows = Rows.of(seeded(1.0, 1.0, 1.0, 9.0, 9.0))
    found = judge(rows, lambda some: [some.mean("value")], lambda numbers: numbers[0] < 2)
    assert found.holds
    assert found.told == "3 of 5"
    other = judge(rows, lambda some: [some.mean("value")], lambda numbers: numbers[0] > 2)
    assert not other.holds
    assert other.told == "2 of 5"


def test_a_seed_that_a_line_was_not_run_with_does_not_count():
    rows = Rows.of(seeded(1.0, 2.0, 3.0, line="a") + seeded(5.0, 1.0, line="b"))

    def both(some):
        return [some.where(line=line).mean("value") for line in "ab"]

    found = judge(rows, both, lambda numbers: numbers[0] < numbers[1])
    assert found.seeds == 2
    assert found.told == "1 of 2"
    assert found.medians == (1.5, 3.0)


def test_without_any_seed_nothing_holds():
    found = judge(Rows.of([]), lambda some: [some.mean("value")], lambda _: True)
    assert not found.holds
    assert found.seeds == 0


@pytest.mark.parametrize(("over", "places"), [("at", [1, 2]), ("word", ["late", "early"])])
def test_a_curve_has_the_spread_at_each_place(over, places):
    rows = Rows.of(
        seeded(4.0, 6.0, 8.0, at=2, word="late") + seeded(1.0, 2.0, 3.0, at=1, word="early")
    )
    found, spreads = curve(rows, over, "value")
    assert found == places
    assert [each.median for each in spreads] == ([2.0, 6.0] if over == "at" else [6.0, 2.0])


def test_lines_and_bars_have_a_band_from_three_seeds_on():
    few, many = Rows.of(seeded(1.0, 2.0, at=1, m="a")), Rows.of(seeded(1.0, 2.0, 6.0, at=1, m="a"))
    assert lines(few, "m", "at", "value")[0].band is None
    assert lines(many, "m", "at", "value")[0].band == ([1.5], [4.0])
    assert bars(few, "m", "m", "value")[0].band is None
    assert bars(many, "m", "m", "value")[0].band == ([1.5], [4.0])


def test_bars_leave_a_place_for_what_was_not_measured():
    rows = Rows.of([{"m": "a", "w": "x", "y": 1.0}, {"m": "b", "w": "z", "y": 2.0}])
    first, second = bars(rows, "m", "w", "y")
    assert list(first.x) == list(second.x) == ["x", "z"]
    assert math.isnan(first.y[1])


def test_what_never_happens_with_most_seeds_never_happens():
    often, seldom = Spread.of([3.0, math.inf, math.inf]), Spread.of([1.0, 2.0, 3.0, 4.0, math.inf])
    assert (often.median, often.high) == (math.inf, math.inf)
    assert (seldom.low, seldom.median, seldom.high) == (2.0, 3.0, 4.0)
