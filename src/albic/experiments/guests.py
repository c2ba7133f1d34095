"""Planners of somebody else in our figures: each beside ``search``, under its own name."""

from dataclasses import replace
from typing import Any

from albic.experiments.experiment import Experiment, Measured
from albic.experiments.runs.methods import SEARCH
from albic.planners import find_planner


def with_guests(experiment: Experiment[Any], names: tuple[str, ...]) -> Experiment[Any]:
    """Return the experiment with further planners on the points that ``search`` has."""
    for name in names:
        find_planner(name)
    return replace(
        experiment,
        points=_joined(experiment.points, names),
        quick=_joined(experiment.quick, names),
        guests=names,
    )


def _joined(points: tuple[Measured, ...], names: tuple[str, ...]) -> tuple[Measured, ...]:
    """Return the points, and those of ``search`` once more for each name."""
    ours = [point for point in points if getattr(point, "method", None) == SEARCH]
    theirs = [replace(point, method=name) for name in names for point in ours]
    return (*points, *theirs)
