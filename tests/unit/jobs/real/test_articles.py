"""Job 1 and its PoTC variant: places, minutes, the most edited, and who counts what."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pyspark", reason="the extra spark is not installed")

from albic.jobs.datasets import synthetic
from albic.jobs.datasets.recipe import Recipe
from albic.jobs.real import articles, potc
from albic.jobs.real.geohash import geohash
from albic.jobs.real.windows import most, parted
from albic.streams import State
from albic.streams.hashing import key_groups
from tests.unit.jobs.real.helpers import US, lines, replayed, rows

NOON = datetime(2015, 9, 12, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("latitude", "longitude", "expected"),
    [
        pytest.param(57.64911, 10.40744, "u4pruydqqvj", id="Skagen"),
        pytest.param(42.605, -5.603, "ezs42", id="Leon"),
        pytest.param(-25.382708, -49.265506, "6gkzwgjzn820", id="Curitiba"),
        pytest.param(-90.0, -180.0, "0000", id="one corner"),
        pytest.param(90.0, 180.0, "zzzz", id="the other corner"),
    ],
)
def test_a_geohash_is_the_one_that_others_find(latitude, longitude, expected) -> None:
    found = geohash(np.array([latitude]), np.array([longitude]), len(expected))
    assert found.tolist() == [expected]


def test_edits_spread_evenly_over_denmark() -> None:
    edits = articles.ROWS * articles.COLUMNS * 40
    table = pa.table(
        {
            "sequence": np.arange(edits),
            "wiki": ["en"] * edits,
            "page": ["a"] * edits,
            "event_time": pa.array([NOON] * edits, US),
        }
    )
    counts = articles.place(State(), rows(table))["geohash"].to_pandas().value_counts()
    assert len(counts) == articles.ROWS * articles.COLUMNS
    assert counts.max() - counts.min() <= 6
    # Copenhagen, Aarhus and Aalborg lie in it.
    towns = geohash(np.array([55.68, 56.16, 57.05]), np.array([12.57, 10.2, 9.92]), 4)
    assert set(towns) <= set(counts.index)


def test_a_window_is_over_when_the_watermark_reaches_its_end() -> None:
    starts = pa.array([NOON, NOON + timedelta(minutes=1)], US)
    table = pa.table({"window_start": starts, "edits": [1, 2]})
    minute = timedelta(minutes=1)
    for seconds, over in ((59, []), (60, [1]), (119, [1]), (120, [1, 2])):
        moment = pd.Timestamp(NOON) + pd.Timedelta(seconds=seconds)
        done, kept = parted(table, "window_start", minute, moment)
        assert done["edits"].to_pylist() == over
        assert done["edits"].to_pylist() + kept["edits"].to_pylist() == [1, 2]
    assert parted(table, "window_start", minute, None)[1] == table


def test_equal_articles_are_ranked_by_name() -> None:
    table = pa.table(
        {
            "cell": ["x", "x", "x", "y", "x"],
            "page": ["c", "b", "a", "a", "d"],
            "edits": [5, 2, 2, 1, 1],
        }
    )
    found = most(table, ["cell"], "edits", ["page"], 3)
    assert lines(found, "cell", "rank", "page") == [
        ("x", 1, "c"),
        ("x", 2, "a"),
        ("x", 3, "b"),
        ("y", 1, "a"),
    ]


def edits(count: int) -> pa.Table:
    """Return edits of few pages in half an hour, by time, as a replay has them."""
    made = synthetic.edits(Recipe(count, 12, 0.9, 0.1, date(2015, 9, 12), 1))
    times = made["event_time"].cast(pa.int64()).to_numpy()
    dense = times[0] + (times - times[0]) // 48
    columns = {"event_time": pa.array(dense).cast(US), "sequence": np.arange(count)}
    return pa.table({**columns, "wiki": made["wiki"], "page": made["page"]})


def test_both_variants_find_what_is_most_edited() -> None:
    given = edits(6000)
    found, _ = replayed({"edits": given}, articles.operators(3), ["global-top-k"], 7)
    split, hand = replayed({"edits": given}, potc.operators(3), ["global-top-k"], 4)
    key = ["window_start", "rank"]
    one, other = (
        each["global-top-k"].sort_values(key, ignore_index=True) for each in (found, split)
    )
    pd.testing.assert_frame_equal(one, other)
    assert not one.duplicated(key).any()
    # A cell has few edits a minute, so its list is complete, and the sums are all there is.
    frame = given.to_pandas()
    frame["window_start"] = frame["event_time"].dt.floor("min")
    counts = frame.groupby(["window_start", "wiki", "page"]).size().rename("edits").reset_index()
    ordered = counts.sort_values(["window_start", "edits", "wiki", "page"], ascending=[1, 0, 1, 1])
    best = ordered.groupby("window_start").head(articles.K).reset_index(drop=True)
    assert best["edits"].max() > 10
    names = ["window_start", "wiki", "page", "edits"]
    assert one[names].to_numpy().tolist() == best[names].to_numpy().tolist()
    merged = hand.counters.totals("merge-top-k")
    assert 0 < merged.rows_in == hand.counters.totals("partial-count").rows_out
    assert merged.late_rows == hand.counters.totals("global-top-k").late_rows == 0


@pytest.mark.parametrize("groups", [1, 2, 5, 16])
def test_an_address_leads_to_its_key_group(groups) -> None:
    table = pa.table({"address": potc.addresses(groups)})
    assert key_groups(table, ["address"], groups).tolist() == list(range(groups))


@given(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=60),
    st.lists(st.integers(0, 30), min_size=4, max_size=4),
)
def test_the_less_loaded_of_two_counts_an_edit(cells, load) -> None:
    placed = pa.table({"geohash": cells})
    two = potc.candidates(placed, 4)
    sent = np.array(load)
    chosen = potc.picked(placed, two, sent)
    assert ((chosen == two[0]) | (chosen == two[1])).all()
    assert (sent - load).tolist() == np.bincount(chosen, minlength=4).tolist()
    # As if the edits of each cell had come one by one.
    one_by_one = list(load)
    for cell in sorted(set(cells)):
        for at in (at for at, each in enumerate(cells) if each == cell):
            better = min(two[:, at], key=lambda group: one_by_one[group])
            one_by_one[better] += 1
    assert sorted(one_by_one) == sorted(sent.tolist())
