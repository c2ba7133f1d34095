"""What a plan and its budget come to, in a word or a number."""

from albic.cli.shared.screen import bytes_text, points_text
from albic.model import BudgetUnit, Plan, PlanRequest


def outcome_text(plan: Plan) -> str:
    """Return how planning ended."""
    return plan.outcome.value.replace("_", " ")


def bound_text(plan: Plan) -> str:
    """Return the proven bound, if there is one."""
    return "" if plan.bound is None else points_text(plan.bound)


def counted_text(request: PlanRequest) -> str:
    """Return what the budget counts."""
    return "moves" if request.budget.unit is BudgetUnit.MOVES else "of state"


def allowed_text(request: PlanRequest) -> str:
    """Return how much the budget allows."""
    limit = request.budget.limit
    if request.budget.unit is BudgetUnit.COST:
        return bytes_text(limit)
    return f"{limit:,.0f}"
