"""A job made of arrays that answers the loop's ports as Spark does."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from albic.arrays import Ints, sealed
from albic.control.invariants import Ground
from albic.control.ports import Effect, Fleet, News
from albic.model import InvalidInput, Plan, PlanRejected, Snapshot, Throughput
from albic.sim.clock import SimulatedClock
from albic.sim.costs import PAPER_COSTS, CostModel
from albic.sim.demand import Demand, Scene
from albic.sim.events import Degradation, Event, Join, Loss
from albic.sim.measuring import Eyesight, Measurements, Seen
from albic.sim.nodes import Nodes
from albic.sim.physics import Queue, advance, migrate, work_of
from albic.sim.report import Happened, PeriodReport, report
from albic.sim.surroundings import Surroundings


@dataclass(frozen=True, slots=True)
class World:
    """The laws and the luck of a simulation.

    ``step_s`` is the length of a step. A demand lasts for one step, and to the loop a step is a
    batch, so with a pace of one batch it is the paper's SPL; 300 s is the length in its example.
    """

    costs: CostModel = PAPER_COSTS
    step_s: float = 300.0
    events: tuple[Event, ...] = ()
    eyesight: Eyesight = field(default_factory=Eyesight)
    surroundings: Surroundings = field(default_factory=Surroundings)

    def __post_init__(self) -> None:
        if not (np.isfinite(self.step_s) and self.step_s > 0):
            raise InvalidInput(f"step_s is {self.step_s}; it must be above 0")


class SimulatedJob:
    """Answers StatisticsSource, Placement and Elasticity; its :attr:`clock` answers Clock.

    Time passes when the clock is moved; :meth:`observe` then runs the steps that are over.
    """

    def __init__(self, scene: Scene, world: World | None = None) -> None:
        self._world = world or World()
        self._topology = scene.workload.topology
        self._length = scene.workload.length
        self._source = scene.workload.begin()
        self._nodes = Nodes.of(scene.cluster)
        self._owner: Ints = sealed(scene.allocation.owner, np.int64)
        self._queue = Queue.empty(self._owner.size, len(self._nodes))
        self._around = self._world.surroundings
        self._measurements = Measurements(
            self._topology, self._world.eyesight, self._around.memory_pct
        )
        self._done_s = np.zeros(self._owner.size)
        self._demand: Demand | None = None
        self._coming_s: list[float] = []
        self._generation = 0
        self._moves = 0
        self._joined: list[str] = []
        self._lost: list[str] = []
        self._told = 0
        self._closed = False
        self.clock = SimulatedClock()
        self.history: list[PeriodReport] = []
        """The truth about every step so far."""

    @property
    def next_step_ends_s(self) -> float:
        """Return when the step under way will be over."""
        return (len(self.history) + 1) * self._world.step_s

    @property
    def settings(self) -> Mapping[str, str]:
        """Return the settings of the engine, by name."""
        return self._around.settings

    @property
    def over(self) -> bool:
        """Return whether the workload has come to its end."""
        return self._length is not None and len(self.history) >= self._length

    # Measuring

    def observe(self) -> News:
        """Run the steps that the clock has passed and return what they brought."""
        if self.over:
            return News(over=True)
        steps = self._catch_up()
        news = News(batches=steps, joined=tuple(self._joined), lost=tuple(self._lost))
        self._joined, self._lost = [], []
        return news

    def snapshot(self) -> Snapshot:
        """Return what was measured in this period; raise NotReady before its first step."""
        return self._measurements.snapshot(self._owner, self._nodes, self._generation)

    def throughput(self) -> Throughput:
        """Return how the job kept up in this period."""
        return self._measurements.throughput(self._world.step_s)

    def new_period(self) -> None:
        """Begin another period."""
        self._measurements.new_period()

    # Moving

    def apply(self, plan: Plan, snapshot: Snapshot) -> None:
        """Move key groups at once; each then stands still for as long as its state takes."""
        self._expect_current(plan)
        self._nodes = self._nodes.drained(snapshot.cluster)
        place = {node.id: at for at, node in enumerate(self._nodes.listed) if not node.lost}
        named = [snapshot.cluster.nodes[move.target].id for move in plan.moves]
        if missing := sorted(set(named) - set(place)):
            raise PlanRejected([f"node {missing[0]} is not there any more"])
        if self._demand is None or not plan.moves:
            return
        moved: Ints = np.array([move.key_group for move in plan.moves], dtype=np.int64)
        targets: Ints = np.array([place[node_id] for node_id in named], dtype=np.int64)
        ends = self._owner[moved], targets
        self._queue = migrate(self._queue, moved, ends, self._demand.state_bytes, self._world.costs)
        owner = self._owner.copy()
        owner[moved] = targets
        self._owner = sealed(owner, np.int64)
        self._moves += moved.size
        self._forget_the_lost()

    def effect(self) -> Effect:
        """Return what the steps since the last question took; every key group ran where it lay."""
        recent = self.history[self._told :]
        self._told = len(self.history)
        # Where the engine moves key groups by itself, nobody had named their owners.
        tasks = 0 if self._around.wandering_share else len(recent) * self._owner.size
        batch_s = sum(each.makespan_s for each in recent) / len(recent) if recent else None
        busy_s, wait_s = self._around.waited_s(recent)
        return Effect(
            batches=len(recent),
            batch_s=batch_s,
            judged=tasks,
            compliant=tasks,
            busy_s=busy_s,
            wait_s=wait_s,
            task_costs=self._around.task_costs(self._topology, self._done_s) if recent else (),
        )

    def drop(self) -> int:
        """Return that no move is left to come: all are made at once."""
        return 0

    def ground(self) -> Ground:
        """Return how things stand now."""
        listed = self._nodes.listed
        return Ground(
            self._generation,
            tuple(listed[at].id for at in self._owner.tolist()),
            frozenset(node.id for node in listed if not node.lost),
        )

    def close(self) -> None:
        """Take no more plans; the job goes on where it is."""
        self._closed = True

    # Nodes

    def grow(self, count: int) -> None:
        """Ask for more nodes; they join with the first step that ends after their start-up."""
        self._coming_s += [self.clock.now_s() + self._world.costs.start_up_s] * count

    def release(self, node_ids: Sequence[str]) -> tuple[str, ...]:
        """Let nodes go that own nothing any more and return them; the others stay."""
        owned = set(np.unique(self._owner).tolist())
        idle = [at for at in self._nodes.positions(node_ids) if at not in owned]
        gone = tuple(self._nodes.listed[at].id for at in idle)
        self._remove(idle)
        return gone

    def fleet(self) -> Fleet:
        """Return how many nodes are still to come."""
        return Fleet(coming=len(self._coming_s))

    def _expect_current(self, plan: Plan) -> None:
        """Refuse plans for a cluster that is no more, and all once the controller has left."""
        if self._closed:
            raise PlanRejected(["the controller has left this job"])
        if plan.generation != self._generation:
            raise PlanRejected(["nodes came or went while the plan was made"])

    def _catch_up(self) -> int:
        """Run all steps that are over by now and return how many."""
        before = len(self.history)
        while not self.over and self.next_step_ends_s <= self.clock.now_s() * (1 + 1e-12):
            self._step()
            self._happen(len(self.history) - 1)
        self._arrive()
        return len(self.history) - before

    def _step(self) -> None:
        """Run one step."""
        number, step_s = len(self.history), self._world.step_s
        self._demand = self._source.demand(number, self._owner)
        work = work_of(self._demand, self._owner, self._world.costs)
        capacity = self._nodes.true_capacities()
        self._queue, step = advance(self._queue, work, self._owner, capacity, step_s)
        truth = report(
            Happened(
                number=number,
                step_s=step_s,
                nodes=self._nodes,
                owner=self._owner,
                operator_of=self._topology.operator_of(),
                work=work,
                step=step,
                moves=self._moves,
                backlog_s=float(self._queue.backlog_s.sum()),
            )
        )
        self._measurements.add(
            Seen(step, self._demand, self._owner, self._nodes, step_s * work.seconds()), truth
        )
        self.history.append(truth)
        self._moves = 0
        self._done_s = step.done_s
        if self._around.wandering_share:
            self._owner = self._around.wandered(self._owner, len(self._nodes), number)

    def _happen(self, period: int) -> None:
        """Let come what the script has for the end of a period."""
        for event in self._world.events:
            if event.period != period:
                continue
            if isinstance(event, Join):
                self._welcome(1, event.capacity)
            elif not self._nodes.positions([event.node]):
                continue
            elif isinstance(event, Loss):
                self._nodes = self._nodes.failed([event.node])
                self._lost.append(event.node)
                self._generation += 1
                self._forget_the_lost()
            elif isinstance(event, Degradation):
                self._nodes = self._nodes.degraded(event.node, event.speed)

    def _arrive(self) -> None:
        """Welcome the nodes that have started by now."""
        there = sum(moment_s <= self.clock.now_s() for moment_s in self._coming_s)
        self._coming_s = sorted(self._coming_s)[there:]
        self._welcome(there)

    def _welcome(self, count: int, capacity: float = 1.0) -> None:
        """Take in new nodes."""
        if not count:
            return
        self._nodes = self._nodes.joined(count, capacity)
        self._joined += [node.id for node in self._nodes.listed[-count:]]
        idle = np.concatenate((self._queue.migration_s, np.zeros(count)))
        self._queue = Queue(self._queue.backlog_s, self._queue.pause_s, idle)
        self._generation += 1

    def _forget_the_lost(self) -> None:
        """Take lost nodes off the list that own nothing any more."""
        owned = set(np.unique(self._owner).tolist())
        self._remove([at for at in np.flatnonzero(self._nodes.lost()).tolist() if at not in owned])

    def _remove(self, positions: Sequence[int]) -> None:
        """Take nodes off the list; those behind them move up."""
        if not positions:
            return
        kept = np.ones(len(self._nodes), dtype=np.bool_)
        kept[list(positions)] = False
        self._nodes = self._nodes.without(positions)
        self._owner = sealed((np.cumsum(kept) - 1)[self._owner], np.int64)
        queue = self._queue
        self._queue = Queue(queue.backlog_s, queue.pause_s, queue.migration_s[kept])
