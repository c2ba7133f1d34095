"""What advice is made from: the newest measurements, and what is known of the surroundings."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from albic.advice.finding import PERCENT, SECONDS
from albic.arrays import Ints
from albic.model import Resource, Snapshot, metrics


@dataclass(frozen=True, slots=True)
class TaskCost:
    """What one task of a stage takes, and the part of it that no row causes."""

    stage: int
    task_s: float
    fixed_s: float


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """All that the rules may look at.

    ``batch_s``, ``beside_s``, ``interval_s`` and ``arrived_share`` are as in Throughput.
    ``busy_s`` is how long tasks of key groups ran of late, ``wait_s`` how long of that they stood
    still for rows from other nodes; ``judged`` and ``compliant`` count tasks as in the journal.
    ``wandering`` is the share of key groups that change their node from round to round though
    nobody moves them.
    ``impatience`` has what a wait of 0 s would have come to, as a multiple of what each of the
    last plans promised. ``settings`` are those of Spark, as far as they are known.
    """

    snapshot: Snapshot
    batch_s: float | None = None
    beside_s: float = 0.0
    interval_s: float | None = None
    arrived_share: float = 1.0
    busy_s: float = 0.0
    wait_s: float = 0.0
    judged: int = 0
    compliant: int = 0
    wandering: float = 0.0
    impatience: tuple[float, ...] = ()
    task_costs: tuple[TaskCost, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def makespan(self) -> float:
        """Return what a batch waits for now, in points of load."""
        return metrics.makespan(self.snapshot, self.snapshot.allocation)

    @property
    def point_s(self) -> float | None:
        """Return how long a point of makespan lasts in a batch; None where nobody measured it."""
        return metrics.seconds_per_point(self.snapshot, self.batch_s, self.beside_s)

    @property
    def slots(self) -> int:
        """Return how many tasks run at once on the nodes that stay."""
        nodes = zip(self.snapshot.cluster.nodes, self.snapshot.cluster.draining(), strict=True)
        return sum(node.slots for node, gone in nodes if not gone)

    def of_batch(self, points: float) -> tuple[float, str]:
        """Return points of makespan in seconds of a batch, or in percent where none was timed."""
        point_s = self.point_s
        if point_s is not None:
            return float(points * point_s), SECONDS
        return (float(100 * points / self.makespan) if self.makespan > 0 else 0.0), PERCENT

    def groups(self, stage: int) -> Ints:
        """Return the key groups of a stage, the heaviest first."""
        found = np.flatnonzero(self.snapshot.topology.stage_of() == stage)
        order: Ints = found[np.argsort(-self.snapshot.usage[Resource.CPU][found], kind="stable")]
        return order

    def stage_name(self, stage: int) -> str:
        """Return the operators of a stage."""
        topology = self.snapshot.topology
        stages = topology.stages or range(len(topology.operators))
        pairs = zip(topology.operators, stages, strict=True)
        return " + ".join(operator.name for operator, its in pairs if its == stage)

    def key_group(self, number: int) -> tuple[str, int]:
        """Return the operator of a key group, and its number in there."""
        topology = self.snapshot.topology
        operator = int(topology.operator_of()[number])
        return topology.operators[operator].name, number - int(topology.offsets()[operator])
