"""Records of two runs become a page that says what was measured, and nothing else."""

import re

import pytest

from albic.control.batches import BatchRecord
from albic.control.journal import MoveRecord, RoundRecord, Status
from albic.model import InvalidInput
from albic.reports import RunRecords, comparison_page, faster, headline, picture

pytest.importorskip("albic.figures.plots", reason="the extra albic[figures] is missing")


def batch(number: int, batch_s: float, busy_s, node: str = "1234", moved: int = 0) -> BatchRecord:
    loaded = tuple(at < moved for at in range(len(busy_s)))
    return BatchRecord(
        number, float(number), batch_s, batch_s - 0.5, tuple(busy_s), tuple(node), loaded
    )


def round_of(number: int, *, moves: int, status: Status = Status.APPLIED, **more) -> RoundRecord:
    each = MoveRecord("count", 3, "1", "2", 100)
    given = {"judged": 40, "compliant": 39, **more}
    return RoundRecord(
        number,
        100.0 + number,
        "imbalance",
        status,
        "makespan 9 -> 5",
        moves=(each,) * moves,
        **given,
    )


PLAIN = RunRecords(
    "plain Spark",
    4,
    tuple(batch(number, 4.0, (3.0, 1.0, 1.0, 1.0)) for number in range(8)),
    changes=(3, 6),
    warm_up=2,
)
STEERED = RunRecords(
    "albic",
    4,
    tuple(batch(number, 2.0, (1.5,) * 4, moved=number == 4) for number in range(8)),
    rounds=(round_of(1, moves=2), round_of(2, moves=5, status=Status.HELD)),
    changes=(3, 6),
    warm_up=2,
)


def test_the_headline_is_the_ratio_of_what_was_measured() -> None:
    assert faster(PLAIN, STEERED) == 0.5
    assert headline(PLAIN, STEERED) == (
        "With albic a batch took 2.00 s instead of 4.00 s: 0.50 of the time, 50% less, for 2 moves "
        "of state; 97.5% of the tasks ran where planned. Against the best placement of its own "
        "tasks, plain Spark took 1.14 times as long, albic 1.00 times."
    )
    assert "100% more" in headline(STEERED, PLAIN)


def test_only_batches_after_the_warm_up_count() -> None:
    slow_start = RunRecords("a", 4, (batch(0, 90.0, (1.0,) * 4), batch(1, 2.0, (1.0,) * 4)))
    assert slow_start.batch_s == 2.0
    with pytest.raises(InvalidInput, match="record more"):
        RunRecords("short", 4, (batch(0, 1.0, (1.0,) * 4),))


def test_a_run_knows_its_best_its_spread_and_its_busiest_node() -> None:
    assert PLAIN.bound_s == pytest.approx(0.5 + 3.0)
    assert STEERED.bound_s == pytest.approx(0.5 + 1.5)
    assert PLAIN.distance_pct == pytest.approx(100 * 1.5 / 4)
    assert STEERED.distance_pct == 0
    assert next(iter(PLAIN.node_busy_s(3).items())) == ("1", 3.0)
    assert (PLAIN.percentile_s(50), PLAIN.percentile_s(95)) == (4.0, 4.0)
    assert PLAIN.compliance is None


def test_a_node_without_any_state_is_shown_as_idle() -> None:
    run = RunRecords("late", 4, tuple(batch(n, 2.0, (1.0, 1.0), node="12") for n in range(3)))
    assert list(run.node_busy_s(2).values()) == [1.0, 1.0, 0.0, 0.0]


def test_the_page_is_whole_and_fetches_nothing() -> None:
    page = comparison_page(PLAIN, STEERED, "a <small> job").html()
    assert page.count("<svg") == 4
    assert "a &lt;small&gt; job" in page
    assert "0.50 ×" in page
    assert "97.5%" in page
    assert page.count("hot keys change") >= 4
    assert not re.search(r'(?:src|href)="(?!#)', page)
    rows = re.findall(r"<tr>.*?</tr>", page)
    assert sum("imbalance" in row for row in rows) == 2


def test_the_picture_shows_batch_times_and_the_work_of_each_node() -> None:
    times, work = picture(PLAIN, STEERED)
    assert [series.label for series in times.series] == ["plain Spark", "albic"]
    assert list(times.series[0].y) == [4.0] * 7, "the first batch starts everything up"
    assert [mark for mark, _ in times.marks] == [3, 6]
    assert list(work.series[0].y) == [3.0, 1.0, 1.0, 1.0]
    assert work.levels[0][0] == pytest.approx(1.5)
