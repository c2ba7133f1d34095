"""The demonstration's job is skewed as it says, and changes when it says."""

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="the extra albic[spark] is missing")

from albic.jobs.drifting import MOST_DRAWN, Drift, hot_order, ranks
from albic.model import InvalidInput


def test_events_follow_zipf_and_every_key_group_has_one() -> None:
    counts = np.bincount(ranks(Drift(key_groups=16, events=1600, skew=0.8)))
    assert counts.sum() == 1600
    assert counts.min() >= 1
    assert (np.diff(counts) <= 1).all(), "the first rank is the hottest"
    assert counts[0] / counts[7] == pytest.approx(8**0.8, rel=0.1)


def test_without_skew_all_key_groups_are_alike() -> None:
    counts = np.bincount(ranks(Drift(key_groups=10, events=1000, skew=0.0)))
    assert set(counts.tolist()) <= {99, 100, 101}


def test_each_phase_has_its_own_hot_groups_and_all_groups_have_a_rank() -> None:
    order = hot_order(Drift(), 4)
    assert all(sorted(phase) == list(range(Drift().key_groups)) for phase in order.tolist())
    assert len({tuple(phase) for phase in order.tolist()}) == 4


def test_changes_come_when_the_phases_say() -> None:
    drift = Drift(first_phase=4, phase=5)
    assert [at for at in range(16) if drift.change_at(at)] == [4, 9, 14]


def test_very_many_events_repeat_what_was_drawn() -> None:
    drawn = ranks(Drift(key_groups=8, events=40_000, skew=0.5))
    assert drawn.size == MOST_DRAWN
    assert set(drawn.tolist()) == set(range(8))


@pytest.mark.parametrize(
    "wrong",
    [
        {"events": 3},
        {"key_groups": 0},
        {"phase": 0},
        {"sources": 0},
        {"work": -1},
        {"free": -1},
        {"filled": True, "keys": 1},
    ],
)
def test_a_job_that_cannot_be_is_refused(wrong) -> None:
    with pytest.raises(InvalidInput):
        Drift(**wrong)
