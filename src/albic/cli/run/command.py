"""The command ``albic run`` and its options."""

# ruff: noqa: PLC0415, PLR0913

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from albic.cli.shared.options import Cpu, Json, Network, Seed, Storage
from albic.extras import lacking

#: The job whose load doubles and halves.
SWING = "swing"
#: Options that say nothing to it.
NOT_OF_SWING = ("chain", "data", "store", "repeats")


def run(
    context: typer.Context,
    job: Annotated[
        str,
        typer.Argument(
            metavar="JOB", help="job1, job2, job3 or job4; job1-potc; swing, to see scaling."
        ),
    ],
    *,
    planner: Annotated[
        list[str] | None,
        typer.Option(
            help="Who plans; none is plain Spark, potc (job1) two choices for each key. Repeatable."
        ),
    ] = None,
    chain: Annotated[
        list[str] | None,
        typer.Option(
            help="never runs each operator for itself, auto those that share a key as one. "
            "Repeatable, for both in turn; never if not given."
        ),
    ] = None,
    nodes: Annotated[int, typer.Option(help="Executors on this machine.")] = 4,
    key_groups: Annotated[
        int | None, typer.Option(help="Key groups of each operator; the job has its own number.")
    ] = None,
    batches: Annotated[int, typer.Option(help="Batches of each run.")] = 16,
    rows: Annotated[
        int | None, typer.Option(help="Rows a batch; the job has a number of its own.")
    ] = None,
    repeats: Annotated[
        int, typer.Option(help="How often each planner runs; they take turns, A B B A.")
    ] = 2,
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
    scale: Annotated[
        str | None,
        typer.Option(help="With swing: utilisation, ds2, latency or fixed says how many nodes."),
    ] = None,
    min_nodes: Annotated[int | None, typer.Option(help="With swing: the fewest executors.")] = None,
    max_nodes: Annotated[int | None, typer.Option(help="With swing: the most executors.")] = None,
    cpu: Cpu = None,
    network: Network = None,
    storage: Storage = "local",
    seed: Seed = 1,
    as_json: Json = False,
) -> None:
    """Run one of the paper's jobs on Spark, once with each planner, and write a report.

    The job swing has a load that doubles and halves instead, and executors that follow it.
    """
    try:
        if job == SWING:
            _swing(_given(context), as_json=as_json)
            return
        from albic.cli.run import action
        from albic.cli.run.nodes import usual_isolation
    except ModuleNotFoundError as missing:
        raise lacking("albic run", missing, "spark,data,figures") from None

    scaling = {"--scale": scale, "--min-nodes": min_nodes, "--max-nodes": max_nodes}
    for name, value in scaling.items():
        if value is not None:
            raise typer.BadParameter(
                f"{name} is for the job {SWING}, whose load doubles and halves: the paper's jobs "
                f"compare planners on the same nodes"
            )
    wishes = action.Wishes(
        job=job,
        planners=tuple(planner or action.PLANNERS),
        chains=tuple(chain or action.CHAINS),
        nodes=nodes,
        key_groups=key_groups,
        batches=batches,
        rows=rows,
        repeats=repeats,
        period=period,
        max_migrations=max_migrations,
        objective=objective,
        data=data,
        store=store,
        out=out or Path("out") / job,
        picture=None if picture is None else picture.with_suffix(""),
        seed=seed,
        isolation=usual_isolation(nodes, cpu, network, storage),
    )
    action.run(wishes, as_json=as_json)


def _given(context: typer.Context) -> dict[str, Any]:
    """Return the options that the user gave, without those left at their default."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {
        name: value
        for name, value in context.params.items()
        if (source := sources[name]) is not None and source.name != "DEFAULT"
    }


def _swing(given: dict[str, Any], *, as_json: bool) -> None:
    """Run the job whose load doubles and halves."""
    from albic.cli.run import swing

    for name in NOT_OF_SWING:
        if name in given:
            raise typer.BadParameter(
                f"--{name} is for the paper's jobs; {SWING} makes its own rows"
            )
    planners = given.pop("planner", None) or ["auto"]
    if len(planners) > 1:
        raise typer.BadParameter(f"{SWING} runs once, so it takes one --planner")
    if given.get("picture") is not None:
        given["picture"] = given["picture"].with_suffix("")
    for name in ("job", "as_json"):
        given.pop(name, None)
    out = given.pop("out", Path("out") / SWING)
    swing.run(swing.SwingWishes(out=out, planner=planners[0], **given), as_json=as_json)
