"""The commands of ``albic config`` and their options."""

# ruff: noqa: PLC0415

from pathlib import Path
from typing import Annotated

import typer

from albic.cli.shared.options import Json, help_if_bare

config_app = typer.Typer(help="Look at the settings.", invoke_without_command=True)


@config_app.callback()
def config(context: typer.Context) -> None:
    """Look at the settings."""
    help_if_bare(context)


@config_app.command(name="show")
def show_config(
    *,
    config: Annotated[
        Path | None, typer.Option(help="A TOML file instead of albic.toml in this folder.")
    ] = None,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the page about all settings instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Print every setting: value, where it comes from, default, unit and meaning."""
    from albic.cli.config import action

    if markdown:
        action.print_page()
    else:
        action.show(config, as_json=as_json)
