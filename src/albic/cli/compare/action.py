"""What ``albic compare`` does: several planners, one request, one table."""

import sys
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from albic.cli.shared import cluster_tables
from albic.cli.shared.plan_text import allowed_text, bound_text, counted_text, outcome_text
from albic.cli.shared.planning import Judged, Named, Wishes, judged
from albic.cli.shared.screen import (
    bytes_text,
    percent_text,
    points_text,
    screen,
    seconds_text,
    titled,
    tracked,
)
from albic.model import Objective, Plan, PlanRequest, metrics
from albic.model.files import document_text
from albic.model.plan_file import plan_document
from albic.model.snapshot_file import read_snapshot

COMPARISON_FORMAT = "albic-comparison/1"


def run(file: Path, planners: Sequence[Named], wishes: Wishes, *, as_json: bool) -> None:
    """Plan with each planner and print all answers; broken rules are told, not refused."""
    request = wishes.request(read_snapshot(file))
    answers = [judged(each, request) for each in tracked(planners, "planning with")]
    if as_json:
        rows = [
            plan_document(answer.plan, request.snapshot)
            | {"violations": [str(finding) for finding in answer.findings]}
            for answer in answers
        ]
        sys.stdout.write(document_text({"format": COMPARISON_FORMAT, "plans": rows}))
        return
    console = screen()
    console.print(cluster_tables.size_line(request.snapshot))
    console.print(comparison_table(answers, request))


def comparison_table(answers: Sequence[Judged], request: PlanRequest) -> Table:
    """Return one row a planner, below a row for the present allocation."""
    snapshot, staged = request.snapshot, request.objective is Objective.MAKESPAN
    title = f"within {allowed_text(request)} {counted_text(request)} and {request.time_limit_s:g} s"
    measures = ["load\ndistance", *(["make-\nspan"] if staged else []), "proven\nbound"]
    costs = ["colloca-\ntion", "\nmoves", "state\nto move", "\ntime"]
    table = titled(f"{title}, loads in points", left=["\nplanner"], right=[*measures, *costs])
    table.add_column("\noutcome")

    def reached(plan: Plan | None) -> list[str]:
        target = snapshot.allocation if plan is None else plan.target
        row = [points_text(metrics.load_distance(snapshot, target))]
        row += [points_text(metrics.makespan(snapshot, target))] if staged else []
        local = percent_text(metrics.collocation_factor(snapshot.traffic, target))
        return [*row, "" if plan is None else bound_text(plan), local]

    table.add_row("now", *reached(None), style="dim", end_section=True)
    for answer in answers:
        plan = answer.plan
        table.add_row(
            answer.name,
            *reached(plan),
            f"{len(plan.moves):,}",
            bytes_text(metrics.migration_cost(plan.moves)),
            seconds_text(plan.wall_s),
            ", ".join([outcome_text(plan), *broken(answer)]),
        )
    return table


def broken(answer: Judged) -> list[str]:
    """Return the rules that a plan breaks, by name."""
    rules = dict.fromkeys(finding.rule for finding in answer.findings)
    return ["over budget" if rule == "over-budget" else f"breaks {rule}" for rule in rules]
