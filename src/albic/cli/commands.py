"""What ``albic plan`` and ``albic compare`` do: read, plan, judge, and print or write."""

import sys
from collections.abc import Sequence
from pathlib import Path

from albic.cli import clusters, plans
from albic.cli.planning import Named, Wishes, accepted, judged
from albic.cli.screen import screen, tracked
from albic.model import InvalidInput
from albic.model.files import document_text
from albic.model.plan_file import plan_document, write_plan
from albic.model.snapshot_file import read_snapshot

COMPARISON_FORMAT = "albic-comparison/1"


def plan(file: Path, planner: Named, wishes: Wishes, *, as_json: bool, output: Path | None) -> None:
    """Plan, then write and print the plan if the judge finds nothing wrong with it."""
    if output is not None and output.resolve() == file.resolve():
        raise InvalidInput(f"{str(output)!r} is the snapshot; write the plan to another file")
    request = wishes.request(read_snapshot(file))
    (answer,) = [judged(each, request) for each in tracked([planner], "planning with")]
    made, snapshot = accepted(answer), request.snapshot
    if output is not None:
        write_plan(output, made, snapshot)
    if as_json:
        sys.stdout.write(document_text(plan_document(made, snapshot)))
        return
    console = screen()
    console.print(plans.plan_table(made, request))
    console.print(made.reason)
    if made.moves:
        both = {"now": snapshot.allocation, "planned": made.target}
        console.print(clusters.nodes_table(console, snapshot, both, every=False))
        console.print(plans.moves_table(made, request))
    if output is not None:
        console.print(f"wrote {output}")


def compare(file: Path, planners: Sequence[Named], wishes: Wishes, *, as_json: bool) -> None:
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
    console.print(clusters.size_line(request.snapshot))
    console.print(plans.comparison_table(answers, request))
