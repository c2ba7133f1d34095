"""What a policy says before limits and gates: so many nodes would be right, and why."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from albic.model import Allocation, ScalingRequest, Snapshot, metrics

#: What is left for work at the least, however long planning and commits take.
LEAST_FREE = 0.1


@dataclass(frozen=True, slots=True)
class Demand:
    """The number of nodes that a policy wants.

    ``overloaded`` says that the nodes there are cannot do the work, even as the tentative plan
    would spread it: the paper's condition for scaling out.
    """

    nodes: int
    reason: str
    overloaded: bool = False


class Policy(Protocol):
    """Says how many nodes a job needs."""

    def demand(self, request: ScalingRequest) -> Demand:
        """Return the number of nodes and the reason."""
        ...

    def bears(self, snapshot: Snapshot, allocation: Allocation, request: ScalingRequest) -> bool:
        """Return whether the staying nodes can do the work if it is spread like that."""
        ...


def staying(snapshot: Snapshot) -> int:
    """Return how many nodes are not on their way out."""
    return int(np.count_nonzero(~snapshot.cluster.draining()))


def total_load_pct(snapshot: Snapshot) -> float:
    """Return all work of key groups and the background of staying nodes, in reference nodes."""
    stays = ~snapshot.cluster.draining()
    background = snapshot.background[stays] @ snapshot.cluster.capacities()[stays]
    return float(metrics.group_loads(snapshot).sum() + background)


def mean_capacity(snapshot: Snapshot) -> float:
    """Return what a staying node can do on average; a new one is taken to be like that."""
    return float(snapshot.cluster.capacities()[~snapshot.cluster.draining()].mean())


def peak_pct(snapshot: Snapshot, allocation: Allocation) -> float:
    """Return the load of the busiest staying node."""
    loads = metrics.node_loads(snapshot, allocation)[~snapshot.cluster.draining()]
    return float(loads.max())


def pressure(request: ScalingRequest) -> float:
    """Return by what loads are multiplied to be those of a node that is late at 100 %.

    Two things make a job late before its nodes were busy all the time. While a batch is planned
    and committed no node can work, and of a trigger interval only the rest is left. And a load
    that rises is higher now than in the mean of the period.
    """
    kept = request.throughput
    if kept.interval_s is None:
        return kept.growth
    return kept.growth / max(1 - kept.beside_s / kept.interval_s, LEAST_FREE)
