"""The paper's measures, each defined here and nowhere else.

The *mean* of the load distance is exact and weighted: all work, wherever it lies now, spread over
the capacity that stays. The paper rounds it up and averages percentages; both move the optimum
(a rounded mean calls a balanced cluster unbalanced, and an average of percentages depends on the
allocation when nodes differ), see ``docs/decisions/002-load-distance.md``.
"""

import numpy as np

from albic.arrays import Bools, Floats, Ints, Sparse
from albic.model.allocation import Allocation
from albic.model.plan import Move, Objective, PlanRequest
from albic.model.snapshot import Resource, Snapshot


def bottleneck(snapshot: Snapshot) -> Resource:
    """Return the resource with the greatest total usage; the first of equals."""
    return Resource(int(np.argmax(snapshot.usage.sum(axis=1))))


def balanced(request: PlanRequest) -> Resource:
    """Return the resource whose use a plan evens out; the others have limits only.

    A makespan is a time, so it is about processors; a distance is about the bottleneck.
    """
    if request.objective is Objective.MAKESPAN:
        return Resource.CPU
    return bottleneck(request.snapshot)


def group_loads(snapshot: Snapshot) -> Floats:
    """Return each key group's usage of the bottleneck resource; paper: gLoad_k."""
    loads: Floats = snapshot.usage[bottleneck(snapshot)]
    return loads


def node_usage(snapshot: Snapshot, allocation: Allocation, resource: Resource) -> Floats:
    """Return what the key groups use on each node, in percent of that node."""
    nodes = len(snapshot.cluster.nodes)
    work = np.bincount(allocation.owner, weights=snapshot.usage[resource], minlength=nodes)
    usage: Floats = work / snapshot.cluster.capacities()
    return usage


def node_loads(snapshot: Snapshot, allocation: Allocation) -> Floats:
    """Return each node's load, background included; paper: load_i."""
    loads: Floats = snapshot.background + node_usage(snapshot, allocation, bottleneck(snapshot))
    return loads


def mean_load(snapshot: Snapshot) -> float:
    """Return the load that every staying node would have if all were equal; paper: mean.

    Work on draining nodes counts, for it has to go somewhere; their background does not, for it
    ends with them.
    """
    stays = ~snapshot.cluster.draining()
    capacity = snapshot.cluster.capacities()[stays]
    work = group_loads(snapshot).sum() + snapshot.background[stays] @ capacity
    return float(work / capacity.sum())


def load_distance(snapshot: Snapshot, allocation: Allocation) -> float:
    """Return the largest gap between a staying node's load and the mean.

    Paper: max over A of |load_i - mean|.
    """
    stays = ~snapshot.cluster.draining()
    gaps = np.abs(node_loads(snapshot, allocation)[stays] - mean_load(snapshot))
    return float(gaps.max())


def left_idle(request: PlanRequest) -> Bools:
    """Return the nodes that carry little because people want it so.

    They stay, may receive nothing, and have less than the others would have if those were equal.
    Nothing makes them fuller, so they would hide how uneven the others are.
    """
    snapshot, receives = request.snapshot, request.may_receive()
    idle: Bools = np.zeros(receives.size, dtype=np.bool_)
    loads, stays = node_loads(snapshot, snapshot.allocation), ~snapshot.cluster.draining()
    while True:
        less = stays & ~receives & ~idle & (loads < _mean_beside(snapshot, idle))
        if not less.any():
            return idle
        idle |= less


def distance_asked(request: PlanRequest, allocation: Allocation) -> float:
    """Return the load distance among the nodes that a plan is to even out.

    It is :func:`load_distance` where all nodes may receive something.
    """
    idle, snapshot = left_idle(request), request.snapshot
    counted = ~(idle | snapshot.cluster.draining())
    gaps = np.abs(node_loads(snapshot, allocation)[counted] - _mean_beside(snapshot, idle))
    return float(gaps.max())


def _mean_beside(snapshot: Snapshot, idle: Bools) -> float:
    """Return the mean load of the nodes that stay, without those that are ``idle``."""
    counted = ~(idle | snapshot.cluster.draining())
    capacity = snapshot.cluster.capacities()[counted]
    work = group_loads(snapshot)[~idle[snapshot.allocation.owner]].sum()
    return float((work + snapshot.background[counted] @ capacity) / capacity.sum())


def load_index(mean_now_pct: float, mean_at_start_pct: float) -> float:
    """Return today's mean load as a share of the one right after start-up."""
    return mean_now_pct / mean_at_start_pct


def draining_load(snapshot: Snapshot, allocation: Allocation) -> float:
    """Return the load that still lies on draining nodes."""
    left = snapshot.cluster.draining()[allocation.owner]
    return float(group_loads(snapshot)[left].sum())


def collocation_factor(traffic: Sparse, allocation: Allocation) -> float:
    """Return local / (local + remote) bytes between key groups; 0 where there is no traffic."""
    total = float(traffic.sum())
    if total == 0:
        return 0.0
    pairs = traffic.tocoo()
    local = allocation.owner[pairs.row] == allocation.owner[pairs.col]
    return float(pairs.data[local].sum() / total)


def migration_cost(moves: tuple[Move, ...]) -> float:
    """Return the summed cost of all moves; paper: the left side of constraint (2)."""
    return sum(move.cost for move in moves)


def stage_loads(snapshot: Snapshot, allocation: Allocation) -> Floats:
    """Return the work of each node (column) in each stage (row).

    Work is time, so this is about processors, whatever the bottleneck is.
    """
    stages, nodes = snapshot.topology.stage_count, len(snapshot.cluster.nodes)
    cell: Ints = snapshot.topology.stage_of() * nodes + allocation.owner
    work = np.bincount(cell, weights=snapshot.usage[Resource.CPU], minlength=stages * nodes)
    loads: Floats = work.reshape(stages, nodes) / snapshot.cluster.capacities()
    return loads


def stage_shares(snapshot: Snapshot) -> Floats:
    """Return, for each stage, what every node that stays would have of it if all were equal."""
    work = np.bincount(
        snapshot.topology.stage_of(),
        weights=snapshot.usage[Resource.CPU],
        minlength=snapshot.topology.stage_count,
    )
    shares: Floats = work / snapshot.cluster.capacities()[~snapshot.cluster.draining()].sum()
    return shares


def stage_floors(snapshot: Snapshot) -> Floats:
    """Return, for each stage, what its largest key group takes on the best slot there is.

    A key group is one task and runs in one slot, so however many slots stand idle beside it, the
    stage lasts as long. Where nodes have one slot each, loads say the same and more.
    """
    floors = np.zeros(snapshot.topology.stage_count)
    np.maximum.at(floors, snapshot.topology.stage_of(), snapshot.usage[Resource.CPU])
    floors /= snapshot.cluster.slot_capacity()
    return floors


def makespan(snapshot: Snapshot, allocation: Allocation) -> float:
    """Return the sum over stages of the busiest node, or the largest key group, in that stage.

    Spark runs the stages of a batch one after the other, so this is what a batch waits for: a
    stage lasts max(work / slots, largest task). Background is left out: it belongs to no stage and
    no plan changes it.
    """
    busiest = stage_loads(snapshot, allocation).max(axis=1)
    return float(np.maximum(busiest, stage_floors(snapshot)).sum())


def seconds_per_point(snapshot: Snapshot, batch_s: float | None, beside_s: float) -> float | None:
    """Return how long a point of makespan lasts in a batch; None where nobody measured it.

    A batch takes ``batch_s``, of which ``beside_s`` pass beside all key groups.
    """
    points = makespan(snapshot, snapshot.allocation)
    if batch_s is None or points <= 0:
        return None
    return max(batch_s - beside_s, 0.0) / points
