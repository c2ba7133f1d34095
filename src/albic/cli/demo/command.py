"""The command ``albic demo`` and its options."""

# ruff: noqa: PLC0415, PLR0913

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from albic.cli.shared.options import Cpu, Network, Storage
from albic.extras import lacking


def demo(
    *,
    report: Annotated[Path, typer.Option(help="Where the report goes.")] = Path("out/demo.html"),
    picture: Annotated[
        Path | None, typer.Option(help="Also write the main charts here, as SVG and PNG.")
    ] = None,
    batches: Annotated[int | None, typer.Option(help="Batches of each run.", min=6)] = None,
    serve: Annotated[bool, typer.Option("--serve", help="Serve the live page meanwhile.")] = False,
    cpu: Cpu = None,
    network: Network = None,
    storage: Storage = "local",
) -> None:
    """Run a stateful Spark job with drifting hot keys, without albic and then with it."""
    try:
        from albic.cli.demo import action
        from albic.nodes.isolation import isolation_of
    except ModuleNotFoundError as missing:
        raise lacking("albic demo", missing, "spark,figures") from None

    asked = action.Wishes(report, picture, isolation_of(cpu, network, storage), serve=serve)
    action.run(asked if batches is None else replace(asked, batches=batches))
