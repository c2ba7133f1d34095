"""Nodes, what they can do, and which of them are being emptied."""

import math
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from albic.arrays import Bools, Floats, sealed
from albic.model.errors import InvalidInput


class NodeState(StrEnum):
    """Whether a node stays (paper: A) or is marked for removal (paper: B, kill_i = 1)."""

    ACTIVE = "active"
    DRAINING = "draining"


@dataclass(frozen=True, slots=True)
class Node:
    """One node; ``capacity`` is relative to the reference node.

    ``slots`` is how many tasks share that capacity: a task alone gets one part of it.
    """

    id: str
    capacity: float = 1.0
    state: NodeState = NodeState.ACTIVE
    slots: int = 1

    def __post_init__(self) -> None:
        if not (math.isfinite(self.capacity) and self.capacity > 0):
            raise InvalidInput(f"node {self.id!r} has capacity {self.capacity}; it must be above 0")
        if self.slots < 1:
            raise InvalidInput(f"node {self.id!r} has {self.slots} slots; it needs at least 1")


@dataclass(frozen=True, slots=True)
class Cluster:
    """The nodes of a job; everything else refers to them by position."""

    nodes: tuple[Node, ...]

    def __post_init__(self) -> None:
        if not self.nodes:
            raise InvalidInput("nodes is empty; a cluster has at least one node")
        seen: set[str] = set()
        for position, node in enumerate(self.nodes):
            if node.id in seen:
                raise InvalidInput(f"nodes[{position}]: the id {node.id!r} is used twice")
            seen.add(node.id)
        if all(node.state is NodeState.DRAINING for node in self.nodes):
            raise InvalidInput("every node is draining; at least one must stay active")

    def capacities(self) -> Floats:
        """Return each node's capacity."""
        return sealed([node.capacity for node in self.nodes], np.float64)

    def slot_capacity(self) -> float:
        """Return what the best slot of all gives to a task: no task runs faster anywhere."""
        return max(node.capacity / node.slots for node in self.nodes)

    def draining(self) -> Bools:
        """Return which nodes are being emptied."""
        return sealed([node.state is NodeState.DRAINING for node in self.nodes], np.bool_)
