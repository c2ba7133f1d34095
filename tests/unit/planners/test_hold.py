"""Hold never moves."""

from hypothesis import given

from albic.model import Outcome
from albic.planners.hold import HoldPlanner
from tests.strategies import small_requests
from tests.worlds import drawn, world


def test_a_lopsided_cluster_stays_as_it_is() -> None:
    asked = world("a: 30 30 30 | b: | c(draining): 5")
    plan = HoldPlanner().plan(asked)
    assert drawn(plan, asked) == "a: 30 30 30 | b: | c(draining): 5"
    assert plan.outcome is Outcome.UNCHANGED
    assert "never moves" in plan.reason


@given(small_requests())
def test_it_never_moves_whatever_is_asked(asked) -> None:
    assert HoldPlanner().plan(asked).moves == ()
