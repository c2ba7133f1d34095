"""Node-seconds are what somebody pays for."""

from albic.control.node_presence import Stay, node_seconds, node_steps

STAYS = (Stay("0", 0.0), Stay("1", 0.0, 30.0), Stay("2", 20.0, 50.0), Stay("3", 200.0))


def test_only_the_time_between_the_moments_counts() -> None:
    assert node_seconds(STAYS, 0.0, 100.0) == 100 + 30 + 30
    assert node_seconds(STAYS, 25.0, 40.0) == 15 + 5 + 15
    assert node_seconds((), 0.0, 10.0) == 0


def test_steps_tell_how_many_were_there_and_when() -> None:
    at_s, there = node_steps(STAYS, 0.0, 100.0)
    assert at_s == [0.0, 20.0, 30.0, 50.0, 100.0]
    assert there == [2, 3, 2, 1, 1]
