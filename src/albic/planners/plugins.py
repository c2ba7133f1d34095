"""Planners that other packages bring along.

A package names its planners in the entry point group ``albic.planners``; docs/own-planner.md shows
how. What goes wrong in them is told in a sentence with the package's name.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from albic.model import AlbicError, InvalidInput, Plan, PlanRequest
from albic.planners.planner import Planner

log = logging.getLogger(__name__)

GROUP = "albic.planners"


@dataclass(frozen=True, slots=True)
class PluggedPlanner:
    """Somebody else's planner; its mistakes become errors of ours."""

    name: str
    package: str
    planner: Planner
    keeps_budget: bool
    gathers: bool

    def plan(self, request: PlanRequest) -> Plan:
        """Return its plan."""
        try:
            plan: object = self.planner.plan(request)
        except AlbicError:
            raise
        except Exception as wrong:
            raise InvalidInput(
                f"{_who(self.name, self.package)} failed: {_said(wrong)}; mend it or take another"
            ) from wrong
        if not isinstance(plan, Plan):
            raise InvalidInput(
                f"{_who(self.name, self.package)} answered with {type(plan).__name__!r}, "
                f"not with an albic.model.Plan"
            )
        return plan


def plugged(taken: Iterable[str]) -> dict[str, EntryPoint]:
    """Return the planners of other packages by name; names that are ``taken`` stay ours."""
    found: dict[str, EntryPoint] = {}
    ours = set(taken)
    for entry in entry_points(group=GROUP):
        if entry.name in ours:
            log.warning(
                "the planner %r of %s is ignored, for albic has one of that name",
                entry.name,
                _package(entry),
            )
        elif entry.name in found and entry.value != found[entry.name].value:
            raise InvalidInput(
                f"two packages bring a planner {entry.name!r}: {_package(found[entry.name])} and "
                f"{_package(entry)}; uninstall one"
            )
        else:
            found[entry.name] = entry
    return found


def load(entry: EntryPoint) -> PluggedPlanner:
    """Return the planner behind ``entry``; it is a class, or a function, without arguments."""
    who, package = _who(entry.name, _package(entry)), _package(entry)
    try:
        make: Any = entry.load()
    except (Exception, SystemExit) as wrong:
        raise InvalidInput(f"{who} cannot be loaded: {_said(wrong)}") from wrong
    if not callable(make):
        raise InvalidInput(f"{who} is no class or function: {entry.value} is {make!r}")
    try:
        planner = make()
    except (Exception, SystemExit) as wrong:
        raise InvalidInput(f"{who} cannot be made: {_said(wrong)}") from wrong
    keeps = getattr(planner, "keeps_budget", True)
    gathers = getattr(planner, "gathers", False)
    return PluggedPlanner(entry.name, package, checked(planner, who), bool(keeps), bool(gathers))


def checked(planner: Any, who: str) -> Planner:  # noqa: ANN401  what is none is refused
    """Return ``planner`` if it can plan."""
    if isinstance(planner, type):
        raise InvalidInput(f"{who} is the class {planner.__name__}; make one: {planner.__name__}()")
    if not callable(getattr(planner, "plan", None)):
        raise InvalidInput(
            f"{who} is {type(planner).__name__!r} and has no method plan(request); "
            f"give a name or an object that has"
        )
    found: Planner = planner
    return found


def _who(name: str, package: str) -> str:
    return f"the planner {name!r} of {package}"


def _package(entry: EntryPoint) -> str:
    """Return who brings ``entry``, for a sentence."""
    if entry.dist is None:
        return "a package without a name"
    return f"the package {entry.dist.name} {entry.dist.version}"


def _said(wrong: BaseException) -> str:
    """Return an error in one line."""
    return f"{type(wrong).__name__}: {wrong}".partition("\n")[0]
