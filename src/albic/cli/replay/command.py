"""The command ``albic replay`` and its options."""

# ruff: noqa: PLC0415, PLR0913

from typing import Annotated, Literal

import typer

from albic.cli.shared.options import Formulation, JournalFile, Json


def replay(
    file: JournalFile,
    *,
    planner: Annotated[str, typer.Option(help="Who plans this time.")] = "auto",
    max_migrations: Annotated[
        int | None, typer.Option(help="Another number of key groups that may move in a round.")
    ] = None,
    objective: Annotated[
        Literal["distance", "makespan"] | None, typer.Option(help="Another objective.")
    ] = None,
    max_load_distance: Annotated[
        float | None, typer.Option(help="Another price in points that collocation may have.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option(help="Another number of seconds that the planner may take.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Another seed.")] = None,
    formulation: Formulation = "repaired",
    as_json: Json = False,
) -> None:
    """Plan the recorded rounds of a journal again, all as then but for what the options say."""
    from albic.cli.replay import action
    from albic.cli.shared import planning

    changes = planning.changes(max_migrations, objective, max_load_distance, time_limit, seed)
    action.run(file, planning.planner_named(planner, formulation), changes, as_json=as_json)
