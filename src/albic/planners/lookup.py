"""From a name to a planner, ours or another package's."""

from albic.model import InvalidInput
from albic.model.fields import nearest, written
from albic.planners.planner import Planner
from albic.planners.plugins import checked, load, plugged
from albic.planners.table import PLANNERS


def planner_names() -> tuple[str, ...]:
    """Return the names of all planners, ours first."""
    return (*PLANNERS, *sorted(plugged(PLANNERS)))


def find_planner(asked: str | Planner) -> Planner:
    """Return the planner of that name, or what was given if it is a planner already."""
    if not isinstance(asked, str):
        return checked(asked, "the planner that was given")
    if asked in PLANNERS:
        return PLANNERS[asked]()
    others = plugged(PLANNERS)
    if asked in others:
        return load(others[asked])
    names = [*PLANNERS, *others]
    meant = nearest(asked, names)
    hint = f"did you mean {meant}?" if meant else f"known are {', '.join(sorted(names))}"
    raise InvalidInput(f"there is no planner {written(asked)}; {hint}")
