"""The planner in use, which may be another one from the next round on."""

from collections.abc import Callable

from albic.control.ports import Planner
from albic.model import InvalidInput, Plan, PlanRequest


class ChosenPlanner:
    """Plans with whoever was chosen last; the loop and the scaling policy share one.

    ``find`` makes a planner of a name, or refuses the name.
    """

    def __init__(self, find: Callable[[str | Planner], Planner], asked: str | Planner) -> None:
        self._find = find
        self.use(asked, find(asked))

    @property
    def name(self) -> str:
        """Return what people call the planner."""
        return self._name

    @property
    def gathers(self) -> bool:
        """Return whether it means to bring together what talks to each other."""
        return bool(getattr(self._planner, "gathers", False))

    def found(self, asked: str | Planner) -> Planner:
        """Return the planner that ``asked`` names, without choosing it."""
        return self._find(asked)

    def use(self, asked: str | Planner, planner: Planner) -> None:
        """Plan with ``planner``, which ``asked`` named, from now on."""
        self._planner = planner
        self._name = asked if isinstance(asked, str) else named(asked)

    def plan(self, request: PlanRequest) -> Plan:
        """Return the plan."""
        return self._planner.plan(request)


def named(planner: Planner) -> str:
    """Return what people call ``planner``."""
    name = getattr(planner, "name", None)
    return name if isinstance(name, str) else type(planner).__name__


def planner_name(planner: Planner) -> str:
    """Return the name of the planner in use."""
    return planner.name if isinstance(planner, ChosenPlanner) else named(planner)


def replaceable(planner: Planner) -> ChosenPlanner:
    """Return ``planner`` if another one can take its place, and refuse if none can."""
    if not isinstance(planner, ChosenPlanner):
        raise InvalidInput("the planner of this controller is fixed; attach again with another")
    return planner
