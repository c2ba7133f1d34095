"""The commands of ``albic network`` and their options."""

# ruff: noqa: PLC0415

from pathlib import Path
from typing import Annotated

import typer

from albic.cli.shared.options import Json, help_if_bare

network_app = typer.Typer(
    help="Look at what operator networks leave behind.", invoke_without_command=True
)


@network_app.callback()
def network(context: typer.Context) -> None:
    """Look at what operator networks leave behind."""
    help_if_bare(context)


@network_app.command(name="show")
def show_network(
    checkpoint: Annotated[
        Path, typer.Argument(metavar="CHECKPOINT", help="The checkpoint of a network.")
    ],
    *,
    as_json: Json = False,
) -> None:
    """Show what lies in a checkpoint: operators, key groups, bytes, offsets, watermarks."""
    try:
        from albic.cli.network import action
    except ImportError as missing:
        raise typer.BadParameter(
            f"checkpoints are read by Spark, and {missing.name} is missing; it comes with pip "
            f'install "albic[spark]"'
        ) from None

    action.show(checkpoint, as_json=as_json)
