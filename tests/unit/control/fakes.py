"""A world made of a few lines: small programs that answer the loop's ports."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from albic.control.invariants import Ground
from albic.control.journal import MemoryJournal
from albic.control.loop import Controller
from albic.control.ports import Effect, Fleet, News, Parts
from albic.control.settings import Settings
from albic.model import NodeState, NotReady, Plan, PlanRejected, Snapshot, Throughput
from albic.planners.flux import FluxPlanner
from albic.scaling import FixedSize
from tests.worlds import world


class ManualClock:
    """Time that passes only when somebody sleeps."""

    def __init__(self) -> None:
        self.time_s = 0.0

    def now_s(self) -> float:
        return self.time_s

    def sleep_until(self, moment_s: float) -> None:
        self.time_s = max(self.time_s, moment_s)

    def wake(self) -> None:
        pass


@dataclass
class World:
    """A job with the loads of a drawing; it obeys, and remembers what it was told."""

    drawing: str = "a: 30 20 10 | b:"
    present: Snapshot | None = None
    news: list[News] = field(default_factory=list)
    ready: bool = True
    effect_now: Effect = field(
        default_factory=lambda: Effect(batches=2, batch_s=0.5, judged=6, compliant=6)
    )
    plans: list[Plan] = field(default_factory=list)
    released: list[Sequence[str]] = field(default_factory=list)
    grown: list[int] = field(default_factory=list)
    fleets: list[Fleet] = field(default_factory=list)
    stubborn: set[str] = field(default_factory=set)
    kept: Throughput = Throughput(batch_s=0.5)  # noqa: RUF009  frozen
    periods: int = 0
    closed: int = 0
    to_come: int = 0

    def observe(self) -> News:
        return self.news.pop(0) if self.news else News(over=True)

    def snapshot(self) -> Snapshot:
        if not self.ready:
            raise NotReady("2 of 3 key groups are measured")
        self.present = self.present or world(self.drawing).snapshot
        return self.present

    def throughput(self) -> Throughput:
        return self.kept

    def new_period(self) -> None:
        self.periods += 1

    def apply(self, plan: Plan, snapshot: Snapshot) -> None:
        if self.present is None or snapshot.generation != self.present.generation:
            raise PlanRejected(["made for another snapshot"])
        self.plans.append(plan)
        self.present = replace(self.present, allocation=plan.target)

    def effect(self) -> Effect:
        return self.effect_now

    def drop(self) -> int:
        left, self.to_come = self.to_come, 0
        return left

    def ground(self) -> Ground:
        present = self.present or world(self.drawing).snapshot
        nodes = present.cluster.nodes
        return Ground(
            present.generation,
            tuple(nodes[at].id for at in present.allocation.owner.tolist()),
            frozenset(node.id for node in nodes if node.state is NodeState.ACTIVE),
        )

    def close(self) -> None:
        self.closed += 1

    def release(self, node_ids: Sequence[str]) -> tuple[str, ...]:
        self.released.append(node_ids)
        return tuple(node for node in node_ids if node not in self.stubborn)

    def grow(self, count: int) -> None:
        self.grown.append(count)

    def fleet(self) -> Fleet:
        return self.fleets.pop(0) if self.fleets else Fleet()


def controller(job: World, settings: Settings | None = None, **parts) -> Controller:
    """Return a controller of ``job``; ``parts`` replace the harmless ones."""
    given = {
        "statistics": job,
        "placement": job,
        "elasticity": job,
        "planner": FluxPlanner(),
        "scaling": FixedSize(),
        "clock": ManualClock(),
        "journal": MemoryJournal(),
        **parts,
    }
    return Controller(Parts(**given), settings or Settings())
