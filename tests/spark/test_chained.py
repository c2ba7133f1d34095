"""Operators in a row, as they run: every row to one key group of the next operator."""

from dataclasses import replace
from pathlib import Path

import pytest

from albic.jobs.chained import LOAD, Chain, chained
from albic.jobs.observed_run import batches, started
from albic.spark.starting_places import Dealer
from tests.spark.conftest import PARTITIONS

ROWS = 400
JOB = Chain(replace(LOAD, key_groups=PARTITIONS, events=ROWS), operators=3, work=2)


@pytest.mark.parametrize(("shift", "together"), [(0, 1.0), (1, 0.0)])
def test_pairs_lie_together_or_apart(spark, tmp_path: Path, shift: int, together: float) -> None:
    query = started(chained(spark, JOB), tmp_path / "checkpoint", mode="append")
    dealer: Dealer | None = None
    try:
        for record in batches(query, 12):
            dealer = dealer or Dealer(query, shift=shift)
            if dealer.settled(record.node):
                break
        else:
            pytest.fail("the state did not get to where it was dealt")
        kept = [each["numRowsTotal"] for each in query.lastProgress["stateOperators"]]
    finally:
        query.stop()
    assert len(record.node) == 3 * PARTITIONS
    assert record.collocation == together
    # Both streams between operators have every row, and its text does not shrink much.
    assert record.local_bytes + record.remote_bytes > 2 * ROWS * 1024 * 0.5
    assert kept == [PARTITIONS] * 3
