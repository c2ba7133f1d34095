"""The commands of ``albic journal`` and their options."""

# ruff: noqa: PLC0415

from pathlib import Path
from typing import Annotated

import typer

from albic.cli.shared.options import JournalFile, help_if_bare

journal_app = typer.Typer(help="Look at what a controller did.", invoke_without_command=True)


@journal_app.callback()
def journal(context: typer.Context) -> None:
    """Look at what a controller did."""
    help_if_bare(context)


@journal_app.command(name="show")
def show_journal(
    file: JournalFile,
) -> None:
    """Show every round of a controller: what it measured, planned and moved."""
    from albic.cli.journal import action

    action.show(file)


@journal_app.command(name="follow")
def follow_journal(
    file: JournalFile,
) -> None:
    """Print a line for every round, as they come, until Ctrl-C."""
    from albic.cli.journal import action

    action.follow(file)


@journal_app.command(name="trace")
def trace_journal(
    file: JournalFile,
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="The trace to write, an .npz.")],
    *,
    nodes: Annotated[int, typer.Option(help="Equal nodes that the trace is laid on.")] = 20,
) -> None:
    """Write what a recorded job was asked to do as a trace for the simulator."""
    from albic.cli.journal.trace import write

    write(file, trace, nodes)
