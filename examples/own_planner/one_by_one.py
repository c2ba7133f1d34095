"""A planner of one's own: moves key groups one by one, while that helps."""

import time

from albic.model import Allocation, Outcome, Plan, PlanRequest, SearchReport, plan_for, violations
from albic.model.metrics import load_distance


class OneByOne:
    """Tries every key group on every node in turn; the judge says what is allowed."""

    def plan(self, request: PlanRequest) -> Plan:
        """Return the plan."""
        now, ends_s = request.snapshot, time.perf_counter() + request.time_limit_s
        draining, groups = now.cluster.draining(), now.topology.key_groups
        report = SearchReport("one-by-one", Outcome.HEURISTIC, "single moves, while they help")
        plan, least, at, last = plan_for(request, now.allocation, report), None, 0, 0
        while at - last <= groups * draining.size and time.perf_counter() < ends_s:
            owner = plan.target.owner.copy()
            owner[at % groups] = at // groups % draining.size
            other = plan if least is None else plan_for(request, Allocation(owner), report)
            cost = draining[other.target.owner].sum(), round(load_distance(now, other.target), 6)
            if least is None or (cost < least and not violations(other, request)):
                plan, least, last = other, cost, at
            at += 1
        return plan
