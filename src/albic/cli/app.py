"""All commands; each is a folder of its name, with its options in ``command`` and its work beside.

Each command imports its work when it runs: numba and scipy take longer to load than ``--help``
should take to answer.
"""

from typing import Annotated

import typer

from albic import __version__
from albic.cli.advise.command import advise
from albic.cli.compare.command import compare
from albic.cli.config.command import config_app
from albic.cli.data.command import data_app
from albic.cli.demo.command import demo
from albic.cli.journal.command import journal_app
from albic.cli.network.command import network_app
from albic.cli.plan.command import plan
from albic.cli.replay.command import replay
from albic.cli.reproduce.command import reproduce
from albic.cli.run.command import run
from albic.cli.serve.command import serve
from albic.cli.shared.options import help_if_bare
from albic.cli.snapshot.command import snapshot_app
from albic.cli.top.command import top

app = typer.Typer(
    help="Balance stateful stream processing: measure, plan, compare.",
    add_completion=False,
    pretty_exceptions_enable=False,
    invoke_without_command=True,
)
app.add_typer(snapshot_app, name="snapshot")
app.add_typer(journal_app, name="journal")
app.add_typer(network_app, name="network")
app.add_typer(data_app, name="data")
app.add_typer(config_app, name="config")
for command in (run, serve, top, advise, replay, plan, compare, demo, reproduce):
    app.command()(command)


@app.callback()
def root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,  # noqa: FBT002
) -> None:
    """Balance stateful stream processing: measure, plan, compare."""
    if version:
        print(f"albic {__version__}")
        raise typer.Exit
    help_if_bare(context)
