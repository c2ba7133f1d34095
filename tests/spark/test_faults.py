"""The most telling faults: whatever breaks in the middle of moves, every row is there once."""

import pytest

from bench.faults.fault import ALBIC
from bench.faults.registry import FAULTS
from bench.faults.running import WENT_ON, struck_by

BY_NAME = {fault.name: fault for fault in FAULTS}
PARTITIONS = "spark.sql.shuffle.partitions"
pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("kill an executor", "loss: "),
        ("let the planner answer nonsense", "AttributeError"),
    ],
)
def test_a_fault_costs_no_row_and_the_journal_tells_of_it(spark, cluster, tmp_path, name, told):
    before = spark.conf.get(PARTITIONS)
    spark.conf.set(PARTITIONS, "8")
    try:
        outcome = struck_by(BY_NAME[name], ALBIC, cluster, tmp_path, seed=5)
    finally:
        spark.conf.set(PARTITIONS, before)
    assert (outcome.missing, outcome.extra, outcome.query) == (0, 0, WENT_ON)
    assert outcome.left == ()
    assert outcome.stopped is None
    assert outcome.told is not None
    assert outcome.told.startswith(told)
