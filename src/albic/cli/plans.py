"""Plans as tables and sentences."""

from collections.abc import Sequence

from rich.table import Table

from albic.cli.planning import Judged
from albic.cli.screen import (
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
    title = f"{plan.planner}: {_outcome(plan)} after {seconds_text(plan.wall_s)}"
    table = titled(title, left=[""], right=["now", "planned", "proven bound"])
    table.add_row(
        "load distance, points",
        points_text(metrics.load_distance(snapshot, before)),
        points_text(metrics.load_distance(snapshot, after)),
        "" if staged else _bound(plan),
    )
    if staged:
        table.add_row(
            "makespan, points",
            points_text(metrics.makespan(snapshot, before)),
            points_text(metrics.makespan(snapshot, after)),
            _bound(plan),
        )
    table.add_row(
        "collocation",
        percent_text(metrics.collocation_factor(snapshot.traffic, before)),
        percent_text(metrics.collocation_factor(snapshot.traffic, after)),
    )
    by_moves = request.budget.unit is BudgetUnit.MOVES
    allowed = f" of at most {_allowed(request)}"
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


def comparison_table(answers: Sequence[Judged], request: PlanRequest) -> Table:
    """Return one row a planner, below a row for the present allocation."""
    snapshot, staged = request.snapshot, request.objective is Objective.MAKESPAN
    title = f"within {_allowed(request)} {_counted(request)} and {request.time_limit_s:g} s"
    measures = ["load\ndistance", *(["make-\nspan"] if staged else []), "proven\nbound"]
    costs = ["colloca-\ntion", "\nmoves", "state\nto move", "\ntime"]
    table = titled(f"{title}, loads in points", left=["\nplanner"], right=[*measures, *costs])
    table.add_column("\noutcome")

    def reached(plan: Plan | None) -> list[str]:
        target = snapshot.allocation if plan is None else plan.target
        row = [points_text(metrics.load_distance(snapshot, target))]
        row += [points_text(metrics.makespan(snapshot, target))] if staged else []
        local = percent_text(metrics.collocation_factor(snapshot.traffic, target))
        return [*row, "" if plan is None else _bound(plan), local]

    table.add_row("now", *reached(None), style="dim", end_section=True)
    for answer in answers:
        plan = answer.plan
        table.add_row(
            answer.name,
            *reached(plan),
            f"{len(plan.moves):,}",
            bytes_text(metrics.migration_cost(plan.moves)),
            seconds_text(plan.wall_s),
            ", ".join([_outcome(plan), *broken(answer)]),
        )
    return table


def broken(answer: Judged) -> list[str]:
    """Return the rules that a plan breaks, by name."""
    rules = dict.fromkeys(finding.rule for finding in answer.findings)
    return ["over budget" if rule == "over-budget" else f"breaks {rule}" for rule in rules]


def _outcome(plan: Plan) -> str:
    return plan.outcome.value.replace("_", " ")


def _bound(plan: Plan) -> str:
    return "" if plan.bound is None else points_text(plan.bound)


def _counted(request: PlanRequest) -> str:
    return "moves" if request.budget.unit is BudgetUnit.MOVES else "of state"


def _allowed(request: PlanRequest) -> str:
    limit = request.budget.limit
    if request.budget.unit is BudgetUnit.COST:
        return bytes_text(limit)
    return f"{limit:,.0f}"
