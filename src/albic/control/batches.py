"""What one batch did, for people who compare runs; the loop itself needs none of it."""

from collections import defaultdict
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StageTime:
    """How long one stage of a batch took.

    ``stage`` is the position of a stateful stage; ``BEFORE`` and ``AFTER`` are the stages without
    state that came before all of these and after them, taken together. ``wait_s`` is how long the
    node that waited longest waited for rows from other nodes.
    """

    stage: int
    wall_s: float
    wait_s: float


#: The stages that read the sources, and those that hand results over.
BEFORE, AFTER = -1, 1_000_000


@dataclass(frozen=True, slots=True)
class BatchRecord:
    """One batch of a job as it ran.

    ``batch_s`` is the whole batch, ``stage_s`` the part of it in which stateful stages ran.
    ``busy_s``, ``node`` and ``loaded`` have one entry for each key group: how long it worked,
    where, and whether it had to be loaded there first. ``rows`` came from the sources.
    ``local_bytes`` and ``remote_bytes`` are what key groups read from others on the same node and
    elsewhere. ``stages`` are in the order in which they ran.
    """

    batch: int
    ended_s: float
    batch_s: float
    stage_s: float
    busy_s: tuple[float, ...]
    node: tuple[str, ...]
    loaded: tuple[bool, ...]
    rows: int = 0
    local_bytes: int = 0
    remote_bytes: int = 0
    stages: tuple[StageTime, ...] = ()

    @property
    def moved(self) -> int:
        """Return how many key groups ran elsewhere than before."""
        return sum(self.loaded)

    @property
    def collocation(self) -> float | None:
        """Return the share of bytes between key groups that stayed on a node; None without any."""
        read_bytes = self.local_bytes + self.remote_bytes
        return self.local_bytes / read_bytes if read_bytes else None

    def node_busy_s(self) -> dict[str, float]:
        """Return how long each node that had a key group worked for them."""
        busy: defaultdict[str, float] = defaultdict(float)
        for node, spent_s in zip(self.node, self.busy_s, strict=True):
            busy[node] += spent_s
        return dict(sorted(busy.items()))

    def distance_pct(self, nodes: int) -> float:
        """Return the paper's load distance of this batch: points of batch time off the mean."""
        busy = [*self.node_busy_s().values()]
        busy += [0.0] * (nodes - len(busy))
        mean_s = sum(busy) / len(busy)
        return 100 * max(abs(spent_s - mean_s) for spent_s in busy) / self.batch_s


def bound_s(busy_s: tuple[float, ...], nodes: float) -> float:
    """Return a time below which no placement of these key groups gets: even, or the largest one.

    A node of half the speed is half a node.
    """
    return max(sum(busy_s) / nodes, max(busy_s, default=0.0))
