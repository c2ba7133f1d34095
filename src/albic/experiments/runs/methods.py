"""The planners by the names that they have in figures."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from albic.model import (
    Allocation,
    Objective,
    Plan,
    PlanRequest,
    SearchReport,
    metrics,
    plan_for,
    violations,
)
from albic.planners import Planner, find_planner
from albic.planners.albic import AlbicPlanner
from albic.planners.cola import ColaPlanner
from albic.planners.flux import FluxPlanner
from albic.planners.hold import HoldPlanner
from albic.planners.joint import JointPlanner
from albic.planners.milp import MilpPlanner
from albic.planners.printed_milp import Printed
from albic.planners.search import SearchPlanner

#: The printed program, started by our search; and HiGHS alone with it.
MILP, SCRATCH = "MILP", "MILP, solver from scratch"
FLUX, ALBIC, COLA = "Flux", "ALBIC", "COLA"
REPAIRED, SEARCH, STAGES, JOINT, PAIRS = (
    "milp (ours)",
    "search (ours)",
    "search by stage (ours)",
    "joint (ours)",
    "ALBIC, 12 pairs a round (ours)",
)
HOLD = "nothing moves"

#: d_u and d_l not negative: probably what the authors ran, and kinder to the paper.
PRINTED = Printed(signed=False)

METHODS: dict[str, Callable[[], Planner]] = {
    MILP: lambda: MilpPlanner("paper", PRINTED),
    SCRATCH: lambda: MilpPlanner("paper", PRINTED, from_scratch=True),
    FLUX: FluxPlanner,
    ALBIC: AlbicPlanner,
    COLA: ColaPlanner,
    REPAIRED: MilpPlanner,
    SEARCH: SearchPlanner,
    STAGES: SearchPlanner,
    JOINT: JointPlanner,
    PAIRS: lambda: AlbicPlanner(pairs_per_round=12),
    HOLD: HoldPlanner,
}


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """A plan, its load distance on the snapshot that was asked about, and what the judge says."""

    plan: Plan
    distance_pct: float
    findings: int


def _from_scratch(request: PlanRequest) -> Plan:
    """Return COLA's plan as at the start of a job, whatever is there now.

    COLA does not look at the present allocation, but keeps it where its plan would be worse by
    our rules. The paper carries out every plan, so COLA is asked about key groups dealt at random.
    """
    owner = np.random.default_rng(request.seed).permutation(request.snapshot.allocation.owner)
    dealt = replace(request.snapshot, allocation=Allocation(owner))
    plan = ColaPlanner().plan(replace(request, snapshot=dealt))
    report = SearchReport(plan.planner, plan.outcome, plan.reason, wall_s=plan.wall_s)
    return plan_for(request, plan.target, report)


def method_planner(method: str) -> Planner:
    """Return the planner of a method: one of the figures' own, or any by its name."""
    return METHODS[method]() if method in METHODS else find_planner(method)


def answered(method: str, request: PlanRequest) -> Answer:
    """Return a method's answer; the one by stage is asked for the makespan."""
    if method == STAGES:
        request = replace(request, objective=Objective.MAKESPAN)
    plan = _from_scratch(request) if method == COLA else method_planner(method).plan(request)
    return Answer(
        plan,
        metrics.load_distance(request.snapshot, plan.target),
        len(violations(plan, request)),
    )
