"""The paper's mixed-integer program, solved with HiGHS as far as the time allows."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

from albic.arrays import Ints
from albic.model import Outcome, Plan, PlanRequest, SearchReport, plan_for
from albic.optimize.aim import NO_BENEFIT_PCT, Aim
from albic.optimize.assignment import AssignmentProblem, Goal
from albic.optimize.descent import floor_of
from albic.optimize.search import SearchResult, compiled
from albic.optimize.solver import Limits, Solution, Solver
from albic.optimize.solver_messages import Status
from albic.planners.formulation import too_large
from albic.planners.printed_milp import AsPrinted, Printed, formulate_as_printed
from albic.planners.problem import allocation_of, problem_of
from albic.planners.proof import Proof, prove
from albic.planners.reasons import change, stuck
from albic.planners.search import SATURATED_S, searched

NAME = "milp"
#: The part of the time that the local search gets for the start, at most.
START_SHARE = 0.25


@dataclass(frozen=True, slots=True)
class MilpPlanner:
    """Plans with an exact program.

    Parameters
    ----------
    formulation
        ``repaired``: the paper's program with its errors mended, started from a good assignment,
        with a proof if time allows. ``paper``: the program as printed.
    printed
        What the paper leaves open; for ``paper`` only.
    from_scratch
        Whether HiGHS gets the printed program without a good assignment to start from; for
        ``paper`` only.
    solver
        Opens the process that HiGHS runs in.
    """

    keeps_budget: ClassVar[bool] = True

    formulation: Literal["repaired", "paper"] = "repaired"
    printed: Printed = field(default_factory=Printed)
    from_scratch: bool = False
    solver: Callable[[], AbstractContextManager[Solver]] = Solver

    def plan(self, request: PlanRequest) -> Plan:
        """Return the best plan that HiGHS finds within the request's time limit."""
        compiled()
        began_s = time.perf_counter()
        with self.solver() as solver:
            if self.formulation == "paper":
                owner, report = self._as_printed(request, solver, began_s)
            else:
                owner, report = _exact(request, solver, began_s)
        report = replace(report, wall_s=time.perf_counter() - began_s)
        return plan_for(request, allocation_of(request, owner), report)

    def _as_printed(
        self, request: PlanRequest, solver: Solver, began_s: float
    ) -> tuple[Ints, SearchReport]:
        """Return the printed program's assignment and how it came about."""
        problem = problem_of(request)
        if problem.goal is not Goal.DISTANCE:
            return _kept(problem, "the paper's program knows no objective but the load distance")
        start = None if self.from_scratch else _start(problem, request, began_s).owner
        if note := too_large(problem, _left_s(request, began_s)):
            return _unsolved(problem, start, note)
        exact = formulate_as_printed(problem, self.printed)
        if start is not None:
            start = exact.best([start, problem.home])
        columns = None if start is None else exact.columns(start)
        limits = Limits(max(_left_s(request, began_s), 0.0), seed=request.seed)
        return _solved_as_printed(exact, start, solver.solve(exact.program, limits, columns))


def aim_of(problem: AssignmentProblem, request: PlanRequest) -> Aim:
    """Return what ``request`` asks for; a target distance asks for the fewest moves to it."""
    target = request.target_distance_pct
    if target is None:
        return Aim(problem)
    return Aim(problem, enough_pct=target, fewest_moves=True)


def _exact(request: PlanRequest, solver: Solver, began_s: float) -> tuple[Ints, SearchReport]:
    """Return the repaired program's assignment and how it came about."""
    problem = problem_of(request)
    start = _start(problem, request, began_s)
    left_s = _left_s(request, began_s)
    aim = aim_of(problem, request)
    proof = prove(aim, start.owner, solver, left_s, start.bound, seed=request.seed)
    return proof.owner, proven_report(NAME, aim, request, proof)


def proven_report(name: str, aim: Aim, request: PlanRequest, proof: Proof) -> SearchReport:
    """Return how an assignment that HiGHS looked at came about."""
    problem = aim.problem
    outcome = Outcome.OPTIMAL if proof.proven else Outcome.TIME_LIMIT
    if proof.note:
        outcome = Outcome.HEURISTIC
    reason = "; ".join([change(problem, proof.owner), _standing(aim, proof), *stuck(request)])
    return SearchReport(name, outcome, reason, proof.bound, floor_of(problem))


def _start(problem: AssignmentProblem, request: PlanRequest, began_s: float) -> SearchResult:
    """Return what the search finds in its share of the time."""
    share = min(START_SHARE, SATURATED_S / request.time_limit_s)
    return searched(problem, request, began_s + share * request.time_limit_s, share)


def _left_s(request: PlanRequest, began_s: float) -> float:
    """Return the seconds until the request's time limit."""
    return began_s + request.time_limit_s - time.perf_counter()


def _solved_as_printed(
    exact: AsPrinted, start: Ints | None, solution: Solution
) -> tuple[Ints, SearchReport]:
    """Return the better of the start and what HiGHS found, by the printed objective."""
    problem = exact.problem
    if solution.status is Status.INFEASIBLE:
        return _kept(
            problem, "the printed program has no solution: constraint (5) or (3) forbids all"
        )
    if solution.x is None or solution.status is Status.FAILED:
        return _unsolved(problem, start, solution.detail or "no solution within the time limit")
    found = exact.places.owner(solution.x)
    owner = found if start is None or exact.best([start, found]) is not start else start
    if solution.status is Status.OPTIMAL:
        reason = f"{change(problem, owner)}; the optimum of the printed program"
        return owner, SearchReport(NAME, Outcome.HEURISTIC, reason)
    reason = f"{change(problem, owner)}; time ran out before the printed program was solved"
    return owner, SearchReport(NAME, Outcome.TIME_LIMIT, reason)


def _unsolved(
    problem: AssignmentProblem, start: Ints | None, why: str
) -> tuple[Ints, SearchReport]:
    """Return the start where HiGHS found nothing, and the present allocation without one."""
    if start is None:
        return _kept(problem, why)
    reason = f"{change(problem, start)}; the start was not improved: {why}"
    return start, SearchReport(NAME, Outcome.HEURISTIC, reason)


def _kept(problem: AssignmentProblem, why: str) -> tuple[Ints, SearchReport]:
    """Return the present allocation and why it stays."""
    return problem.home, SearchReport(NAME, Outcome.UNCHANGED, f"nothing moves: {why}")


def _standing(aim: Aim, proof: Proof) -> str:
    """Return what is proven, in words."""
    if proof.note:
        return f"not improved: {proof.note}"
    if not proof.value_proven:
        return f"time ran out; nothing below {proof.bound:.4g} points is possible"
    told = "proven best within the budget"
    if aim.fewest_moves and aim.problem.value(proof.owner) > aim.enough_pct + NO_BENEFIT_PCT:
        told = f"{told}, {aim.enough_pct:g} points are out of reach"
    if proof.proven:
        return told
    return f"{told}; time ran out before spread and moves were"
