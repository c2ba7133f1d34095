"""The command ``albic serve`` and its options."""

# ruff: noqa: PLC0415, PLR0913

from pathlib import Path
from typing import Annotated

import typer

Journals = Annotated[
    list[Path],
    typer.Argument(metavar="JOURNAL...", help="Journals of controllers, at work or finished."),
]


def serve(
    journals: Journals,
    *,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 takes any.", min=0, max=65535)] = 8777,
    token_file: Annotated[
        Path | None,
        typer.Option(help="A file with the token; else ALBIC_SERVE_TOKEN, or a new one."),
    ] = None,
    certificate: Annotated[Path | None, typer.Option(help="The certificate for TLS.")] = None,
    key: Annotated[Path | None, typer.Option(help="The key of the certificate.")] = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="Go without TLS where other machines can ask.")
    ] = False,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name of this server in browsers; repeatable.")
    ] = None,
) -> None:
    """Serve the live page, the API and the metrics of journals; changes nothing."""
    from albic.cli.serve import action

    asked = action.Wishes(host, port, token_file, certificate, key, plain, tuple(allow_host or ()))
    action.run(journals, asked)
