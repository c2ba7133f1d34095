"""Planners take turns, and are held against plain Spark turn by turn."""

import pytest

from albic.control.batches import BatchRecord
from albic.reports import RunRecords
from albic.reports.batch_series import LAST
from albic.reports.repeats import Repeats, ratio, turns


def run(name: str, first_s: float, end_s: float) -> RunRecords:
    """Return a run of two slow batches and as many as count at the end."""
    times = [first_s, first_s, *[end_s] * LAST]
    records = tuple(
        BatchRecord(at, float(at), spent_s, spent_s, (spent_s,), ("1",), (False,), rows=1)
        for at, spent_s in enumerate(times)
    )
    return RunRecords(name, 1, records, warm_up=0)


@pytest.mark.parametrize(
    ("planners", "repeats", "order"),
    [
        pytest.param("AB", 1, "AB", id="once"),
        pytest.param("AB", 2, "ABBA", id="there and back"),
        pytest.param("AB", 3, "ABBAAB", id="and there again"),
        pytest.param("ABC", 2, "ABCCBA", id="three"),
        pytest.param("A", 2, "AA", id="alone"),
    ],
)
def test_planners_take_turns_there_and_back(planners, repeats, order) -> None:
    found = turns(tuple(planners), repeats)
    assert "".join(name for name, _ in found) == order
    for name in planners:
        assert [turn for each, turn in found if each == name] == list(range(repeats))


def test_a_machine_that_grows_faster_from_run_to_run_favours_nobody() -> None:
    names = ("plain", "joint")
    took = {name: [] for name in names}
    for number, (name, _) in enumerate(turns(names, 2)):
        took[name].append(run(name, 9.0, 4.0 - 0.5 * number))
    found = ratio(*(Repeats(tuple(took[name])) for name in reversed(names)))
    assert found.end == 1.0
    assert found.lowest < 1 < found.highest


def test_the_end_and_all_batches_are_told_apart() -> None:
    plain = Repeats((run("plain", 4.0, 4.0),))
    joint = Repeats((run("joint", 8.0, 2.0),))
    found = ratio(joint, plain)
    assert (found.end, found.lowest, found.highest) == (0.5, 0.5, 0.5)
    assert found.all == pytest.approx((16 + 2 * LAST) / (4 * (LAST + 2)))
