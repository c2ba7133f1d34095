"""Who carries what: a snapshot as bars of executors, and as traffic between operators."""

from dataclasses import dataclass

import numpy as np

from albic.arrays import Floats, Ints
from albic.model import NodeState, Snapshot, metrics

#: Beyond so many, operators share the last colour, and edges are left out, least traffic first.
MOST_OPERATORS, MOST_EDGES = 12, 40
OTHERS = "others"


@dataclass(frozen=True, slots=True)
class Bar:
    """One executor; all in percent of what it can do.

    ``parts_pct`` has the load of each operator, ``background_pct`` what belongs to none.
    """

    id: str
    capacity: float
    draining: bool
    key_groups: int
    load_pct: float
    background_pct: float
    parts_pct: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Executors:
    """All executors in one period.

    ``mean_pct`` is what each would carry if all were equal. ``bound_pct`` is what the busiest
    carries in any placement: the mean, or the largest key group alone on the strongest executor.
    """

    at_s: float
    resource: str
    operators: tuple[str, ...]
    key_groups: int
    mean_pct: float
    bound_pct: float
    distance_pct: float
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """What one operator sends to another, and which part of it stays on its executor."""

    sender: str
    receiver: str
    bytes_per_s: float
    local_share: float


def executors_of(snapshot: Snapshot) -> Executors:
    """Return the bars of a snapshot."""
    owner, cluster = snapshot.allocation.owner, snapshot.cluster
    loads, capacities = metrics.group_loads(snapshot), cluster.capacities()
    names, place = _shown_operators(snapshot)
    cell = owner * len(names) + place[snapshot.topology.operator_of()]
    work = np.bincount(cell, weights=loads, minlength=len(cluster.nodes) * len(names))
    parts: Floats = work.reshape(len(cluster.nodes), len(names)) / capacities[:, None]
    owned = np.bincount(owner, minlength=len(cluster.nodes))
    totals = metrics.node_loads(snapshot, snapshot.allocation)
    mean_pct = metrics.mean_load(snapshot)
    largest_pct = float(loads.max() / capacities[~cluster.draining()].max())
    return Executors(
        at_s=snapshot.period.end_s,
        resource=metrics.bottleneck(snapshot).name.lower(),
        operators=names,
        key_groups=snapshot.topology.key_groups,
        mean_pct=mean_pct,
        bound_pct=max(mean_pct, largest_pct),
        distance_pct=metrics.load_distance(snapshot, snapshot.allocation),
        bars=tuple(
            Bar(
                id=node.id,
                capacity=node.capacity,
                draining=node.state is NodeState.DRAINING,
                key_groups=int(owned[at]),
                load_pct=float(totals[at]),
                background_pct=float(snapshot.background[at]),
                parts_pct=tuple(parts[at].tolist()),
            )
            for at, node in enumerate(cluster.nodes)
        ),
    )


def traffic_of(snapshot: Snapshot) -> tuple[Edge, ...]:
    """Return the traffic between operators, most of it first."""
    if not snapshot.traffic.nnz:
        return ()
    pairs, owner = snapshot.traffic.tocoo(), snapshot.allocation.owner
    operators, of = snapshot.topology.operators, snapshot.topology.operator_of()
    cell = of[pairs.row] * len(operators) + of[pairs.col]
    size = len(operators) ** 2
    every = np.bincount(cell, weights=pairs.data, minlength=size)
    stays = np.where(owner[pairs.row] == owner[pairs.col], pairs.data, 0.0)
    local = np.bincount(cell, weights=stays, minlength=size)
    first = [int(at) for at in np.argsort(-every, kind="stable")[:MOST_EDGES] if every[at] > 0]
    return tuple(
        Edge(
            operators[at // len(operators)].name,
            operators[at % len(operators)].name,
            float(every[at]),
            float(local[at] / every[at]),
        )
        for at in first
    )


def _shown_operators(snapshot: Snapshot) -> tuple[tuple[str, ...], Ints]:
    """Return the names of the parts of a bar, and the part of each operator."""
    names = [operator.name for operator in snapshot.topology.operators]
    if len(names) <= MOST_OPERATORS:
        return tuple(names), np.arange(len(names))
    shown = [*names[: MOST_OPERATORS - 1], OTHERS]
    return tuple(shown), np.minimum(np.arange(len(names)), MOST_OPERATORS - 1)
