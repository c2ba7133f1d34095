"""Balance and collocation in one plan: our step beyond the paper.

ALBIC brings one pair together a round and balances the rest. Here many pairs come together at once,
mostly in cycles that keep every node's load, and what is together moves as one.
"""

import time
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from albic.arrays import Floats, Ints, Sparse
from albic.model import (
    Allocation,
    Bundles,
    Objective,
    Outcome,
    Plan,
    PlanRequest,
    SearchReport,
    metrics,
    plan_for,
)
from albic.optimize.collocation import Collocated, collocate, compiled
from albic.optimize.search import search
from albic.planners.affinity import Pairs, heavy_pairs
from albic.planners.bundling import collocated_sets, split
from albic.planners.problem import allocation_of, bundles_of, problem_of
from albic.planners.search import SearchPlanner, effort_of

#: Parts of the time: for collocation, for lowering the load distance with what is left, and for
#: the plain plan. All are fixed: work measured by a clock would make plans a matter of chance.
GATHER, LEVEL, PLAIN = 0.55, 0.15, 0.3
#: The most that a set may weigh to move as one, in points; halved where that is too much.
#: The first is ALBIC's; at the last, few key groups are still bound.
PART_LOADS_PCT = (25.0, 12.5, 6.25)


@dataclass(frozen=True, slots=True)
class JointPlanner:
    """Collocates as much as the budget and the maximum load distance allow.

    Parameters
    ----------
    score_factor
        How far above average a pair must talk to count; paper: sF.
    least_share
        The part of its sender's output that a pair must carry as well. Without it, even traffic to
        half of the key groups counts as heavy, and sets are glued together by what saves nothing.
    """

    keeps_budget: ClassVar[bool] = True
    gathers: ClassVar[bool] = True

    score_factor: float = 1.5
    least_share: float = 0.1

    def plan(self, request: PlanRequest) -> Plan:
        """Return a plan within the request's maximum load distance, else the most even one."""
        compiled()
        began_s = time.perf_counter()
        plan = self._together(request, began_s + (1 - PLAIN) * request.time_limit_s)
        if plan is None:
            alone = replace(request, time_limit_s=PLAIN * request.time_limit_s)
            plain = SearchPlanner().plan(alone)
            plan = replace(plain, planner="joint", reason=_why_plain(request, plain))
        return replace(plan, wall_s=time.perf_counter() - began_s)

    def _together(self, request: PlanRequest, deadline_s: float) -> Plan | None:
        """Return the first plan within the allowed value, from large units to small."""
        if request.bundles is not None or request.snapshot.traffic.nnz == 0:
            return None
        pairs = _worthwhile(request, self.score_factor, self.least_share)
        sets = collocated_sets(pairs, request.snapshot.allocation.owner)
        for part_load_pct in PART_LOADS_PCT:
            bundles = Bundles.of(
                request.snapshot.topology.key_groups, split(sets, request, part_load_pct)
            )
            asked = replace(request, bundles=bundles)
            found = _gathered(asked, pairs, deadline_s)
            if found.within:
                levelled = _levelled(request, allocation_of(asked, found.owner), pairs, deadline_s)
                return plan_for(request, levelled, _report(request, levelled, found))
            if time.perf_counter() >= deadline_s:
                break
        return None


def _worthwhile(request: PlanRequest, score_factor: float, least_share: float) -> Pairs:
    """Return the pairs that are heavy and carry enough of their sender's output."""
    pairs = heavy_pairs(request.snapshot, score_factor)
    output: Floats = np.asarray(request.snapshot.traffic.sum(axis=1)).ravel()
    return pairs.where(pairs.rate >= least_share * output[pairs.upstream])


def _gathered(asked: PlanRequest, pairs: Pairs, deadline_s: float) -> Collocated:
    """Return what the search for collocation finds."""
    problem, affinity = problem_of(asked), _affinity(bundles_of(asked), pairs)
    allowed = asked.max_load_distance_pct
    if asked.objective is Objective.MAKESPAN:
        # No makespan is good or bad in itself: the points are granted on top of the best one.
        best = search(problem, effort_of(asked, deadline_s, LEVEL), asked.seed).value
        allowed = min(best + allowed, problem.value(problem.home))
    return collocate(problem, affinity, allowed, effort_of(asked, deadline_s, GATHER), asked.seed)


def _affinity(bundles: Bundles, pairs: Pairs) -> Sparse:
    """Return what each unit sends to each other unit."""
    upstream, downstream = bundles.unit_of[pairs.upstream], bundles.unit_of[pairs.downstream]
    apart = upstream != downstream
    return sp.coo_array(
        (pairs.rate[apart], (upstream[apart], downstream[apart])),
        shape=(bundles.units, bundles.units),
    ).tocsr()


def _levelled(
    request: PlanRequest, gathered: Allocation, pairs: Pairs, deadline_s: float
) -> Allocation:
    """Return the allocation made more even with the rest of the budget, nothing torn apart.

    Sets with a member that moves already stay where they come together.
    """
    units = Bundles.of(request.snapshot.topology.key_groups, collocated_sets(pairs, gathered.owner))
    moving: Ints = gathered.moved_from(request.snapshot.allocation)
    pins = {int(units.unit_of[k]): int(gathered.owner[k]) for k in moving}
    asked = replace(request, bundles=Bundles(units.unit_of, tuple(sorted(pins.items()))))
    problem = problem_of(asked)
    result = search(problem, effort_of(request, deadline_s, LEVEL), request.seed)
    levelled = allocation_of(asked, result.owner)
    better = result.value < problem.value(problem.home)
    return levelled if better else gathered


def _report(request: PlanRequest, target: Allocation, found: Collocated) -> SearchReport:
    """Return how the plan came about."""
    snapshot = request.snapshot
    before, after = (
        metrics.collocation_factor(snapshot.traffic, allocation)
        for allocation in (snapshot.allocation, target)
    )
    moved = int(np.count_nonzero(target.owner != snapshot.allocation.owner))
    reason = (
        f"collocation {before:.1%} -> {after:.1%} by moving {moved} key groups; load distance "
        f"{metrics.load_distance(snapshot, snapshot.allocation):.3g} -> "
        f"{metrics.load_distance(snapshot, target):.3g} points, "
        f"{request.max_load_distance_pct:g} allowed"
    )
    outcome = Outcome.HEURISTIC if found.finished else Outcome.TIME_LIMIT
    return SearchReport("joint", outcome, reason)


def _why_plain(request: PlanRequest, plain: Plan) -> str:
    """Return why the plan is one without collocation."""
    if request.bundles is not None:
        why = "the request brings its own bundles, so none were added"
    elif request.snapshot.traffic.nnz == 0:
        why = "no traffic to collocate"
    else:
        why = (
            f"a load distance of {request.max_load_distance_pct:g} is out of reach without tearing"
        )
    return f"{why}; {plain.reason}"
