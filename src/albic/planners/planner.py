"""What a planner is."""

from typing import Protocol

from albic.model import Plan, PlanRequest


class Planner(Protocol):
    """Answers a request with a plan: a pure function, the same plan for the same request.

    A class may say more: ``keeps_budget = False`` if it leaves budgets to others, and
    ``gathers = True`` if it means to bring together what talks to each other.
    """

    def plan(self, request: PlanRequest) -> Plan:
        """Return the plan."""
        ...
