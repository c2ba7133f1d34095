"""What ``albic plan`` does: read, plan, judge, and print or write."""

import sys
from pathlib import Path

from albic.cli.plan.tables import moves_table, plan_table
from albic.cli.shared import cluster_tables
from albic.cli.shared.planning import Named, Wishes, accepted, judged
from albic.cli.shared.screen import screen, tracked
from albic.model import InvalidInput
from albic.model.files import document_text
from albic.model.plan_file import plan_document, write_plan
from albic.model.snapshot_file import read_snapshot


def run(file: Path, planner: Named, wishes: Wishes, *, as_json: bool, output: Path | None) -> None:
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
    console.print(plan_table(made, request))
    console.print(made.reason)
    if made.moves:
        both = {"now": snapshot.allocation, "planned": made.target}
        console.print(cluster_tables.nodes_table(console, snapshot, both, every=False))
        console.print(moves_table(made, request))
    if output is not None:
        console.print(f"wrote {output}")
