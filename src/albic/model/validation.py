"""The one judge of every plan."""

from dataclasses import dataclass

import numpy as np

from albic.model import metrics
from albic.model.plan import Objective, Plan, PlanRequest
from albic.model.snapshot import Resource

#: Differences below this are rounding, in points of load or shares of a budget.
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class Violation:
    """One thing that is wrong with a plan."""

    rule: str
    detail: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.detail}"


def violations(plan: Plan, request: PlanRequest) -> list[Violation]:
    """Return everything that is wrong with ``plan`` as an answer to ``request``."""
    found = _malformed(plan, request)
    if not found:
        found += _over_budget(plan, request)
        found += _onto_draining(plan, request)
        found += _kept_out(plan, request)
        found += _torn_bundles(plan, request)
        found += _over_limits(plan, request)
        found += _worse_than_nothing(plan, request)
    return found


def _malformed(plan: Plan, request: PlanRequest) -> list[Violation]:
    """Check generation, owners and that the moves say the same as the target."""
    found = []
    snapshot = request.snapshot
    owner, before = plan.target.owner, snapshot.allocation.owner
    if plan.generation != snapshot.generation:
        found.append(
            Violation("stale", f"made for generation {plan.generation}, not {snapshot.generation}")
        )
    if owner.shape != before.shape:
        found.append(
            Violation("one-owner-each", f"{owner.size} owners for {before.size} key groups")
        )
        return found
    nodes = len(snapshot.cluster.nodes)
    found += [
        Violation("one-owner-each", f"key group {group} on node {owner[group]}")
        for group in np.flatnonzero((owner < 0) | (owner >= nodes))
    ]
    told = {move.key_group: (move.source, move.target) for move in plan.moves}
    changed = {int(k): (int(before[k]), int(owner[k])) for k in np.flatnonzero(owner != before)}
    if told != changed or len(told) != len(plan.moves):
        found.append(Violation("moves-match-target", "the moves do not lead to the target"))
    return found


def _over_budget(plan: Plan, request: PlanRequest) -> list[Violation]:
    charge, budget = request.charge(), request.budget
    spent = float(sum(charge[move.key_group] for move in plan.moves))
    if spent > budget.limit * (1 + ROUNDING) + ROUNDING:
        return [Violation("over-budget", f"{spent:g} > {budget.limit:g} {budget.unit}")]
    return []


def _onto_draining(plan: Plan, request: PlanRequest) -> list[Violation]:
    draining = request.snapshot.cluster.draining()
    return [
        Violation("onto-draining", f"key group {move.key_group} goes to node {move.target}")
        for move in plan.moves
        if draining[move.target]
    ]


def _kept_out(plan: Plan, request: PlanRequest) -> list[Violation]:
    """Check that what is fixed stays, and that nodes that are shut receive nothing."""
    may_move, may_receive = request.may_move(), request.may_receive()
    draining = request.snapshot.cluster.draining()
    moved = [
        Violation("fixed-stays", f"key group {move.key_group} goes to node {move.target}")
        for move in plan.moves
        if not may_move[move.key_group]
    ]
    entered = [
        Violation("onto-shut", f"key group {move.key_group} goes to node {move.target}")
        for move in plan.moves
        if not (may_receive[move.target] or draining[move.target])
    ]
    return moved + entered


def _torn_bundles(plan: Plan, request: PlanRequest) -> list[Violation]:
    if request.bundles is None:
        return []
    owner, unit_of = plan.target.owner, request.bundles.unit_of
    first = np.full(request.bundles.units, -1, dtype=np.int64)
    first[unit_of[::-1]] = owner[::-1]
    torn = [
        Violation("bundle-intact", f"bundle {unit} is on several nodes")
        for unit in np.unique(unit_of[owner != first[unit_of]])
    ]
    astray = [
        Violation("bundle-intact", f"bundle {unit} is on {first[unit]}, not {node}")
        for unit, node in request.bundles.pinned
        if first[unit] != node
    ]
    return torn + astray


def _over_limits(plan: Plan, request: PlanRequest) -> list[Violation]:
    """Check the other resources; a node that was over its limit before must not get worse."""
    snapshot = request.snapshot
    found = []
    for resource in Resource:
        if resource is metrics.balanced(request):
            continue
        limit = float(request.limits_pct[resource])
        before = metrics.node_usage(snapshot, snapshot.allocation, resource)
        after = metrics.node_usage(snapshot, plan.target, resource)
        for node in np.flatnonzero(after > np.maximum(limit, before) + ROUNDING):
            name = resource.name.lower()
            found.append(Violation("resource-limit", f"{name} of node {node}: {after[node]:.3g} %"))
    return found


def _worse_than_nothing(plan: Plan, request: PlanRequest) -> list[Violation]:
    """Check that what should fall rises only for something that was asked for.

    Draining and pinned bundles are asked for. So is collocation, up to the request's maximum load
    distance.
    """
    snapshot = request.snapshot
    before, after = snapshot.allocation, plan.target
    if request.objective is Objective.MAKESPAN:
        was, now = metrics.makespan(snapshot, before), metrics.makespan(snapshot, after)
    else:
        was, now = (metrics.distance_asked(request, each) for each in (before, after))
    leaves_draining = snapshot.cluster.draining()[before.owner] & (after.owner != before.owner)
    pinned = request.bundles is not None and bool(request.bundles.pinned)
    if now <= was + ROUNDING or leaves_draining.any() or pinned:
        return []
    gained = metrics.collocation_factor(snapshot.traffic, after) > metrics.collocation_factor(
        snapshot.traffic, before
    )
    within = metrics.distance_asked(request, after) <= request.max_load_distance_pct + ROUNDING
    if gained and within:
        return []
    return [Violation("not-worse", f"{request.objective} rises from {was:.4g} to {now:.4g}")]
