"""An anytime local search over assignments.

The effort is a number of proposals, not a time: the same problem, effort and seed give the same
assignment on every machine. A deadline only cuts off what a slow machine does not get done.
"""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import scipy.sparse as sp

from albic.arrays import Ints
from albic.optimize.aim import NO_BENEFIT_PCT, Aim
from albic.optimize.assignment import AssignmentProblem, Goal
from albic.optimize.bound import CountBound
from albic.optimize.count_bound import NEVER
from albic.optimize.descent import NOTHING, Effort, limits_of, run

#: A value this close to its bound is optimal, in points: a thousandth is no benefit.
PROVEN = NO_BENEFIT_PCT


@dataclass(frozen=True, slots=True, eq=False)
class SearchResult:
    """The best assignment found, with what is proven about it.

    ``bound`` holds within the budget, ``floor`` within any. ``fewest_moves`` is a proven lower
    bound of the moves for a wanted value, where one was asked for.
    """

    owner: Ints
    value: float
    bound: float
    floor: float
    finished: bool
    fewest_moves: int | None = None

    @property
    def proven(self) -> bool:
        """Return whether no assignment within the budget has a better value."""
        return self.value <= self.bound + PROVEN


def search(
    problem: AssignmentProblem, effort: Effort, seed: int, enough: float = 0.0
) -> SearchResult:
    """Return the best assignment that the effort finds; it stops at ``enough``.

    Emptying closed bins comes first from a drain weight of 1 on. Below, the search compares what
    the budget brings when it is kept for urgent moves.
    """
    limits = limits_of(problem)
    drains = [1.0]
    if problem.drain_weight < 1 and problem.closed[problem.home].any():
        drains = [1.0, 0.5, 0.0]
    runs = [
        run(problem, effort.share(len(drains)), seed, limits, (enough, drain)) for drain in drains
    ]
    owner, finished = min(runs, key=lambda found: Aim(problem).first(found[0]))
    return SearchResult(owner, problem.value(owner), limits.bound, limits.floor, finished)


def fewest(problem: AssignmentProblem, target: float, effort: Effort, seed: int) -> SearchResult:
    """Return an assignment of at most ``target`` with as few moves as the search can do with.

    Where ``target`` is out of reach within the budget, the best assignment is returned.
    """
    trials = 8
    best = search(problem, effort.share(2), seed, enough=target)
    needed: int | None = None
    if problem.goal is Goal.DISTANCE:
        needed = CountBound(problem).fewest_moves(target)
    if best.value > target + NOTHING:
        return replace(best, fewest_moves=None if needed == NEVER else needed)
    low, high = float(min(needed or 0, problem.budget)), problem.spent(best.owner)
    for trial in range(trials):
        if high <= low or effort.expired():
            break
        middle = np.floor((low + high) / 2) if (problem.charge == 1).all() else (low + high) / 2
        tighter = replace(problem, budget=float(middle))
        found = search(tighter, effort.share(2 * trials), seed + trial + 1, enough=target)
        drained = not problem.left_behind(found.owner).any()
        if found.value <= target + NOTHING and drained:
            best, high = replace(found, bound=best.bound), problem.spent(found.owner)
        else:
            low = middle + 1 if (problem.charge == 1).all() else middle
    return replace(best, fewest_moves=needed)


@cache
def compiled() -> None:
    """Load the compiled code, or compile it once after installation, before a clock runs."""
    for goal in Goal:
        search(tiny_problem(goal), Effort(proposals=1), seed=0)


def tiny_problem(goal: Goal) -> AssignmentProblem:
    """Return a problem that takes no time and leads through all of the compiled code."""
    return AssignmentProblem(
        weights=sp.csr_array(np.array([[3.0], [1.0], [1.0], [1.0]])),
        home=np.array([0, 0, 0, 1]),
        charge=np.ones(4),
        movable=np.ones(4, dtype=np.bool_),
        budget=2.0,
        capacity=np.ones(2),
        closed=np.zeros(2, dtype=np.bool_),
        enterable=np.ones(2, dtype=np.bool_),
        base=np.zeros((1, 2)),
        limit=np.full((1, 2), np.inf),
        goal=goal,
        goal_dims=1,
        drain_weight=1.5,
        least=np.zeros(1),
    )
