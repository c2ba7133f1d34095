"""Options that several commands have."""

from pathlib import Path
from typing import Annotated, Literal

import typer

SnapshotFile = Annotated[Path, typer.Argument(metavar="FILE", help="A snapshot file.")]
JournalFile = Annotated[Path, typer.Argument(metavar="FILE", help="A journal of a controller.")]
MaxMigrations = Annotated[
    int | None, typer.Option(help="The most key groups that may move (or give --max-cost).")
]
MaxCost = Annotated[
    float | None,
    typer.Option(help="The most state that may move, in bytes (or give --max-migrations)."),
]
Goal = Annotated[
    Literal["distance", "makespan"],
    typer.Option(
        "--objective", help="Even out whole loads, or the busiest node of each stage in turn."
    ),
]
TargetDistance = Annotated[
    float | None,
    typer.Option(help="Ask for the fewest moves to a load distance of this many points."),
]
MaxLoadDistance = Annotated[
    float, typer.Option(help="How many points of load distance collocation may cost.")
]
MaxCpu = Annotated[float, typer.Option(help="CPU limit of a node, in percent.")]
MaxMemory = Annotated[float, typer.Option(help="Memory limit of a node, in percent.")]
MaxNetwork = Annotated[float, typer.Option(help="Network limit of a node, in percent.")]
DrainWeight = Annotated[
    float,
    typer.Option(help="From 1 on, emptying draining nodes comes before balance; below, after."),
]
Formulation = Annotated[
    Literal["repaired", "paper"],
    typer.Option(help="milp only: our program, or the one printed in the paper."),
]
TimeLimit = Annotated[float, typer.Option(help="Seconds that a planner may take.")]
Seed = Annotated[int, typer.Option(help="Same seed, same answer.")]
Cpu = Annotated[
    str | None,
    typer.Option(
        help="The share of a core that a node stays within, such as 0.45; one, or one a node with "
        "commas; none for no limit. Isolates the nodes; needs Linux and root."
    ),
]
Network = Annotated[
    str | None,
    typer.Option(
        help="The rate of a node's link, such as 100mbit; one, or one a node with commas; none for "
        "no limit. Isolates the nodes; needs Linux and root."
    ),
]
Storage = Annotated[
    Literal["local", "network"],
    typer.Option(help="Where checkpoints lie: here, or on a storage node behind the links."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="Write to this file.")]


def help_if_bare(context: typer.Context) -> None:
    """Print the help where a command should have followed."""
    if context.invoked_subcommand is None:
        print(context.get_help())
        raise typer.Exit
