"""The commands of ``albic snapshot`` and their options."""

# ruff: noqa: PLC0415, PLR0913

from typing import Annotated

import typer

from albic.cli.shared.options import Output, Seed, SnapshotFile, help_if_bare

snapshot_app = typer.Typer(help="Make and look at snapshots.", invoke_without_command=True)


@snapshot_app.callback()
def snapshot(context: typer.Context) -> None:
    """Make and look at snapshots."""
    help_if_bare(context)


@snapshot_app.command()
def synth(
    *,
    nodes: Annotated[int, typer.Option(help="How many nodes.")] = 60,
    key_groups: Annotated[int, typer.Option(help="How many key groups, in all.")] = 1200,
    operators: Annotated[int, typer.Option(help="How many operators, in a chain.")] = 30,
    varies: Annotated[
        float, typer.Option(help="Points of load between raised and lowered nodes.")
    ] = 40.0,
    one_to_one: Annotated[
        float, typer.Option(help="Share of key groups with one partner, 0 to 1.")
    ] = 0.5,
    seed: Seed = 1,
    output: Output = None,
) -> None:
    """Make a snapshot as the paper does for its synthetic experiments."""
    from albic.cli.snapshot import action
    from albic.sim.workload import synthetic

    action.synth(synthetic(nodes, key_groups, operators, varies, one_to_one, seed), output)


@snapshot_app.command()
def show(
    file: SnapshotFile,
    *,
    every: Annotated[bool, typer.Option("--all", help="Show every node and operator.")] = False,
) -> None:
    """Show what a snapshot holds, and how balanced it is."""
    from albic.cli.snapshot import action

    action.show(file, every=every)
