"""What the loop needs of the world; Spark, the simulator and the tests answer it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from albic.advice import TaskCost
from albic.control.invariants import Ground
from albic.control.journal import RoundRecord
from albic.control.move_costs import MeasuredMove
from albic.model import (
    Plan,
    PlanRequest,
    ScalingDecision,
    ScalingRequest,
    Snapshot,
    Throughput,
)


@dataclass(frozen=True, slots=True)
class News:
    """What happened since the last look.

    ``lost`` are nodes that went without notice; ``over`` says that nothing is left to steer.
    ``avoidable`` is the share of the last batch that no placement could need, None without one.
    ``quiet_s`` is how long it does no harm not to look for an ended batch.
    ``pace`` is the share of its trigger interval that the last batch took, None without either.
    Nodes have ``joined`` once they may be given state. ``batch_s`` is how long the last batch took,
    ``moved`` the part of its work that lies on other key groups than in the last snapshot; None
    where nobody knows, or no batch has ended.
    """

    batches: int = 0
    joined: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    over: bool = False
    avoidable: float | None = None
    quiet_s: float = 0.0
    pace: float | None = None
    batch_s: float | None = None
    moved: float | None = None


@dataclass(frozen=True, slots=True)
class Effect:
    """What the batches since the last question showed.

    ``read`` is how many of them were read whole; what follows is about these.
    ``judged`` counts tasks whose owner was known when they were placed, ``compliant`` those of
    them that ran there. ``cpu_s`` and ``rows`` are sums over the tasks of key groups.
    ``local_bytes`` and ``remote_bytes`` are what key groups read from key groups, on the same node
    and on others. ``moves`` are the migrations that took place, and ``notes`` say what became of
    others. ``busy_s`` is how long tasks of key groups ran, ``wait_s`` the part of it in which they
    stood still for rows of other nodes, and ``task_costs`` is what a task of each stage takes. What
    a world does not measure stays at its default.
    """

    batches: int = 0
    batch_s: float | None = None
    read: int = 0
    judged: int = 0
    compliant: int = 0
    cpu_s: float = 0.0
    rows: int = 0
    local_bytes: int = 0
    remote_bytes: int = 0
    moves: tuple[MeasuredMove, ...] = ()
    notes: tuple[str, ...] = ()
    busy_s: float = 0.0
    wait_s: float = 0.0
    task_costs: tuple[TaskCost, ...] = ()


class StatisticsSource(Protocol):
    """Measures the job."""

    def observe(self) -> News:
        """Take in what happened; cheap, and called many times a period."""
        ...

    def snapshot(self) -> Snapshot:
        """Return the measurements of the period so far, or raise NotReady."""
        ...

    def throughput(self) -> Throughput:
        """Return how the job kept up in the period so far."""
        ...

    def new_period(self) -> None:
        """Begin another period."""
        ...


class Placement(Protocol):
    """Moves key groups."""

    def apply(self, plan: Plan, snapshot: Snapshot) -> None:
        """Carry out a plan made for ``snapshot``, or raise PlanRejected if it is out of date."""
        ...

    def effect(self) -> Effect:
        """Return what batches showed since the last question."""
        ...

    def drop(self) -> int:
        """Leave out the moves of the last plan that were not made yet; return how many."""
        ...

    def ground(self) -> Ground:
        """Return how things stand now; cheap, for it is asked after every batch."""
        ...

    def close(self) -> None:
        """Leave the job as it would be without us; it can still be measured."""
        ...


@dataclass(frozen=True, slots=True)
class Fleet:
    """Nodes that were asked for and are still to come, and what went wrong with others."""

    coming: int = 0
    notes: tuple[str, ...] = ()


class Elasticity(Protocol):
    """Adds and removes nodes."""

    def grow(self, count: int) -> None:
        """Ask for more nodes, and return at once; they are news when they are there."""
        ...

    def release(self, node_ids: Sequence[str]) -> tuple[str, ...]:
        """Let nodes go that own nothing any more; return those that did go."""
        ...

    def fleet(self) -> Fleet:
        """Return what is still to come; take back what is overdue, and say so once."""
        ...


class Clock(Protocol):
    """Where the loop gets its time from."""

    def now_s(self) -> float:
        """Return the time."""
        ...

    def sleep_until(self, moment_s: float) -> None:
        """Return at that time, or when woken."""
        ...

    def wake(self) -> None:
        """End all sleep, for good."""
        ...


class Journal(Protocol):
    """Keeps what was done and why."""

    def add(self, record: RoundRecord) -> None:
        """Write one record."""
        ...

    def records(self) -> Sequence[RoundRecord]:
        """Return all records, oldest first."""
        ...


class Planner(Protocol):
    """Answers a request with a plan."""

    def plan(self, request: PlanRequest) -> Plan:
        """Return the plan."""
        ...


class ScalingPolicy(Protocol):
    """Says how many nodes there should be."""

    def decide(self, request: ScalingRequest) -> ScalingDecision:
        """Return the decision, given what the planner would do with the nodes there are."""
        ...


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that the loop is put together from.

    ``spark`` are settings of the world around the job, by name, for those who advise.
    ``budget_changed`` hears of every other number of moves a period.
    """

    statistics: StatisticsSource
    placement: Placement
    elasticity: Elasticity
    planner: Planner
    scaling: ScalingPolicy
    clock: Clock
    journal: Journal
    spark: Mapping[str, str] = field(default_factory=dict)
    budget_changed: Callable[[int], None] = lambda _: None
