"""The local search as a planner: good within milliseconds, with a proven bound beside it."""

import time
from dataclasses import dataclass
from typing import ClassVar

from albic.model import Outcome, Plan, PlanRequest, SearchReport, plan_for
from albic.optimize.assignment import AssignmentProblem
from albic.optimize.descent import Effort
from albic.optimize.search import SearchResult, compiled, fewest, search
from albic.planners.problem import allocation_of, problem_of
from albic.planners.reasons import told

#: Proposals that the search gets for a second of its time limit. A core of ours does ten million;
#: with less, the work is done before the limit and the same request gives the same plan.
PROPOSALS_PER_S = 5_500_000
#: The search hardly gains by more time than this.
SATURATED_S = 0.2
#: Nor by more proposals than this for every way to put one unit on one node.
PROPOSALS_PER_PLACE = 1_500
#: Key groups beyond which memory, not arithmetic, sets the pace.
CACHED_ITEMS = 100_000


@dataclass(frozen=True, slots=True)
class SearchPlanner:
    """Plans by local search; with a target distance, for the fewest moves."""

    keeps_budget: ClassVar[bool] = True

    def plan(self, request: PlanRequest) -> Plan:
        """Return the best plan that the request's time limit allows."""
        compiled()
        began_s = time.perf_counter()
        problem = problem_of(request)
        result = searched(problem, request, began_s + request.time_limit_s)
        report = SearchReport(
            planner="search",
            outcome=outcome_of(result),
            reason=told(problem, request, result),
            bound=result.bound,
            floor=result.floor,
            wall_s=time.perf_counter() - began_s,
        )
        return plan_for(request, allocation_of(request, result.owner), report)


def searched(
    problem: AssignmentProblem, request: PlanRequest, deadline_s: float, share: float = 1.0
) -> SearchResult:
    """Return what the search finds with a share of the request's time, and by the deadline."""
    effort = effort_of(request, deadline_s, share)
    if request.target_distance_pct is None:
        return search(problem, effort, request.seed)
    return fewest(problem, request.target_distance_pct, effort, request.seed)


def effort_of(request: PlanRequest, deadline_s: float, share: float) -> Effort:
    """Return the effort that a share of the request's time stands for, until the deadline."""
    key_groups, nodes = request.snapshot.topology.key_groups, len(request.snapshot.cluster.nodes)
    pace = PROPOSALS_PER_S / (1 + key_groups / CACHED_ITEMS)
    most = PROPOSALS_PER_PLACE * key_groups * nodes
    return Effort(
        proposals=max(min(int(pace * request.time_limit_s * share), most), 1),
        expired=lambda: time.perf_counter() >= deadline_s,
    )


def outcome_of(result: SearchResult) -> Outcome:
    """Return how a search ended."""
    if result.proven:
        return Outcome.OPTIMAL
    return Outcome.HEURISTIC if result.finished else Outcome.TIME_LIMIT
