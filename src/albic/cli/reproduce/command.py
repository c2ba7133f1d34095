"""The command ``albic reproduce`` and its options."""

# ruff: noqa: PLC0415, PLR0913

from pathlib import Path
from typing import Annotated

import typer


def reproduce(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME...", help="Experiments, or all.")
    ] = None,
    *,
    list_: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    quick: Annotated[bool, typer.Option("--quick", help="Few points, little time.")] = False,
    out: Annotated[
        Path, typer.Option(help="Where results go; a stopped run goes on from there.")
    ] = Path("out/reproduce"),
    docs: Annotated[
        Path | None, typer.Option(help="Also write experiments.md and figures in this folder.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Points measured at once, where none is timed.")] = 2,
    planner: Annotated[
        list[str] | None, typer.Option(help="Also show this planner, your own say; repeatable.")
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(help="Replay this trace in figures of real jobs; seed makes some up."),
    ] = None,
    edits: Annotated[
        Path | None,
        typer.Option(help="Edits of Wikipedia for figures of Real Job 1; generated ones without."),
    ] = None,
) -> None:
    """Run the paper's evaluation again: figures, and which claims hold."""
    if list_:
        from albic.cli.reproduce.listing import listed

        listed()
        return
    from albic.cli.reproduce import action
    from albic.experiments.user_inputs import Guests

    guests = Guests(tuple(planner or ()), trace, edits)
    action.run(names or [], quick=quick, out=out, docs=docs, at_once=jobs, guests=guests)
