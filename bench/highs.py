"""The plain exact program: HiGHS alone, with nothing that the search knows."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from albic.cli.shared.screen import tracked
from albic.model import metrics
from albic.optimize.aim import Aim
from albic.optimize.solver import Limits, Solver
from albic.optimize.solver_messages import Status
from albic.planners.formulation import formulate
from albic.planners.milp import MilpPlanner
from albic.planners.problem import problem_of
from albic.planners.proof import GAP_PCT
from bench.instances import Case

#: Each HiGHS has a process and a thread of its own; with more than the cores they would disturb.
AT_ONCE = 2
#: How long HiGHS may overrun before it is killed. It is our opponent: its time is not cut short.
GRACE_S = 5.0


@dataclass(frozen=True, slots=True)
class Plain:
    """What HiGHS reached alone; ``printed_pct`` is the paper's own program, if it was asked for."""

    distance_pct: float
    bound_pct: float
    optimal: bool
    failed: bool
    wall_s: float
    printed_pct: float | None = None


def plain_all(cases: Sequence[Case], seconds: float, *, paper: bool) -> list[Plain]:
    """Return what HiGHS reaches on every case, two at a time."""
    with ThreadPoolExecutor(AT_ONCE) as pool:
        waiting = [pool.submit(plain, case, seconds, paper=paper) for case in cases]
        shown = tracked(cases, "HiGHS alone on")
        return [future.result() for _, future in zip(shown, waiting, strict=True)]


def plain(case: Case, seconds: float, *, paper: bool) -> Plain:
    """Return what HiGHS reaches in ``seconds`` from nothing: no start, no bound.

    All of the time goes to the load distance. Only the program's own process is timed: that it
    has to be started and the program written down is not held against it.
    """
    request = case.request(seconds)
    problem = problem_of(request)
    exact = formulate(Aim(problem))
    limits = Limits(seconds, patience_s=seconds + GRACE_S, gap=GAP_PCT, seed=case.seed)
    with Solver() as solver:
        solution = solver.solve(exact.first, limits)
    owner = problem.home
    if solution.x is not None and exact.allows(rounded := exact.places.owner(solution.x)):
        owner = rounded
    printed_pct = None
    if paper:
        printed = MilpPlanner(formulation="paper").plan(request)
        printed_pct = metrics.load_distance(request.snapshot, printed.target)
    return Plain(
        distance_pct=problem.value(owner),
        bound_pct=max(solution.bound, 0.0),
        optimal=solution.status is Status.OPTIMAL,
        failed=solution.status is Status.FAILED,
        wall_s=solution.wall_s,
        printed_pct=printed_pct,
    )
