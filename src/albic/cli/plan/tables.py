"""A plan as tables: what it brings, what it costs, and which key groups move."""

from rich.table import Table

from albic.cli.shared.plan_text import allowed_text, bound_text, outcome_text
from albic.cli.shared.screen import (
    bytes_text,
    percent_text,
    points_text,
    quiet,
    seconds_text,
    titled,
)
from albic.model import BudgetUnit, Objective, Plan, PlanRequest, metrics

#: How many moves are printed; --json and -o give all of them.
MOVES_SHOWN = 12


def plan_table(plan: Plan, request: PlanRequest) -> Table:
    """Return what a plan brings and what it costs."""
    snapshot, staged = request.snapshot, plan.objective is Objective.MAKESPAN
    before, after = snapshot.allocation, plan.target
    title = f"{plan.planner}: {outcome_text(plan)} after {seconds_text(plan.wall_s)}"
    table = titled(title, left=[""], right=["now", "planned", "proven bound"])
    table.add_row(
        "load distance, points",
        points_text(metrics.load_distance(snapshot, before)),
        points_text(metrics.load_distance(snapshot, after)),
        "" if staged else bound_text(plan),
    )
    if staged:
        table.add_row(
            "makespan, points",
            points_text(metrics.makespan(snapshot, before)),
            points_text(metrics.makespan(snapshot, after)),
            bound_text(plan),
        )
    table.add_row(
        "collocation",
        percent_text(metrics.collocation_factor(snapshot.traffic, before)),
        percent_text(metrics.collocation_factor(snapshot.traffic, after)),
    )
    by_moves = request.budget.unit is BudgetUnit.MOVES
    allowed = f" of at most {allowed_text(request)}"
    moves, state = f"{len(plan.moves):,}", bytes_text(metrics.migration_cost(plan.moves))
    table.add_row("moves", "", moves + allowed if by_moves else moves)
    table.add_row("state to move", "", state if by_moves else state + allowed)
    return table


def moves_table(plan: Plan, request: PlanRequest) -> Table:
    """Return the first moves of a plan."""
    topology, nodes = request.snapshot.topology, request.snapshot.cluster.nodes
    operator_of, offsets = topology.operator_of(), topology.offsets()
    names = ("operator", "partition", "from", "to")
    table = titled(f"moves ({len(plan.moves):,})", left=["key group", *names])
    table.add_column("state", justify="right")
    for move in plan.moves[:MOVES_SHOWN]:
        operator = int(operator_of[move.key_group])
        table.add_row(
            str(move.key_group),
            topology.operators[operator].name,
            str(move.key_group - int(offsets[operator])),
            nodes[move.source].id,
            nodes[move.target].id,
            bytes_text(move.cost),
        )
    if (more := len(plan.moves) - MOVES_SHOWN) > 0:
        table.add_row(quiet("…"), quiet(f"{more:,} more"))
    return table
