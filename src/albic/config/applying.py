"""From settings by name to what the loop and the scaling are told."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from albic.config.sources import Chosen
from albic.config.table import AUTO, LIMITS
from albic.control.settings import Pace, Settings
from albic.model import InvalidInput, Objective
from albic.model.fields import written
from albic.scaling import Limits


def value_of(chosen: Mapping[str, Chosen], name: str) -> Any:  # noqa: ANN401  its kind was checked
    """Return the value of one setting."""
    return chosen[name].value


def loop_settings(chosen: Mapping[str, Chosen], queries: int) -> Settings:
    """Return what the loop is told, for so many queries."""
    objective = value_of(chosen, "objective")
    if objective == AUTO:
        # Stages of one query run one after the other, those of several side by side.
        objective = Objective.MAKESPAN if queries == 1 else Objective.DISTANCE
    declared = {
        each.name: value_of(chosen, each.name) for each in fields(Settings) if each.metadata
    }
    return Settings(
        pace=Pace.of(value_of(chosen, "period")), objective=Objective(objective), **declared
    )


def limits_of(chosen: Mapping[str, Chosen]) -> Limits:
    """Return how far the number of executors may change."""
    told = {each.name: value_of(chosen, LIMITS + each.name) for each in fields(Limits)}
    hours = tuple((float(start), float(end)) for start, end in told.pop("rest_hours"))
    return Limits(**told, rest_hours=hours)


def named_limits(limits: Limits | None) -> dict[str, object]:
    """Return limits as settings by name; none were given where there are none."""
    if limits is None:
        return {}
    if not isinstance(limits, Limits):
        raise InvalidInput(f"limits is {written(limits)}; it must be a Limits of albic.scaling")
    return {LIMITS + each.name: getattr(limits, each.name) for each in fields(limits)}
