"""A planner of one's own: the best single move, then the next, while things get better."""

import time

from albic.model import (
    Allocation,
    Objective,
    Outcome,
    Plan,
    PlanRequest,
    SearchReport,
    metrics,
    plan_for,
    violations,
)


class OneByOne:
    """Tries every key group on every node. It knows no bundles: with them, nothing moves."""

    def plan(self, request: PlanRequest) -> Plan:
        """Return the plan."""
        ends_s = time.perf_counter() + request.time_limit_s
        plan = answer(request, request.snapshot.allocation)
        while request.bundles is None and time.perf_counter() < ends_s:
            nodes = range(len(request.snapshot.cluster.nodes))
            groups = range(request.snapshot.topology.key_groups)
            tries = [answer(request, moved(plan, k, n)) for k in groups for n in nodes]
            better = [each for each in tries if cost(each, request) < cost(plan, request)]
            better.sort(key=lambda each: cost(each, request))
            found = next((each for each in better if not violations(each, request)), None)
            if found is None:
                break
            plan = found
        return plan


def answer(request: PlanRequest, target: Allocation) -> Plan:
    """Return the plan that leads to ``target``."""
    return plan_for(request, target, SearchReport("mine", Outcome.HEURISTIC, "the best moves"))


def moved(plan: Plan, group: int, node: int) -> Allocation:
    """Return where all are after one more move."""
    owner = plan.target.owner.copy()
    owner[group] = node
    return Allocation(owner)


def cost(plan: Plan, request: PlanRequest) -> tuple[int, float]:
    """Return what to make small: first what is left on draining nodes, then the objective."""
    left = request.snapshot.cluster.draining()[plan.target.owner].sum()
    even = request.objective is Objective.DISTANCE
    measure = metrics.load_distance if even else metrics.makespan
    return int(left), round(measure(request.snapshot, plan.target), 6)
