"""Ten of sixty nodes are emptied, in one plan with balancing or before it."""

from dataclasses import dataclass, replace

import numpy as np

from albic.arrays import Floats
from albic.experiments.rows import Row
from albic.experiments.runs.methods import answered
from albic.model import (
    Allocation,
    Budget,
    Cluster,
    NodeState,
    PlanRequest,
    Resource,
    Snapshot,
    metrics,
)
from albic.sim.workload import synthetic

#: First empty the marked nodes evenly onto the others, then balance: not integrated.
SEPARATE = "first scale in, then balance"
OVERLOADED_PCT = 100.0


@dataclass(frozen=True, slots=True)
class ScaleInPoint:
    """A cluster with marked and overloaded nodes, and who empties it.

    ``drain_weight`` below 1 lets urgent overload go before draining.
    """

    nodes: int
    key_groups: int
    operators: int
    marked: int
    overloaded: int
    moves: int
    rounds: int
    label: str
    method: str
    drain_weight: float
    time_limit_s: float
    seed: int

    @property
    def name(self) -> str:
        """Return what tells this point from the others."""
        return f"{self.overloaded} overloaded, {self.label}, seed {self.seed}"


def scale_in(point: ScaleInPoint) -> list[Row]:
    """Return the load distance, and what is left on marked nodes, after every round."""
    snapshot = marked_cluster(point)
    rows = [_row(point, 0, snapshot, moved=0, findings=0)]
    for number in range(1, point.rounds + 1):
        if point.label == SEPARATE and metrics.draining_load(snapshot, snapshot.allocation) > 0:
            target = evenly_emptied(snapshot, point.moves)
            findings = 0
        else:
            request = PlanRequest(
                snapshot,
                Budget(point.moves),
                drain_weight=point.drain_weight,
                time_limit_s=point.time_limit_s,
                seed=point.seed,
            )
            answer = answered(point.method, request)
            target, findings = answer.plan.target, answer.findings
        moved = int(target.moved_from(snapshot.allocation).size)
        snapshot = replace(snapshot, allocation=target)
        rows.append(_row(point, number, snapshot, moved=moved, findings=findings))
    return rows


def marked_cluster(point: ScaleInPoint) -> Snapshot:
    """Return the cluster: the last nodes marked, the first ones raised to a load of 100 %."""
    snapshot = synthetic(point.nodes, point.key_groups, point.operators, 0.0, 0.0, point.seed)
    loads = metrics.node_loads(snapshot, snapshot.allocation)
    factor = np.ones(point.nodes)
    factor[: point.overloaded] = OVERLOADED_PCT / loads[: point.overloaded]
    usage: Floats = snapshot.usage.copy()
    usage[Resource.CPU] *= factor[snapshot.allocation.owner]
    nodes = list(snapshot.cluster.nodes)
    for position in range(point.nodes - point.marked, point.nodes):
        nodes[position] = replace(nodes[position], state=NodeState.DRAINING)
    return replace(snapshot, usage=usage, cluster=Cluster(tuple(nodes)))


def evenly_emptied(snapshot: Snapshot, moves: int) -> Allocation:
    """Return the next step of a scale-in of its own: as many key groups as may move leave.

    They go to the staying nodes in turn, to those with the fewest key groups first, so that each
    gets as many. Loads are not looked at: balancing is another process's duty.
    """
    draining = snapshot.cluster.draining()
    owner = snapshot.allocation.owner.copy()
    staying = np.flatnonzero(~draining)
    held = np.bincount(owner, minlength=draining.size)[staying]
    for group in np.flatnonzero(draining[owner])[:moves]:
        receiver = int(held.argmin())
        owner[group] = staying[receiver]
        held[receiver] += 1
    return Allocation(owner)


def _row(point: ScaleInPoint, number: int, snapshot: Snapshot, *, moved: int, findings: int) -> Row:
    """Return what one round left."""
    owner = snapshot.allocation.owner
    return {
        "label": point.label,
        "overloaded": point.overloaded,
        "seed": point.seed,
        "round": number,
        "distance": metrics.load_distance(snapshot, snapshot.allocation),
        "left": int(snapshot.cluster.draining()[owner].sum()),
        "moved": moved,
        "findings": findings,
    }
