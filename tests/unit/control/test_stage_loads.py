"""Trying moves one by one comes to the same as summing up all key groups."""

import numpy as np
import pytest

from albic.control.stage_loads import Spread
from albic.model import Allocation, Outcome, SearchReport, metrics, plan_for
from tests.worlds import request


def test_moves_add_up_to_the_loads_of_the_whole_placement() -> None:
    asked = request([40, 10, 30, 20, 5], [0, 0, 1, 1, 0], operators=[2, 3], streams=[])
    target = Allocation(np.array([1, 0, 0, 1, 1]))
    plan = plan_for(asked, target, SearchReport("test", Outcome.HEURISTIC, ""))
    spread, told = Spread(asked.snapshot), (0.0, 0.0)
    for move in plan.moves:
        told = spread.after(move)
        spread.take(move)
    loads = metrics.stage_loads(asked.snapshot, target)
    assert told == pytest.approx((loads.max(axis=1).sum(), (loads**2).sum()))
