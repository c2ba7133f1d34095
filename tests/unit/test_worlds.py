"""The drawings that other tests rely on."""

import numpy as np
import pytest

from albic.model import Outcome, SearchReport, metrics, plan_for
from tests.worlds import drawn, request, world


@pytest.mark.parametrize(
    "drawing",
    [
        "a: 30 20 | b: 10 | c(draining): 5",
        "a(x2, +5): 1.5 | b:",
        "n0: | n1: 0 0.25",
    ],
)
def test_a_plan_that_moves_nothing_draws_the_same_world(drawing):
    asked = world(drawing, budget=2)
    kept = plan_for(asked, asked.snapshot.allocation, SearchReport("none", Outcome.UNCHANGED, ""))
    assert drawn(kept, asked) == drawing


def test_lists_and_drawings_make_the_same_world():
    listed = request([4, 7, 9], [1, 1, 0], 3, capacities=[4, 1, 2], draining=[2])
    shown = world("a(x4): 9 | b: 4 7 | c(x2, draining):")
    for asked in (listed, shown):
        loads = metrics.node_loads(asked.snapshot, asked.snapshot.allocation)
        np.testing.assert_allclose(loads, [2.25, 11, 0])
        assert asked.snapshot.cluster.draining().tolist() == [False, False, True]


def test_a_drawing_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="cannot read"):
        world("a 30 | b:")
