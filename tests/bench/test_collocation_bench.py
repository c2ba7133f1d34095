"""The bench of collocation counts what was measured after the pairs had time to meet."""

import pytest

pytest.importorskip("pyspark", reason="the extra albic[spark] is missing")

from albic.control.batches import BatchRecord
from albic.control.journal import MoveRecord, RoundRecord, Status
from bench.goals import number
from bench.spark_collocation import SETTLING, WARM_UP, row

FIRST = WARM_UP + SETTLING


def batch(at: int, batch_s: float) -> BatchRecord:
    return BatchRecord(at, float(at), batch_s, batch_s, (1.0,), ("1",), (False,))


def test_only_rounds_and_batches_after_settling_count() -> None:
    seen = [batch(at, 9.0 if at < FIRST else 2.0) for at in range(FIRST + 3)]
    move = MoveRecord("count", 0, "1", "2", 10)
    early = RoundRecord(1, 1.0, "period", Status.APPLIED, "", moves=(move,), remote_bytes=10**9)
    late = RoundRecord(
        2,
        FIRST + 1.0,
        "period",
        Status.HELD,
        "",
        batches=2,
        collocation_before=0.9,
        local_bytes=3_000_000,
        remote_bytes=1_000_000,
        cpu_s=4.0,
    )
    found = row("joint", seen, [early, late])
    assert found["batch s"] == 2.0
    assert found["planned %"] == pytest.approx(90)
    assert found["measured %"] == pytest.approx(75)
    assert found["remote MB a batch"] == pytest.approx(0.5)
    assert found["JVM CPU s a batch"] == pytest.approx(2)
    assert found["moves"] == 1


def test_what_was_not_measured_keeps_no_promise() -> None:
    found = row("plain", [batch(at, 1.0) for at in range(FIRST + 1)], [])
    assert number(found, "measured %") != number(found, "measured %")
