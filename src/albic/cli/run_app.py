"""The command ``albic run`` and its options."""

# ruff: noqa: PLC0415, PLR0913

from pathlib import Path
from typing import Annotated, Literal

import typer

from albic.cli.options import Json, Seed


def run(
    job: Annotated[str, typer.Argument(metavar="JOB", help="job1, job2, job3 or job4; job1-potc.")],
    *,
    planner: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plans; none is plain Spark, potc (job1) two choices for each key. Repeatable."
        ),
    ] = None,
    nodes: Annotated[int, typer.Option(help="Executors on this machine.")] = 4,
    key_groups: Annotated[int, typer.Option(help="Key groups of each operator.")] = 8,
    batches: Annotated[int, typer.Option(help="Batches of each run.")] = 30,
    rows: Annotated[
        int | None, typer.Option(help="Rows a batch; the job has a number of its own.")
    ] = None,
    period: Annotated[
        str, typer.Option(help="How often to plan, such as '2 batches' or '20s'.")
    ] = "2 batches",
    max_migrations: Annotated[
        int, typer.Option(help="The most key groups that may move in a period.")
    ] = 4,
    objective: Annotated[
        Literal["auto", "distance", "makespan"], typer.Option(help="What plans even out.")
    ] = "auto",
    data: Annotated[
        Path | None, typer.Option(help="Your own file or folder in one of the known formats.")
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(help="Where results go: postgresql://user@host/database, or an SQLite file."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for report and records; out/JOB if not given.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option(help="Also write the main charts here, as SVG and PNG.")
    ] = None,
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Run one of the paper's jobs on Spark, once with each planner, and write a report."""
    try:
        from albic.cli import runs
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] == "albic":
            raise
        raise typer.BadParameter(
            f'the jobs need {missing.name}; it comes with pip install "albic[spark,data,figures]"'
        ) from None

    wishes = runs.Wishes(
        job=job,
        planners=tuple(planner or runs.PLANNERS),
        nodes=nodes,
        key_groups=key_groups,
        batches=batches,
        rows=rows,
        period=period,
        max_migrations=max_migrations,
        objective=objective,
        data=data,
        store=store,
        out=out or Path("out") / job,
        picture=None if picture is None else picture.with_suffix(""),
        seed=seed,
    )
    runs.run(wishes, as_json=as_json)
