"""The command ``albic top`` and its options."""

# ruff: noqa: PLC0415

from pathlib import Path
from typing import Annotated

import typer


def top(
    journal: Annotated[Path, typer.Argument(metavar="JOURNAL", help="A journal of a controller.")],
    *,
    every: Annotated[float, typer.Option(help="Seconds between looks.", min=0.1, max=3600)] = 2.0,
    once: Annotated[bool, typer.Option("--once", help="Show it once and end.")] = False,
) -> None:
    """Show a job as it runs, as a page for the terminal; Ctrl-C ends it."""
    from albic.cli.top import action

    action.run(journal, every, once=once)
