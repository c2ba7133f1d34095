"""The planner that never moves anything: what doing nothing costs."""

from dataclasses import dataclass
from typing import ClassVar

from albic.model import Outcome, Plan, PlanRequest, SearchReport, plan_for


@dataclass(frozen=True, slots=True)
class HoldPlanner:
    """Keeps the present allocation whatever is asked."""

    keeps_budget: ClassVar[bool] = True

    def plan(self, request: PlanRequest) -> Plan:
        """Return a plan without a move."""
        reason = "this planner never moves a key group"
        report = SearchReport("hold", Outcome.UNCHANGED, reason)
        return plan_for(request, request.snapshot.allocation, report)
