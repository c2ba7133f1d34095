"""The benchmark of the simulator says what it ran and how long it took."""

from bench.simulator import main


def test_a_small_run_is_told(capsys) -> None:
    took_s = main(10, 200, 3)
    told = capsys.readouterr().out
    assert took_s > 0
    assert "10 nodes, 200 key groups" in told
    assert "3 periods in" in told
