"""A job of batches whose hot key groups change, as arrays: what Spark does, without Spark."""

from dataclasses import dataclass, field

import numpy as np

from albic.control.estimator import estimate
from albic.control.invariants import Ground
from albic.control.ports import Effect, News
from albic.control.samples import GroupSample, NodeSample, Observation, RawBatch
from albic.control.urgency import avoidable_share
from albic.model import NotReady, Operator, Throughput, Topology


@dataclass
class DriftingWorld:
    """Runs a batch for every look; moves take effect from the next batch on, some a batch.

    ``cost`` is, phase by phase, how long each key group works in a batch.
    """

    cost: np.ndarray
    phase: int
    nodes: int
    noise: float = 0.0
    load_s: float = 0.3
    per_batch: int = 4
    time_s: float = 0.0
    owner: list[int] = field(default_factory=list)
    history: list[tuple[float, float, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        groups = self.cost.shape[1]
        self.draw = np.random.default_rng(1)
        self.topology = Topology((Operator("count", groups),))
        self.owner = self.owner or [group % self.nodes for group in range(groups)]
        self.ran_on = list(self.owner)
        self.waiting: list[tuple[int, int]] = []
        self.period: list[RawBatch] = []
        self.earlier: list[RawBatch] = []

    def batch(self) -> RawBatch:
        truth = self.cost[(len(self.history) // self.phase) % len(self.cost)]
        busy = truth * self.draw.normal(1.0, self.noise, truth.size).clip(0.5, 2.0)
        loaded = np.array(self.owner) != np.array(self.ran_on)
        nodes = np.bincount(self.owner, busy + self.load_s * loaded, minlength=self.nodes)
        self.ran_on = list(self.owner)
        length_s = float(nodes.max())
        bound_s = max(busy.sum() / self.nodes, busy.max())
        self.history.append((length_s, float(bound_s), int(loaded.sum())))
        began_s, self.time_s = self.time_s, self.time_s + length_s + 0.5
        groups = tuple(
            GroupSample(at, str(self.owner[at]), busy[at] + self.load_s * loaded[at], loaded[at])
            for at in range(busy.size)
        )
        return RawBatch(began_s, began_s + length_s, groups, {})

    def observe(self) -> News:
        self.period.append(self.batch())
        self.release()
        meant = list(self.owner)
        for group, target in self.waiting:
            meant[group] = target
        last = self.seen(meant, self.period[-1:], (*self.earlier, *self.period))
        return News(batches=1, avoidable=avoidable_share(estimate(last)))

    def seen(self, owner, batches, earlier) -> Observation:
        return Observation(
            topology=self.topology,
            nodes=tuple(NodeSample(str(node)) for node in range(self.nodes)),
            owner=tuple(str(node) for node in owner),
            state_bytes=np.zeros(len(owner), dtype=np.int64),
            batches=tuple(batches),
            earlier=tuple(earlier),
        )

    def snapshot(self):
        if not self.period and not self.earlier:
            raise NotReady("no batch")
        return estimate(self.seen(self.owner, self.period, self.earlier))

    def throughput(self) -> Throughput:
        return Throughput()

    def new_period(self) -> None:
        self.earlier, self.period = (self.earlier + self.period)[-16:], []

    def apply(self, plan, snapshot) -> None:  # noqa: ARG002  the port's arguments
        self.waiting = [(move.key_group, move.target) for move in plan.moves]
        self.release()

    def release(self) -> None:
        due, self.waiting = self.waiting[: self.per_batch], self.waiting[self.per_batch :]
        for group, target in due:
            self.owner[group] = target

    def effect(self) -> Effect:
        return Effect()

    def ground(self) -> Ground:
        return Ground(
            0,
            tuple(str(node) for node in self.owner),
            frozenset(str(node) for node in range(self.nodes)),
            {group: str(target) for group, target in self.waiting},
        )

    def close(self) -> None:
        pass

    # The loop's clock

    def now_s(self) -> float:
        return self.time_s

    def sleep_until(self, moment_s: float) -> None:
        pass

    def wake(self) -> None:
        pass
