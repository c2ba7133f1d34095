"""A plan's reason, in words a person can check against the numbers."""

from albic.arrays import Ints
from albic.model import PlanRequest
from albic.model.validation import ROUNDING
from albic.optimize.assignment import AssignmentProblem, Goal
from albic.optimize.search import SearchResult
from albic.planners.problem import stranded

#: A result this close to its floor, in points, is at it.
AT_THE_FLOOR = 0.01


def told(problem: AssignmentProblem, request: PlanRequest, result: SearchResult) -> str:
    """Return why the search's assignment is what it is."""
    return "; ".join([change(problem, result.owner), *_standing(request, result), *stuck(request)])


def change(problem: AssignmentProblem, owner: Ints) -> str:
    """Return what the assignment does to the goal."""
    what = "makespan" if problem.goal is Goal.MAKESPAN else "load distance"
    before, after = problem.value(problem.home), problem.value(owner)
    moved = int((owner != problem.home).sum())
    if moved == 0:
        return f"{what} stays at {after:.3g} points"
    return f"{what} {before:.3g} -> {after:.3g} points by moving {moved} of {problem.items} units"


def _standing(request: PlanRequest, result: SearchResult) -> list[str]:
    """Return what is known about better assignments."""
    target = request.target_distance_pct
    told = []
    reached = target is not None and result.value <= target + ROUNDING
    if target is not None and not reached:
        told.append(f"a load distance of {target:g} is out of reach within the budget")
    if reached and result.fewest_moves is not None:
        told.append(
            f"no plan reaches {target:g} points with fewer than {result.fewest_moves} moves"
        )
    elif result.proven:
        told.append("proven best within the budget")
    else:
        told.append(f"nothing below {result.bound:.3g} is possible within the budget")
    if result.floor > 0 and result.value <= result.floor + AT_THE_FLOOR:
        told.append(
            f"no allocation gets below {result.floor:.3g}: the largest key group sets it, "
            f"only finer key groups help"
        )
    if not result.finished:
        told.append("time ran out before the search did")
    return told


def stuck(request: PlanRequest) -> list[str]:
    """Return a warning where key groups on draining nodes can never leave, else nothing."""
    draining = request.snapshot.cluster.draining()
    left = int((stranded(request) & draining[request.snapshot.allocation.owner]).sum())
    if not left:
        return []
    return [
        f"{left} key groups on draining nodes cost more than the whole budget of "
        f"{request.budget.limit:g} {request.budget.unit}: raise it"
    ]
