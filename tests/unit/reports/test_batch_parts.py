"""What a batch consists of adds up to the batch."""

import pytest

from albic.control.batches import AFTER, BEFORE, BatchRecord, StageTime
from albic.model import Operator, Topology
from albic.reports.batch_parts import BETWEEN, SINKS, SOURCES, makeup, shares, stage_names


def batch(batch_s: float, *stages: tuple[int, float, float]) -> BatchRecord:
    times = tuple(StageTime(*each) for each in stages)
    return BatchRecord(0, 0.0, batch_s, 0.0, (1.0,), ("1",), (False,), stages=times)


FULL = batch(5.0, (BEFORE, 1.0, 0.0), (0, 2.0, 0.5), (1, 1.0, 0.25), (AFTER, 0.5, 0.0))
EMPTY = batch(1.5, (BEFORE, 0.25, 0.0), (0, 0.5, 0.1), (1, 0.25, 0.0), (AFTER, 0.25, 0.0))


def test_every_part_is_work_waiting_and_what_it_takes_without_rows() -> None:
    found = {part.name: part for part in makeup([FULL, FULL], [EMPTY], ("extract", "sum"))}
    assert list(found) == [SOURCES, "extract", "sum", SINKS, BETWEEN]
    extract = found["extract"]
    assert (extract.wall_s, extract.wait_s, extract.fixed_s, extract.work_s) == (2.0, 0.5, 0.5, 1.0)
    assert (found[BETWEEN].wall_s, found[BETWEEN].fixed_s) == (0.5, 0.25)
    assert sum(part.wall_s for part in found.values()) == FULL.batch_s


def test_shares_add_up() -> None:
    found = shares(makeup([FULL], [EMPTY], ("extract", "sum")))
    assert found.fixed == pytest.approx(1.5 / 5)
    assert found.wait == pytest.approx(0.75 / 5)
    assert found.work + found.wait + found.fixed == pytest.approx(1)


def test_a_part_that_is_shorter_than_without_rows_is_all_fixed() -> None:
    quick = batch(1.0, (0, 0.4, 0.3))
    (part,) = (p for p in makeup([quick], [EMPTY], ("extract",)) if p.name == "extract")
    assert (part.fixed_s, part.wait_s, part.work_s) == (0.4, 0.0, 0.0)


def test_idle_partitions_have_no_name() -> None:
    operators = (
        Operator("a", 2),
        Operator("idle in stage 1", 2),
        Operator("b", 2),
        Operator("c", 2),
    )
    topology = Topology(operators, ((0, 2), (0, 3)), (0, 0, 1, 1))
    assert stage_names(topology) == ("a", "b + c")


def test_operators_without_stages_have_one_each() -> None:
    assert stage_names(Topology((Operator("a", 2), Operator("b", 2)), ((0, 1),))) == ("a", "b")
