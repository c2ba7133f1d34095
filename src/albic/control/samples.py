"""What an adapter saw, before anything is made of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from albic.arrays import Floats, Ints, sealed
from albic.model import Topology


@dataclass(frozen=True, slots=True)
class NodeSample:
    """One node; ``slots`` is how many tasks it runs at once, ``lost`` that it is there no more.

    ``speed`` is how fast a slot is beside the usual one, as far as moves have shown it.
    ``memory_bytes`` is the memory that holds state, or None where state is not held in memory.
    """

    id: str
    slots: int = 1
    lost: bool = False
    speed: float = 1.0
    memory_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class GroupSample:
    """What one key group did in one batch; ``loaded`` if state was loaded meanwhile.

    Its own, or that of others by its node: its time tells little about its work then.

    ``cpu_s`` is processor time as far as the engine counts it. ``rows``, ``local_bytes`` and
    ``remote_bytes`` are what it read, from its own node and from others.
    """

    key_group: int
    node_id: str
    busy_s: float
    loaded: bool = False
    cpu_s: float = 0.0
    rows: int = 0
    local_bytes: int = 0
    remote_bytes: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class StreamSample:
    """Bytes between two operators in one batch.

    Rows are senders, counted from the key group ``first_sender``; columns likewise.
    """

    first_sender: int
    first_receiver: int
    sent_bytes: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "sent_bytes", sealed(self.sent_bytes, np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class RawBatch:
    """One batch: its key groups, its streams, and what each node did for no key group.

    ``interval_s`` is how long after its start the next one may begin at the earliest. It stands for
    so many ``batches``: those after it that were like it are not measured, and ``ended_s`` is the
    end of the last of them.
    """

    started_s: float
    ended_s: float
    groups: tuple[GroupSample, ...]
    background_s: Mapping[str, float]
    traffic: tuple[StreamSample, ...] = ()
    interval_s: float = 0.0
    batches: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """All that a snapshot is made of.

    ``batches`` are those of the period, ``earlier`` some of those before it, oldest first.
    ``owner`` is the node that each key group belongs to, or None while nobody has seen it.
    ``chain_work`` has the shares of its work that the operators of a chain do, by the chain's name.
    """

    topology: Topology
    nodes: tuple[NodeSample, ...]
    owner: tuple[str | None, ...]
    state_bytes: Ints
    batches: tuple[RawBatch, ...]
    earlier: tuple[RawBatch, ...] = ()
    generation: int = 0
    chain_work: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
