"""Periods are read as people write them, and nonsense is refused at once."""

import pytest

from albic.control import Pace, Settings
from albic.model import InvalidInput


@pytest.mark.parametrize(
    ("written", "pace"),
    [
        ("20s", Pace(seconds=20.0)),
        (" 500 ms ", Pace(seconds=0.5)),
        ("1.5m", Pace(seconds=90.0)),
        ("5 batches", Pace(batches=5)),
        ("1 batch", Pace(batches=1)),
        (3, Pace(seconds=3.0)),
        (Pace(batches=2), Pace(batches=2)),
    ],
)
def test_a_period_is_read(written, pace: Pace) -> None:
    assert Pace.of(written) == pace


@pytest.mark.parametrize(
    "written", ["", "20", "s", "-3s", "0s", "2.5 batches", "0 batches", 0, float("nan")]
)
def test_nonsense_is_no_period(written) -> None:
    with pytest.raises(InvalidInput, match="5 batches"):
        Pace.of(written)


@pytest.mark.parametrize(
    "wrong", [{"max_migrations": -1}, {"least_gain": 1.0}, {"time_limit_s": 0.0}]
)
def test_nonsense_is_no_setting(wrong) -> None:
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        Settings(**wrong)
