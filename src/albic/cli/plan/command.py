"""The command ``albic plan`` and its options."""

# ruff: noqa: PLC0415

from typing import TYPE_CHECKING, Annotated

import typer

from albic.cli.shared.options import Formulation, Json, Output, SnapshotFile
from albic.cli.shared.planner_options import asking

if TYPE_CHECKING:
    from albic.cli.shared.planning import Wishes


@asking
def plan(
    file: SnapshotFile,
    *,
    planner: Annotated[str, typer.Option(help="Who plans.")] = "auto",
    wishes: "Wishes",
    formulation: Formulation = "repaired",
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Plan which key groups to move where."""
    from albic.cli.plan import action
    from albic.cli.shared import planning

    chosen = planning.planner_named(planner, formulation)
    action.run(file, chosen, wishes, as_json=as_json, output=output)
