"""What ``albic reproduce --list`` prints; it needs none of what draws the figures."""

from albic.cli.shared.screen import screen, titled
from albic.experiments.catalogue import ALL, EXPERIMENTS


def listed() -> None:
    """Print all experiments."""
    table = titled("Experiments", left=("name", "in the paper", "question"), right=("points",))
    for experiment in EXPERIMENTS.values():
        points = f"{len(experiment.points)} ({len(experiment.quick)} quick)"
        table.add_row(experiment.name, experiment.figure, experiment.question, points)
    console = screen()
    console.print(table)
    console.print(f"albic reproduce {ALL} runs them all; --quick takes a small selection of points")
