"""The default of the product: local search, and HiGHS for the proof when time remains."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import ClassVar

from albic.model import Plan, PlanRequest, SearchReport, plan_for
from albic.optimize.search import compiled
from albic.optimize.solver import Solver
from albic.planners.milp import aim_of, proven_report
from albic.planners.problem import allocation_of, problem_of
from albic.planners.proof import prove
from albic.planners.reasons import told
from albic.planners.search import outcome_of, searched

NAME = "auto"
#: What the search gets at most, in seconds: it hardly gains by more.
SEARCH_S = 0.2
#: HiGHS needs this long to start and to build a program worth having.
PROOF_S = 0.5


@dataclass(frozen=True, slots=True)
class AutoPlanner:
    """Plans by local search; what is left of the time limit goes into a proof, or a better plan."""

    keeps_budget: ClassVar[bool] = True

    solver: Callable[[], AbstractContextManager[Solver]] = Solver

    def plan(self, request: PlanRequest) -> Plan:
        """Return the best plan found, and what is proven of it."""
        compiled()
        began_s = time.perf_counter()
        if request.time_limit_s < SEARCH_S + PROOF_S:
            return _plan(request, None, began_s)
        # The process gets ready while the search works.
        with self.solver() as solver:
            return _plan(request, solver, began_s)


def _plan(request: PlanRequest, solver: Solver | None, began_s: float) -> Plan:
    """Search, then prove if a solver is there."""
    problem = problem_of(request)
    share = min(SEARCH_S / request.time_limit_s, 1.0) if solver else 1.0
    found = searched(problem, request, began_s + share * request.time_limit_s, share)
    owner = found.owner
    report = SearchReport(
        NAME, outcome_of(found), told(problem, request, found), found.bound, found.floor
    )
    left_s = began_s + request.time_limit_s - time.perf_counter()
    if solver and not found.proven and left_s > 0:
        aim = aim_of(problem, request)
        proof = prove(aim, owner, solver, left_s, found.bound, seed=request.seed)
        if not proof.note:
            owner, report = proof.owner, proven_report(NAME, aim, request, proof)
    report = replace(report, wall_s=time.perf_counter() - began_s)
    return plan_for(request, allocation_of(request, owner), report)
