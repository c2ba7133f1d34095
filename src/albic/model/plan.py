"""What a planner is asked and what it answers."""

import math
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from albic.arrays import Bools, Floats, sealed
from albic.model.allocation import Allocation
from albic.model.bundles import Bundles
from albic.model.errors import InvalidInput
from albic.model.notebook_html import sketch
from albic.model.snapshot import Resource, Snapshot


class Objective(StrEnum):
    """What a plan makes small."""

    DISTANCE = "distance"
    """The paper's: the largest gap between a staying node's load and the mean."""
    MAKESPAN = "makespan"
    """Spark's: the sum over stages of the busiest node in that stage."""


class BudgetUnit(StrEnum):
    """What a migration budget counts."""

    MOVES = "moves"
    COST = "cost"


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be migrated in one period; paper: maxMigrations or maxMigrCost."""

    limit: float
    unit: BudgetUnit = BudgetUnit.MOVES

    def __post_init__(self) -> None:
        if math.isnan(self.limit) or self.limit < 0:
            raise InvalidInput(f"the migration budget is {self.limit:g}; it must be 0 or more")


class Outcome(StrEnum):
    """How a plan came about."""

    OPTIMAL = "optimal"
    """Nothing better exists within the budget, and that is proven."""
    HEURISTIC = "heuristic"
    """The planner finished; something better may exist."""
    TIME_LIMIT = "time_limit"
    """Time ran out; this is the best found until then."""
    UNCHANGED = "unchanged"
    """Nothing moves; the reason says why."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanRequest:
    """Everything a planner may know.

    Parameters
    ----------
    cost_per_byte
        Paper: α in mc_k = α·|σ_k|. At 1, costs are bytes of state.
    cost_per_move
        What every migration costs beside its bytes, in the same unit.
    target_distance_pct
        If set, ask for the fewest moves that bring the load distance to this or below.
    max_load_distance_pct
        Paper: maxLD, how far ALBIC and joint may go for collocation; its default is the paper's.
    limits_pct
        The most that a node may use of each resource that is not the balanced one.
    drain_weight
        What a point of load left on a draining node weighs against a point of load distance.
        From 1 on, draining comes first; below 1, urgent overload does.
    fixed
        Key groups that stay where they are, unless their node is being emptied.
    shut
        Nodes that nothing may move to, though they stay.
    """

    snapshot: Snapshot
    budget: Budget
    objective: Objective = Objective.DISTANCE
    cost_per_byte: float = 1.0
    cost_per_move: float = 0.0
    target_distance_pct: float | None = None
    max_load_distance_pct: float = 10.0
    limits_pct: Floats = field(default_factory=lambda: np.full(len(Resource), 100.0))
    bundles: Bundles | None = None
    drain_weight: float = 1.5
    time_limit_s: float = 0.2
    seed: int = 0
    fixed: tuple[int, ...] = ()
    shut: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "limits_pct", sealed(self.limits_pct, np.float64))
        if not (math.isfinite(self.time_limit_s) and self.time_limit_s > 0):
            raise InvalidInput(f"the time limit is {self.time_limit_s:g} s; it must be above 0")
        _expect_amount("the cost per byte", self.cost_per_byte)
        _expect_amount("the cost per move", self.cost_per_move)
        _expect_amount("the maximum load distance", self.max_load_distance_pct)
        _expect_amount("the drain weight", self.drain_weight)
        if self.target_distance_pct is not None:
            _expect_amount("the target distance", self.target_distance_pct)
            if self.objective is not Objective.DISTANCE:
                raise InvalidInput(
                    "a target distance goes with the objective distance, not with makespan"
                )
        if np.isnan(self.limits_pct).any() or (self.limits_pct <= 0).any():
            raise InvalidInput("resource limits must be above 0")
        if not 0 <= self.seed < 2**63:
            raise InvalidInput(f"the seed is {self.seed}; it must be 0 or more and below 2^63")
        _expect_positions("fixed", self.fixed, self.snapshot.topology.key_groups, "key groups")
        _expect_positions("shut", self.shut, len(self.snapshot.cluster.nodes), "nodes")

    def move_cost(self) -> Floats:
        """Return the cost of migrating each key group; paper: mc_k = α·|σ_k|."""
        state_bytes = self.snapshot.state_bytes.astype(np.float64)
        cost: Floats = self.cost_per_move + self.cost_per_byte * state_bytes
        return cost

    def may_move(self) -> Bools:
        """Return which key groups may go elsewhere: all but the fixed ones on nodes that stay."""
        free = self.snapshot.cluster.draining()[self.snapshot.allocation.owner]
        unbound = np.ones(free.size, dtype=bool)
        unbound[list(self.fixed)] = False
        return sealed(free | unbound, np.bool_)

    def may_receive(self) -> Bools:
        """Return which nodes may be given key groups.

        Where all that stay are shut and others have to be emptied, those that stay take it in all
        the same: whoever is left has to do the work.
        """
        draining = self.snapshot.cluster.draining()
        closed = draining.copy()
        closed[list(self.shut)] = True
        stuck = closed.all() and draining[self.snapshot.allocation.owner].any()
        return sealed(~draining if stuck else ~closed, np.bool_)

    def charge(self) -> Floats:
        """Return what migrating each key group takes out of the budget."""
        if self.budget.unit is BudgetUnit.MOVES:
            return np.ones(self.snapshot.topology.key_groups)
        return self.move_cost()


def _expect_amount(name: str, value: float) -> None:
    """Refuse NaN, infinite or negative settings."""
    if not (math.isfinite(value) and value >= 0):
        raise InvalidInput(f"{name} is {value:g}; it must be a finite number, 0 or more")


def _expect_positions(name: str, given: tuple[int, ...], count: int, of: str) -> None:
    """Refuse positions that nothing is at."""
    for position in given:
        if not 0 <= position < count:
            raise InvalidInput(f"{name} names {position}; there are {count} {of}, from 0 on")


@dataclass(frozen=True, slots=True)
class Move:
    """One migration, by position; ``cost`` is mc_k."""

    key_group: int
    source: int
    target: int
    cost: float


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A planner's answer.

    ``bound`` is a proven lower bound of the objective under the request's budget, ``floor`` one
    that holds under any budget (the largest key group alone may set it).
    """

    generation: int
    planner: str
    target: Allocation
    moves: tuple[Move, ...]
    outcome: Outcome
    reason: str
    objective: Objective = Objective.DISTANCE
    bound: float | None = None
    floor: float | None = None
    wall_s: float = 0.0

    def _repr_html_(self) -> str:
        """Return what a notebook shows: where key groups go."""
        ways = Counter((move.source, move.target) for move in self.moves)
        bars = [
            (f"node {source} → {target}", float(count))
            for (source, target), count in sorted(ways.items(), key=lambda way: (-way[1], way[0]))
        ]
        moves = "1 move" if len(self.moves) == 1 else f"{len(self.moves)} moves"
        sentence = f"{self.planner}: {moves} ({self.outcome}). {self.reason}"
        return sketch(sentence, bars, "")


@dataclass(frozen=True, slots=True)
class SearchReport:
    """What a planner tells about its search when it hands over an allocation."""

    planner: str
    outcome: Outcome
    reason: str
    bound: float | None = None
    floor: float | None = None
    wall_s: float = 0.0


def plan_for(request: PlanRequest, target: Allocation, report: SearchReport) -> Plan:
    """Return the plan that leads from the present allocation to ``target``."""
    before, cost = request.snapshot.allocation, request.move_cost()
    moves = tuple(
        Move(int(k), int(before.owner[k]), int(target.owner[k]), float(cost[k]))
        for k in target.moved_from(before)
    )
    unchanged = not moves and report.outcome is not Outcome.OPTIMAL
    return Plan(
        generation=request.snapshot.generation,
        planner=report.planner,
        target=target,
        moves=moves,
        outcome=Outcome.UNCHANGED if unchanged else report.outcome,
        reason=report.reason,
        objective=request.objective,
        bound=report.bound,
        floor=report.floor,
        wall_s=report.wall_s,
    )
