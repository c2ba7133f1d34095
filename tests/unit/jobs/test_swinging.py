"""A load goes up to its double and back, batch by batch."""

import pytest

from albic.jobs.swinging import Swing
from albic.model import InvalidInput


def test_a_swing_is_low_rises_is_high_and_falls() -> None:
    swing = Swing(low=2, rise=1, high=2, fall=3)
    assert swing.shares() == (0.5, 0.5, 0.75, 1.0, 1.0, 0.875, 0.75, 0.625)
    assert swing.rows(80) == (40, 40, 60, 80, 80, 70, 60, 50)


def test_without_slopes_the_load_jumps() -> None:
    assert Swing(low=1, rise=0, high=1, fall=0).rows(10) == (5, 10)


@pytest.mark.parametrize(
    "wrong", [{"low_share": 0.0}, {"low_share": 1.5}, {"low": 0}, {"fall": -1}]
)
def test_nonsense_is_refused_at_once(wrong) -> None:
    with pytest.raises(InvalidInput):
        Swing(**wrong)
