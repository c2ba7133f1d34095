"""The nodes of a simulated cluster, and what can happen to them."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from albic.arrays import Bools, Floats
from albic.model import Cluster, InvalidInput, Node, NodeState


@dataclass(frozen=True, slots=True)
class SimulatedNode:
    """One node.

    ``capacity`` is what it should do, relative to the reference node, ``speed`` the part of it
    that it does: below 1 it is degraded. A lost one does nothing, and is listed for as long as it
    owns key groups. To the job a draining one is like the others: only the controller knows that
    it shall go, and the mark is here for reports.
    """

    id: str
    capacity: float = 1.0
    speed: float = 1.0
    draining: bool = False
    lost: bool = False

    @property
    def true_capacity(self) -> float:
        """Return what the node does, relative to the reference node."""
        return 0.0 if self.lost else self.capacity * self.speed


@dataclass(frozen=True, slots=True)
class Nodes:
    """All nodes of a cluster, by position; every change is a new value."""

    listed: tuple[SimulatedNode, ...]
    named: int
    """How many ids were given out; none is used twice."""

    @classmethod
    def of(cls, cluster: Cluster) -> "Nodes":
        """Return the nodes of ``cluster``, all in full health."""
        listed = tuple(SimulatedNode(node.id, node.capacity) for node in cluster.nodes)
        return cls(listed, len(listed))

    def __len__(self) -> int:
        return len(self.listed)

    def true_capacities(self) -> Floats:
        """Return what each node does, relative to the reference node; 0 if it is lost."""
        return np.array([node.true_capacity for node in self.listed])

    def lost(self) -> Bools:
        """Return which nodes are lost."""
        return np.array([node.lost for node in self.listed])

    def staying(self) -> Bools:
        """Return which nodes are neither lost nor to be removed."""
        return np.array([not (node.lost or node.draining) for node in self.listed])

    def joined(self, count: int, capacity: float = 1.0) -> "Nodes":
        """Return the nodes with ``count`` new ones at the end."""
        taken = {node.id for node in self.listed}
        fresh: list[SimulatedNode] = []
        named = self.named
        while len(fresh) < count:
            name = f"node-{named:03d}"
            named += 1
            if name not in taken:
                fresh.append(SimulatedNode(name, capacity))
        return Nodes((*self.listed, *fresh), named)

    def drained(self, seen: Cluster) -> "Nodes":
        """Return the nodes with the marks of a controller, as ``seen`` has them."""
        going = {node.id for node in seen.nodes if node.state is NodeState.DRAINING}
        listed = tuple(replace(node, draining=node.id in going) for node in self.listed)
        return replace(self, listed=listed)

    def without(self, positions: Collection[int]) -> "Nodes":
        """Return the nodes that are not at ``positions``."""
        kept = tuple(node for at, node in enumerate(self.listed) if at not in positions)
        return replace(self, listed=kept)

    def failed(self, ids: Iterable[str]) -> "Nodes":
        """Return the nodes with ``ids`` lost."""
        return self._changed(ids, lambda node: replace(node, lost=True))

    def degraded(self, node_id: str, speed: float) -> "Nodes":
        """Return the nodes with one of them at a part of its speed."""
        return self._changed([node_id], lambda node: replace(node, speed=speed))

    def positions(self, ids: Sequence[str]) -> tuple[int, ...]:
        """Return where ``ids`` are; those that are not there are left out."""
        wanted = set(ids)
        return tuple(at for at, node in enumerate(self.listed) if node.id in wanted)

    def cluster(self, *, true: bool) -> Cluster:
        """Return the nodes as a controller sees them; with ``true``, it knows how fast they are.

        Those that are lost are there to be emptied, as on Spark.
        """
        return Cluster(
            tuple(
                Node(
                    node.id,
                    node.true_capacity if true and not node.lost else node.capacity,
                    NodeState.DRAINING if node.lost else NodeState.ACTIVE,
                )
                for node in self.listed
            )
        )

    def _changed(
        self, ids: Iterable[str], change: Callable[[SimulatedNode], SimulatedNode]
    ) -> "Nodes":
        """Return the nodes with a ``change`` to some; refuse ids that nobody has."""
        wanted = set(ids)
        if missing := wanted - {node.id for node in self.listed}:
            raise InvalidInput(f"there is no node {min(missing)!r} in the simulated cluster")
        listed = tuple(change(node) if node.id in wanted else node for node in self.listed)
        return replace(self, listed=listed)
