"""Planning in two steps for very large clusters: between racks, then within each.

An experiment, not one of the planners: what it brings, the experiment ``scale`` reports.
"""

import time
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import scipy.sparse as sp

from albic.arrays import Floats, Ints
from albic.model import (
    Allocation,
    Budget,
    Bundles,
    Cluster,
    Node,
    Operator,
    Outcome,
    Plan,
    PlanRequest,
    SearchReport,
    Snapshot,
    Topology,
    metrics,
    plan_for,
)
from albic.planners.search import SearchPlanner

#: Racks as even as this need nothing from each other, in points.
EVEN_PCT = 0.05
#: The part of the budget that may go from rack to rack, and of the time that planning it may take.
BETWEEN, BETWEEN_TIME = 0.5, 0.3


@dataclass(frozen=True, slots=True)
class RacksPlanner:
    """Evens out racks first, each as one large node, and then the nodes of every rack.

    Only key groups of nodes above the mean may leave their rack. Each arrives at the idlest node.
    Racks do not know each other, so their plans could be made on as many machines.
    """

    keeps_budget: ClassVar[bool] = True

    rack_nodes: int = 50

    def plan(self, request: PlanRequest) -> Plan:
        """Return the plan of both steps together."""
        began_s = time.perf_counter()
        nodes = len(request.snapshot.cluster.nodes)
        rack_of = np.arange(nodes) // self.rack_nodes
        snapshot = request.snapshot
        if rack_of[-1] > 0:
            snapshot = _between(request, rack_of)
        left = request.budget.limit - _moved(request.snapshot, snapshot)
        target = _within(replace(request, snapshot=snapshot, budget=Budget(left)), rack_of)
        report = SearchReport(
            "racks",
            Outcome.HEURISTIC,
            f"{rack_of[-1] + 1} racks of {self.rack_nodes} nodes, "
            f"{_moved(request.snapshot, snapshot)} moves between them",
            wall_s=time.perf_counter() - began_s,
        )
        return plan_for(request, target, report)


def _moved(before: Snapshot, after: Snapshot) -> int:
    """Return how many key groups changed their node."""
    return int(after.allocation.moved_from(before.allocation).size)


def _between(request: PlanRequest, rack_of: Ints) -> Snapshot:
    """Return the snapshot with as few key groups moved as make the racks even."""
    snapshot = request.snapshot
    racks = int(rack_of[-1]) + 1
    owner, loads = snapshot.allocation.owner, metrics.node_loads(snapshot, snapshot.allocation)
    rack = rack_of[owner]
    free = loads[owner] > metrics.mean_load(snapshot)
    # What may not leave is one immovable unit a rack, or the problem would be as large as before.
    unit_of = np.where(free, 0, rack)
    unit_of[free] = racks + np.arange(int(free.sum()))
    coarse = replace(
        request,
        snapshot=_reduced(snapshot, np.arange(owner.size), rack, _racks(snapshot, rack_of)),
        budget=Budget(BETWEEN * request.budget.limit),
        bundles=Bundles(unit_of, tuple((at, at) for at in range(racks))),
        target_distance_pct=EVEN_PCT,
        time_limit_s=BETWEEN_TIME * request.time_limit_s,
    )
    towards = SearchPlanner().plan(coarse).target.owner
    return replace(snapshot, allocation=_landed(snapshot, rack_of, towards))


def _racks(snapshot: Snapshot, rack_of: Ints) -> Cluster:
    """Return each rack as one node."""
    capacity = np.bincount(rack_of, weights=snapshot.cluster.capacities())
    return Cluster(tuple(Node(f"rack-{at}", float(size)) for at, size in enumerate(capacity)))


def _reduced(snapshot: Snapshot, groups: Ints, owner: Ints, cluster: Cluster) -> Snapshot:
    """Return some key groups on some nodes, without their traffic."""
    return replace(
        snapshot,
        topology=Topology((Operator("all", groups.size),), ()),
        cluster=cluster,
        allocation=Allocation(owner),
        usage=snapshot.usage[:, groups],
        state_bytes=snapshot.state_bytes[groups],
        traffic=sp.csr_array((groups.size, groups.size), dtype=np.float64),
        background=np.zeros(len(cluster.nodes)),
    )


def _landed(snapshot: Snapshot, rack_of: Ints, towards: Ints) -> Allocation:
    """Return the allocation in which each key group that changes its rack is on an idle node."""
    owner: Ints = snapshot.allocation.owner.copy()
    weight = metrics.group_loads(snapshot)
    loads: Floats = metrics.node_loads(snapshot, snapshot.allocation).copy()
    for group in np.flatnonzero(towards != rack_of[owner]).tolist():
        mine = np.flatnonzero(rack_of == towards[group])
        receiver = int(mine[loads[mine].argmin()])
        loads[owner[group]] -= weight[group]
        loads[receiver] += weight[group]
        owner[group] = receiver
    return Allocation(owner)


def _within(request: PlanRequest, rack_of: Ints) -> Allocation:
    """Return the allocation with every rack evened out for itself."""
    snapshot = request.snapshot
    owner: Ints = snapshot.allocation.owner.copy()
    order = np.argsort(rack_of[owner], kind="stable")
    ends = np.searchsorted(rack_of[owner][order], np.arange(rack_of[-1] + 2))
    moves = _shares(request, rack_of)
    limit_s = (1 - BETWEEN_TIME) * request.time_limit_s / moves.size
    for rack, most in enumerate(moves.tolist()):
        groups = np.sort(order[ends[rack] : ends[rack + 1]])
        nodes = np.flatnonzero(rack_of == rack)
        cluster = Cluster(tuple(snapshot.cluster.nodes[at] for at in nodes))
        asked = replace(
            request,
            snapshot=_reduced(snapshot, groups, owner[groups] - nodes[0], cluster),
            budget=Budget(most),
            time_limit_s=limit_s,
        )
        owner[groups] = nodes[SearchPlanner().plan(asked).target.owner]
    return Allocation(owner)


def _shares(request: PlanRequest, rack_of: Ints) -> Ints:
    """Return each rack's part of the budget: what its nodes need to come within one distance."""
    snapshot = request.snapshot
    loads = metrics.node_loads(snapshot, snapshot.allocation)
    gaps = np.abs(loads - metrics.mean_load(snapshot))
    group = metrics.group_loads(snapshot).mean()
    low, high = 0.0, float(gaps.max())
    for _ in range(30):
        level = (low + high) / 2
        need = np.ceil(np.maximum(gaps - level, 0) / group)
        low, high = (level, high) if need.sum() / 2 > request.budget.limit else (low, level)
    by_rack = np.bincount(rack_of, weights=np.ceil(np.maximum(gaps - high, 0) / group) / 2)
    spare = request.budget.limit - by_rack.sum()
    shares: Ints = np.floor(by_rack + max(spare, 0) / by_rack.size).astype(np.int64)
    return shares
