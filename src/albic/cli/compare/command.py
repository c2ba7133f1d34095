"""The command ``albic compare`` and its options."""

# ruff: noqa: PLC0415

from typing import TYPE_CHECKING, Annotated

import typer

from albic.cli.shared.options import Formulation, Json, SnapshotFile
from albic.cli.shared.planner_options import asking

if TYPE_CHECKING:
    from albic.cli.shared.planning import Wishes


@asking
def compare(
    file: SnapshotFile,
    *,
    planners: Annotated[
        str, typer.Option(help="Who plans, with commas between them.")
    ] = "flux,milp,search,albic,joint,cola",
    wishes: "Wishes",
    formulation: Formulation = "repaired",
    as_json: Json = False,
) -> None:
    """Put the same question to several planners, and their answers into one table."""
    from albic.cli.compare import action
    from albic.cli.shared import planning

    chosen = planning.planners_named(planners, formulation)
    action.run(file, chosen, wishes, as_json=as_json)
