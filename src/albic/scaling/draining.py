"""Which nodes to empty: the ones that cost least and whose leaving hurts least."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from albic.arrays import Floats, Ints
from albic.model import (
    Budget,
    NodeState,
    Plan,
    PlanRequest,
    ScalingRequest,
    Snapshot,
    metrics,
)
from albic.scaling.demand import Policy


class Planner(Protocol):
    """Answers a request with a plan."""

    def plan(self, request: PlanRequest) -> Plan:
        """Return the plan."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A set of nodes to empty, and how the rest would do without them."""

    nodes: tuple[int, ...]
    cost: float
    distance_pct: float
    collocation: float
    bearable: bool


def cheapest(
    request: ScalingRequest, count: int, policy: Policy, planner: Planner
) -> tuple[Trial | None, str]:
    """Return the best set of ``count`` nodes to empty, or why none may be.

    The rest must be balanced within the maximum load distance and bear the work: the paper's gate.
    """
    trials = [_tried(request, nodes, policy, planner) for nodes in _candidates(request, count)]
    allowed_pct = request.asked.max_load_distance_pct
    fit = [each for each in trials if each.bearable and each.distance_pct <= allowed_pct]
    if fit:
        # Cheap first; among about equally cheap ones, what keeps most traffic local.
        least = min(each.cost for each in fit)
        close = [each for each in fit if each.cost <= 1.1 * least]
        return max(close, key=lambda each: (each.collocation, -each.cost)), ""
    best = min(trials, key=lambda each: (not each.bearable, each.distance_pct))
    if not best.bearable:
        return None, f"the rest could not do the work without {count} of the nodes"
    return None, (
        f"without {count} of the nodes the rest would be {best.distance_pct:.1f} points out of "
        f"balance, {allowed_pct:g} are allowed"
    )


def _candidates(request: ScalingRequest, count: int) -> Iterator[tuple[int, ...]]:
    """Yield sets of nodes that are easy to do without, each by another measure."""
    snapshot = request.snapshot
    stays: Ints = np.flatnonzero(~snapshot.cluster.draining())
    seen = set()
    for measure in (_emptying_cost(request), _local_traffic(snapshot), _loads(snapshot)):
        # A stable sort: of equals, the youngest goes, for it is likely to be the coldest.
        order = stays[::-1][np.argsort(measure[stays[::-1]], kind="stable")]
        nodes = tuple(sorted(int(position) for position in order[:count]))
        if nodes not in seen:
            seen.add(nodes)
            yield nodes


def _emptying_cost(request: ScalingRequest) -> Floats:
    """Return what moving everything away from each node costs, in units of the budget."""
    snapshot = request.snapshot
    cost: Floats = np.bincount(
        snapshot.allocation.owner,
        weights=request.asked.charge(),
        minlength=len(snapshot.cluster.nodes),
    ).astype(np.float64)
    return cost


def _local_traffic(snapshot: Snapshot) -> Floats:
    """Return the bytes per second that stay on each node."""
    pairs, owner = snapshot.traffic.tocoo(), snapshot.allocation.owner
    local = owner[pairs.row] == owner[pairs.col]
    nodes = len(snapshot.cluster.nodes)
    bytes_per_s: Floats = np.bincount(
        owner[pairs.row[local]], weights=pairs.data[local], minlength=nodes
    ).astype(np.float64)
    return bytes_per_s


def _loads(snapshot: Snapshot) -> Floats:
    """Return the load of each node."""
    return metrics.node_loads(snapshot, snapshot.allocation)


def _tried(
    request: ScalingRequest, nodes: tuple[int, ...], policy: Policy, planner: Planner
) -> Trial:
    """Return how the rest would do without ``nodes``, once everything has moved."""
    snapshot = request.snapshot
    cluster = replace(
        snapshot.cluster,
        nodes=tuple(
            replace(node, state=NodeState.DRAINING) if position in nodes else node
            for position, node in enumerate(snapshot.cluster.nodes)
        ),
    )
    without = replace(snapshot, cluster=cluster)
    asked = replace(request.asked, snapshot=without, budget=Budget(np.inf), drain_weight=1.5)
    target = planner.plan(asked).target
    return Trial(
        nodes=nodes,
        cost=float(_emptying_cost(request)[list(nodes)].sum()),
        distance_pct=metrics.load_distance(without, target),
        collocation=metrics.collocation_factor(snapshot.traffic, target),
        bearable=policy.bears(without, target, request),
    )
