"""What a planner is."""

from typing import Protocol

from albic.model import Plan, PlanRequest


class Planner(Protocol):
    """Answers a request with a plan: a pure function, the same plan for the same request."""

    def plan(self, request: PlanRequest) -> Plan:
        """Return the plan."""
        ...
