"""One step of a simulated job, as pure functions over arrays."""

from dataclasses import dataclass

import numpy as np

from albic.arrays import Bools, Floats, Ints
from albic.sim.costs import CostModel
from albic.sim.demand import Demand


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """What a demand makes of each key group where it lies, in seconds a second.

    A second is one of the reference node. ``remote_bytes_per_s`` leave their node.
    """

    processing: Floats
    communication: Floats
    total_bytes_per_s: float
    remote_bytes_per_s: float

    def seconds(self) -> Floats:
        """Return all work of each key group, in seconds a second."""
        total: Floats = self.processing + self.communication
        return total

    @property
    def collocation(self) -> float:
        """Return the share of bytes that stay on their node; 0 where there is no traffic."""
        if self.total_bytes_per_s == 0:
            return 0.0
        return 1 - self.remote_bytes_per_s / self.total_bytes_per_s


def work_of(demand: Demand, owner: Ints, costs: CostModel) -> Work:
    """Return what ``demand`` costs with these owners; who is far from its neighbours pays more."""
    traffic, groups = demand.traffic, owner.size
    sender = np.repeat(np.arange(groups), np.diff(traffic.indptr))
    receiver = traffic.indices
    far = owner[sender] != owner[receiver]
    remote_bytes = np.where(far, traffic.data, 0.0)
    sent = np.bincount(sender, weights=remote_bytes, minlength=groups)
    received = np.bincount(receiver, weights=remote_bytes, minlength=groups)
    arriving = received + demand.source_bytes_per_s
    return Work(
        processing=costs.process_s_per_tuple * demand.effort * demand.tuples_per_s,
        communication=costs.serialise_s_per_byte * sent + costs.deserialise_s_per_byte * arriving,
        total_bytes_per_s=float(traffic.data.sum()),
        remote_bytes_per_s=float(remote_bytes.sum()),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Queue:
    """What waits: of each key group, and of the nodes for migrations under way.

    Parameters
    ----------
    backlog_s
        Work that arrived and is not done, of each key group; buffered while it migrates.
    pause_s
        How much longer each key group stands still.
    migration_s
        Work that each node still has to do for migrations.
    """

    backlog_s: Floats
    pause_s: Floats
    migration_s: Floats

    @classmethod
    def empty(cls, groups: int, nodes: int) -> "Queue":
        """Return a queue in which nothing waits."""
        return cls(np.zeros(groups), np.zeros(groups), np.zeros(nodes))


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What one step did: seconds of each key group and, for migrations, of each node.

    ``ran`` are the key groups that did not stand still all the time.
    """

    done_s: Floats
    migration_s: Floats
    paused_s: Floats
    ran: Bools


def advance(
    queue: Queue, work: Work, owner: Ints, capacity: Floats, step_s: float
) -> tuple[Queue, Step]:
    """Return what waits after a step of ``step_s`` seconds, and what was done in it.

    Migrations come first on a node; what is left of its time goes to its key groups, and if that
    is not enough, each of them gets the same share of what it needs. A key group that stands
    still, or whose node is lost, buffers what arrives and catches up later.
    """
    pending_s = queue.backlog_s + step_s * work.seconds()
    stands_still: Bools = (queue.pause_s >= step_s) | (capacity[owner] == 0)
    able_s = np.where(stands_still, 0.0, pending_s)
    room_s = capacity * step_s
    migrating_s = np.minimum(queue.migration_s, room_s)
    asked_s = np.bincount(owner, weights=able_s, minlength=capacity.size)
    share = np.ones(capacity.size)
    np.divide(room_s - migrating_s, asked_s, out=share, where=asked_s > 0)
    done_s = able_s * np.minimum(share, 1.0)[owner]
    after = Queue(
        backlog_s=pending_s - done_s,
        pause_s=np.maximum(queue.pause_s - step_s, 0.0),
        migration_s=queue.migration_s - migrating_s,
    )
    paused_s = np.minimum(queue.pause_s, step_s)
    return after, Step(done_s, migrating_s, paused_s, ~stands_still)


def migrate(
    queue: Queue, moved: Ints, ends: tuple[Ints, Ints], state_bytes: Ints, costs: CostModel
) -> Queue:
    """Return what waits after key groups ``moved`` between ``ends``, sources and targets.

    Each stands still for α·|σ|. Its source serialises the state and its target deserialises it.
    """
    sources, targets = ends
    nodes = queue.migration_s.size
    size = state_bytes[moved].astype(np.float64)
    pause_s = queue.pause_s.copy()
    pause_s[moved] += costs.pause_s_per_byte * size
    leaving_s = np.bincount(sources, costs.serialise_s_per_byte * size, minlength=nodes)
    arriving_s = np.bincount(targets, costs.deserialise_s_per_byte * size, minlength=nodes)
    return Queue(queue.backlog_s, pause_s, queue.migration_s + leaving_s + arriving_s)
