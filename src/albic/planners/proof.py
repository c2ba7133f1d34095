"""Makes an assignment better with HiGHS, or proves that none is better."""

import time
from dataclasses import dataclass

from albic.arrays import Ints
from albic.optimize.aim import Aim
from albic.optimize.solver import Limits, Solution, Solver
from albic.optimize.solver_messages import Status
from albic.planners.formulation import Exact, formulate, too_large

#: The part of the time that the first solve may use if it needs it.
FIRST_SHARE = 0.75
#: A result this close to its bound is optimal, in percentage points.
GAP_PCT = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Proof:
    """The best assignment known, and what is proven of it.

    ``bound`` is what the goal's value cannot fall below while no more is left in closed bins than
    ``owner`` leaves. ``value_proven`` says that no assignment has a better value, ``proven`` that
    none is better in spread and moves either. ``note`` says what kept HiGHS from working.
    """

    owner: Ints
    bound: float
    value_proven: bool = False
    proven: bool = False
    note: str = ""


def prove(
    aim: Aim,
    start: Ints,
    solver: Solver,
    time_limit_s: float,
    lower_bound: float = 0.0,
    seed: int = 0,
) -> Proof:
    """Return the best assignment that HiGHS finds from ``start``, within the time limit.

    Parameters
    ----------
    start
        Where to start from. The result is not worse.
    solver
        A running one. Enter it early: its process gets ready while others work.
    lower_bound
        What is proven already about the goal's value.
    """
    deadline_s = time.monotonic() + time_limit_s
    if note := too_large(aim.problem, time_limit_s):
        return Proof(start, lower_bound, note=note)
    home = aim.problem.home
    exact = formulate(aim, min(lower_bound, aim.problem.value(start), aim.problem.value(home)))
    start = start if exact.allows(start) else home
    known, bound = [start, home], lower_bound
    if aim.first(start) > lower_bound + GAP_PCT:
        first = _solved(exact, None, known, solver, deadline_s, seed)
        if first.status is Status.FAILED:
            return Proof(start, lower_bound, note=first.detail)
        known += _assignments(exact, first)
        bound = max(lower_bound, first.bound)
    least = min(aim.first(owner) for owner in known)
    value_proven = least <= bound + 2 * GAP_PCT
    second = _solved(exact, aim.held(least), known, solver, deadline_s, seed)
    owner = aim.best(known + _assignments(exact, second))
    return Proof(
        owner,
        _bound_of_value(aim, owner, bound, lower_bound),
        value_proven,
        proven=value_proven and second.status is Status.OPTIMAL,
        note=second.detail if second.status is Status.FAILED else "",
    )


def _solved(
    exact: Exact,
    held: float | None,
    known: list[Ints],
    solver: Solver,
    deadline_s: float,
    seed: int,
) -> Solution:
    """Return the first program's solution or, with something to hold, the second's."""
    left_s = max(deadline_s - time.monotonic(), 0.0)
    program = exact.first if held is None else exact.second(held)
    share = FIRST_SHARE if held is None else 1.0
    limits = Limits(share * left_s, patience_s=left_s, gap=GAP_PCT, seed=seed)
    return solver.solve(program, limits, exact.columns(exact.aim.best(known)))


def _assignments(exact: Exact, solution: Solution) -> list[Ints]:
    """Return the assignment that ``solution`` stands for, if it is one after rounding."""
    if solution.x is None:
        return []
    owner = exact.places.owner(solution.x)
    return [owner] if exact.allows(owner) else []


def _bound_of_value(aim: Aim, owner: Ints, bound: float, lower_bound: float) -> float:
    """Return what is proven of the goal's value alone."""
    value = aim.problem.value(owner)
    left = aim.first(owner) - max(value, aim.enough_pct)
    if bound - left <= aim.enough_pct:
        return lower_bound
    return min(max(bound - left, lower_bound), value)
