"""Planners and traces of somebody else in our figures."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from albic.experiments.experiment import Experiment, Measured, Point
from albic.experiments.runs.jobs import SEED, JobPoint
from albic.experiments.runs.methods import SEARCH
from albic.model import InvalidInput
from albic.planners import find_planner
from albic.sim import load_trace


@dataclass(frozen=True, slots=True)
class Guests:
    """What somebody brings along: names of planners, a trace, and edits for Real Job 1.

    A trace is a file, or ``seed`` for made-up ones.
    """

    planners: tuple[str, ...] = ()
    trace: Path | None = None
    edits: Path | None = None

    def joining(self, experiment: Experiment[Any]) -> Experiment[Any]:
        """Return the experiment with all of it."""
        joined = with_guests(experiment, self.planners)
        return with_trace(with_edits(joined, self.edits), self.trace)


def with_guests(experiment: Experiment[Any], names: tuple[str, ...]) -> Experiment[Any]:
    """Return the experiment with further planners, each on the points that ``search`` has."""
    for name in names:
        find_planner(name)
    return replace(
        experiment,
        points=_joined(experiment.points, names),
        quick=_joined(experiment.quick, names),
        guests=names,
    )


def with_trace(experiment: Experiment[Any], trace: Path | None) -> Experiment[Any]:
    """Return the experiment on another trace of its job; None leaves it as it is."""
    if trace is None:
        return experiment
    if not all(isinstance(point, JobPoint) for point in experiment.points):
        raise InvalidInput(f"{experiment.name} replays no job, so it has no use for a trace")
    path = str(trace)
    if path == SEED:
        told = "On traces made up from the seed, in the shape of the job, and not on what follows."
    else:
        about = load_trace(trace).about
        told = f"On the trace {path}{f' ({about})' if about else ''}, and not on what follows; "
        told += "it begins again where it ends."
    return replace(_on_other_data(experiment, told, trace=path), trace=path)


def with_edits(experiment: Experiment[Any], edits: Path | None) -> Experiment[Any]:
    """Return the experiment on other edits, where it is one of Real Job 1; None changes nothing."""
    if edits is None or not any(_reads_edits(point) for point in experiment.points):
        return experiment
    path = str(edits)
    whose = f"On the edits in {edits.name}, each 100 times, and not on generated ones."
    return replace(_on_other_data(experiment, whose, data=path), edits=path)


def _on_other_data(experiment: Experiment[Any], told: str, **other: str) -> Experiment[Any]:
    """Return the experiment with other data in all of its points, and the notes say so first."""
    return replace(
        experiment,
        points=tuple(replace(point, **other) for point in experiment.points),
        quick=tuple(replace(point, **other) for point in experiment.quick),
        notes=f"{told} {experiment.notes}",
    )


def _reads_edits(point: Point) -> bool:
    """Return whether a point is one of Real Job 1."""
    return isinstance(point, JobPoint) and point.job == 1


def _joined(points: tuple[Measured, ...], names: tuple[str, ...]) -> tuple[Measured, ...]:
    """Return the points, and those of ``search`` once more for each name."""
    ours = [point for point in points if getattr(point, "method", None) == SEARCH]
    theirs = [replace(point, method=name) for name in names for point in ours]
    return (*points, *theirs)
