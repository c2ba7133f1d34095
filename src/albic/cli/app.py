"""The commands and their options.

Each command imports its work when it runs: numba and scipy take longer to load than ``--help``
should take to answer.
"""

# ruff: noqa: PLC0415, PLR0913

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from albic import __version__
from albic.cli.config_app import config_app
from albic.cli.data_app import data_app
from albic.cli.journal_app import journal_app
from albic.cli.live_app import serve, top
from albic.cli.network_app import network_app
from albic.cli.options import (
    Cpu,
    Formulation,
    JournalFile,
    Json,
    Network,
    Output,
    SnapshotFile,
    Storage,
    help_if_bare,
)
from albic.cli.question import asking
from albic.cli.run_app import run
from albic.cli.snapshot_app import snapshot_app
from albic.extras import lacking

if TYPE_CHECKING:
    from albic.cli.planning import Wishes

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
app.command()(run)
app.command()(serve)
app.command()(top)


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


@app.command()
def advise(file: JournalFile, *, as_json: Json = False) -> None:
    """Say what placement cannot fix: what it costs, what to do, and what that should win."""
    from albic.cli import advising

    advising.run(file, as_json=as_json)


@app.command()
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
    from albic.cli import planning, replays

    changes = planning.changes(max_migrations, objective, max_load_distance, time_limit, seed)
    replays.run(file, planning.planner_named(planner, formulation), changes, as_json=as_json)


@app.command()
@asking
def plan(
    file: SnapshotFile,
    *,
    planner: Annotated[str, typer.Option(help="Who plans.")] = "auto",
    wishes: "Wishes",
    formulation: Formulation = "repaired",
    as_json: Json = False,
    output: Output = None,
) -> None:
    """Plan which key groups to move where."""
    from albic.cli import commands, planning

    chosen = planning.planner_named(planner, formulation)
    commands.plan(file, chosen, wishes, as_json=as_json, output=output)


@app.command()
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
    from albic.cli import commands, planning

    commands.compare(file, planning.planners_named(planners, formulation), wishes, as_json=as_json)


@app.command()
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
        from albic.cli import demo as demonstration
        from albic.nodes.isolation import isolation_of
    except ModuleNotFoundError as missing:
        raise lacking("albic demo", missing, "spark,figures") from None

    asked = demonstration.Wishes(report, picture, isolation_of(cpu, network, storage), serve=serve)
    demonstration.run(asked if batches is None else replace(asked, batches=batches))


@app.command()
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
        from albic.cli.experiments import listed

        listed()
        return
    from albic.cli import reproduce as work
    from albic.experiments.guests import Guests

    guests = Guests(tuple(planner or ()), trace, edits)
    work.run(names or [], quick=quick, out=out, docs=docs, at_once=jobs, guests=guests)
