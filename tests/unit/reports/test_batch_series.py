"""The course of a run is worked out from what was recorded, as its definitions say."""

import re
from dataclasses import replace

import pytest

from albic.control.batches import BatchRecord
from albic.control.journal import MoveRecord, RoundRecord, Status
from albic.model import Operator, Topology
from albic.model.snapshot_file import snapshot_document
from albic.reports import RunRecords, batch_series
from albic.reports.batch_series import FIRST, LAST, summary
from albic.reports.repeats import Repeats
from tests.worlds import request

WARM_UP = 2
ROWS = 1000
#: A batch each second, from second 100 on.
BEGAN_S = 100.0


def batch(number: int, *, busy_s=(0.4, 0.2, 0.2, 0.0), local=0, remote=0, rows=ROWS, moved=0):
    return BatchRecord(
        batch=number,
        ended_s=BEGAN_S + number,
        batch_s=1.0,
        stage_s=0.8,
        busy_s=tuple(busy_s),
        node=("1", "2", "1", "2"),
        loaded=tuple(at < moved for at in range(4)),
        rows=rows,
        local_bytes=local,
        remote_bytes=remote,
    )


def round_at(after_s: float, status: Status, before: float | None, after: float | None):
    return RoundRecord(
        1,
        BEGAN_S + after_s,
        "period",
        status,
        "",
        collocation_before=before,
        collocation_after=after,
        moves=(MoveRecord("sum", 0, "1", "2", 500),),
    )


def run(*records: BatchRecord, rounds=(), operators=()) -> RunRecords:
    return RunRecords("joint", 2, records, rounds, warm_up=WARM_UP, operators=operators)


def test_measured_collocation_is_the_local_part_of_what_key_groups_read() -> None:
    found = run(batch(1, local=9), batch(2, local=30, remote=70), batch(3), batch(4, local=5))
    assert batch_series.measured(found) == [(2, 30.0), (4, 100.0)]


def test_planned_collocation_is_the_plan_where_it_was_carried_out_else_what_was_there() -> None:
    rounds = (
        round_at(-5, Status.HELD, 0.5, 0.9),
        round_at(2.5, Status.APPLIED, 0.1, 0.6),
        round_at(3.5, Status.HELD, 0.6, 0.7),
        round_at(3.7, Status.NOT_READY, None, None),
    )
    found = run(*(batch(at) for at in range(5)), rounds=rounds)
    assert batch_series.planned(found) == [(2, 60.0), (3, 60.0)]


def test_the_load_index_is_work_for_a_row_against_the_first_batches_that_count() -> None:
    start = [batch(at, busy_s=(9, 9, 9, 9)) for at in range(WARM_UP)]
    first = [batch(WARM_UP + at) for at in range(FIRST)]
    half = batch(9, busy_s=(0.2, 0.1, 0.1, 0.0))
    same_for_half_the_rows = batch(10, busy_s=(0.2, 0.1, 0.1, 0.0), rows=ROWS // 2)
    found = run(*start, *first, half, same_for_half_the_rows)
    assert [round(value) for _, value in batch_series.load_index(found)] == [
        *[100] * FIRST,
        50,
        100,
    ]


def test_what_is_left_of_the_data_does_not_say_what_a_row_costs() -> None:
    whole = (batch(0), batch(1, rows=ROWS // 2 + 1))
    assert batch_series.without_remnant(whole) == whole
    assert batch_series.without_remnant([*whole, batch(2, rows=3)]) == whole
    assert batch_series.without_remnant(whole[:1]) == whole[:1]


def test_work_is_told_for_each_operator() -> None:
    topology = Topology((Operator("extract", 1), Operator("sum", 3)), ((0, 1),))
    names = batch_series.key_group_names(topology)
    assert names == ("extract", "sum", "sum", "sum")
    found = run(*(batch(at) for at in range(4)), operators=names)
    assert batch_series.operator_work(found) == pytest.approx({"extract": 400.0, "sum": 400.0})


def test_the_work_of_a_chain_is_told_for_each_operator_in_it() -> None:
    snapshot = request([10.0, 10.0, 10.0, 10.0], [0, 0, 1, 1], operators=[2, 2]).snapshot
    operators = (Operator("job2 / a > b", 2, chain=("a", "b")), Operator("job2 / c", 2))
    seen = replace(
        snapshot,
        topology=replace(snapshot.topology, operators=operators),
        chain_work={"job2 / a > b": (0.25, 0.75)},
    )
    last = replace(round_at(2.5, Status.HELD, 0.1, 0.6), snapshot=snapshot_document(seen))
    names = ("a > b", "a > b", "c", "c")
    found = run(*(batch(at) for at in range(4)), rounds=(last,), operators=names)
    assert batch_series.operator_work(found) == pytest.approx({"a": 150.0, "b": 450.0, "c": 200.0})


def test_a_summary_tells_the_end_from_the_start() -> None:
    start = [batch(at, remote=100) for at in range(WARM_UP + FIRST)]
    end = [batch(at, local=300, remote=100) for at in range(len(start), len(start) + LAST)]
    rounds = (round_at(4.5, Status.APPLIED, 0.0, 0.75), round_at(6.5, Status.HELD, 0.75, 1.0))
    found = summary(run(*start, *end, rounds=rounds))
    assert found.batches == FIRST + LAST
    assert found.rows_per_s == ROWS
    assert (found.start_collocation_pct, found.end_measured_pct) == (0.0, 75.0)
    assert found.end_planned_pct == 75.0
    assert found.end_remote_bytes_per_row == 0.1
    assert found.end_distance_pct == pytest.approx(20.0)
    assert (found.moves, found.moved_bytes) == (1, 500)


def test_a_run_without_traffic_or_rounds_has_no_collocation() -> None:
    found = summary(run(*(batch(at) for at in range(4))))
    assert found.start_collocation_pct is None
    assert found.end_measured_pct is None
    assert found.end_planned_pct is None
    assert found.compliance_pct is None


def test_the_page_has_every_run_in_every_chart_and_only_numbers_of_the_runs() -> None:
    pytest.importorskip("albic.figures.plots", reason="the extra albic[figures] is missing")
    from albic.reports.planners_page import About, Comparison, planners_page  # noqa: PLC0415

    records = [batch(at, local=at, remote=10, moved=at % 2) for at in range(12)]
    rounds = (round_at(4.5, Status.APPLIED, 0.0, 0.75),)
    names = ("extract", "extract", "sum", "sum")
    steered = run(*records, rounds=rounds, operators=names)
    plain = RunRecords("plain Spark", 2, tuple(records), warm_up=WARM_UP, operators=names)
    found = Comparison(
        [Repeats((each, each), tuple(records[:3])) for each in (steered, plain)], "plain Spark"
    )
    page = planners_page(found, About("job2", "About.", "albic run job2"))
    charts = [chart for section in page.sections for chart in section.charts]
    assert len(charts) == 7
    assert all([s.label for s in chart.series] == ["joint", "plain Spark"] for chart in charts)
    text = page.html()
    assert "What joint decided" in text
    assert "What plain Spark decided" not in text
    assert "With joint a batch took 1.00 of plain Spark" in text
    assert "fixed cost" in text
    assert not re.search(r"\bnan\b", text)


def test_several_runs_of_a_planner_are_one_in_numbers() -> None:
    one, two = (run(*(batch(at, local=local, remote=1) for at in range(8))) for local in (1, 3))
    found = summary(one, two)
    assert (found.batches, found.rows) == (12, 12 * ROWS)
    assert found.end_measured_pct == pytest.approx(100 * 4 / 6)
    assert batch_series.over_runs([one, two], batch_series.measured) == [
        (at, pytest.approx((50 + 75) / 2)) for at in range(WARM_UP, 8)
    ]
