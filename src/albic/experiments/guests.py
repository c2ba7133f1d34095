"""Planners and traces of somebody else in our figures."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from albic.experiments.experiment import Experiment, Measured
from albic.experiments.runs.jobs import JobPoint
from albic.experiments.runs.methods import SEARCH
from albic.model import InvalidInput
from albic.planners import find_planner
from albic.sim import load_trace


@dataclass(frozen=True, slots=True)
class Guests:
    """What somebody brings along: names of planners, and a recorded trace."""

    planners: tuple[str, ...] = ()
    trace: Path | None = None

    def joining(self, experiment: Experiment[Any]) -> Experiment[Any]:
        """Return the experiment with all of it."""
        return with_trace(with_guests(experiment, self.planners), self.trace)


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
    """Return the experiment on a recorded trace of its job; None leaves it as it is."""
    if trace is None:
        return experiment
    if not all(isinstance(point, JobPoint) for point in experiment.points):
        raise InvalidInput(f"{experiment.name} replays no job, so it has no use for a trace")
    load_trace(trace)
    path = str(trace)
    return replace(
        experiment,
        points=tuple(replace(point, trace=path) for point in experiment.points),
        quick=tuple(replace(point, trace=path) for point in experiment.quick),
        notes=f"On the recorded trace {path}, from its beginning again where it ends. "
        + experiment.notes,
        trace=path,
    )


def _joined(points: tuple[Measured, ...], names: tuple[str, ...]) -> tuple[Measured, ...]:
    """Return the points, and those of ``search`` once more for each name."""
    ours = [point for point in points if getattr(point, "method", None) == SEARCH]
    theirs = [replace(point, method=name) for name in names for point in ours]
    return (*points, *theirs)
