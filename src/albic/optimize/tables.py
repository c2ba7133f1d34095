"""An assignment problem laid out for the compiled search."""

from dataclasses import dataclass

import numpy as np

from albic.arrays import Floats, Ints
from albic.optimize import kernel
from albic.optimize.assignment import AssignmentProblem, Goal

#: The most items that one proposal moves.
MOST_MOVES = 6


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """An assignment as the items away from home and where they are."""

    items: Ints
    owners: Ints
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Board:
    """The search's table and state, with the few questions that are asked between its legs."""

    problem: AssignmentProblem
    table: kernel.Table
    state: kernel.State
    means: Floats

    @classmethod
    def of(cls, problem: AssignmentProblem, seed: int) -> "Board":
        """Return the board with every item at home."""
        table = _table(problem)
        return cls(problem, table, _state(problem, table, seed), problem.means())

    def loads(self) -> Floats:
        """Return the present loads, a row a dimension."""
        loads: Floats = self.state.load.reshape(self.problem.base.shape)
        return loads

    def value(self) -> float:
        """Return the goal's value of the present assignment; infinite outside the limits."""
        loads, dims = self.loads(), self.problem.goal_dims
        if (loads[dims:] > self.problem.limit[dims:] + 1e-9).any():
            return np.inf
        if self.problem.goal is Goal.MAKESPAN:
            return float(self.problem.peaks(loads).sum())
        return float(np.abs(loads[0, self.table.open_bins] - self.means[0]).max())

    def spread(self) -> float:
        """Return the summed gaps to the means over open bins and goal dimensions."""
        dims = self.problem.goal_dims
        loads = self.loads()[:dims, self.table.open_bins]
        return float(np.abs(loads - self.means[:dims, None]).sum())

    def solution(self) -> Solution:
        """Return the present assignment."""
        items = self.state.moved[: self.state.counts[kernel.MOVED]].copy()
        return Solution(items, self.state.owner[items], self.value())

    def restore(self, solution: Solution) -> None:
        """Go back to ``solution``."""
        kernel.restore(self.table, self.state, solution.items, solution.owners)

    def aim(self, low: Floats, high: Floats) -> None:
        """Set the windows of the goal dimensions (goal_dims x bins)."""
        dims = self.problem.goal_dims
        self.state.low.reshape(self.problem.base.shape)[:dims] = low
        self.state.high.reshape(self.problem.base.shape)[:dims] = high
        kernel.refresh(self.state)


def _table(problem: AssignmentProblem) -> kernel.Table:
    """Return the arrays that do not change."""
    weights, bins = problem.weights, problem.bins
    primary, primary_weight = _heaviest(problem)
    movable = np.flatnonzero(problem.movable)
    row = primary[movable] * bins + problem.home[movable]
    order = np.lexsort((primary_weight[movable], row))
    rows = np.arange(problem.base.shape[0] * bins + 1)
    return kernel.Table(
        pointer=weights.indptr.astype(np.int64),
        dimension=weights.indices.astype(np.int64),
        weight=weights.data.astype(np.float64),
        primary=primary,
        primary_weight=primary_weight,
        home=problem.home.astype(np.int64),
        charge=problem.charge.astype(np.float64),
        movable=np.array(problem.movable, dtype=np.bool_),
        resident_pointer=np.searchsorted(row[order], rows).astype(np.int64),
        resident=movable[order].astype(np.int64),
        resident_weight=primary_weight[movable[order]],
        inverse_capacity=1.0 / problem.capacity,
        closed=np.array(problem.closed, dtype=np.bool_),
        enterable=np.array(problem.enterable, dtype=np.bool_),
        open_bins=np.flatnonzero(~problem.closed).astype(np.int64),
        least=problem.least.astype(np.float64),
    )


def _heaviest(problem: AssignmentProblem) -> tuple[Ints, Floats]:
    """Return the goal dimension in which each item weighs most, and how much; of equals the first.

    A table of all items by all dimensions would be hundreds of megabytes in a large cluster.
    """
    entries = problem.weights[:, : problem.goal_dims].tocoo()
    weight = np.zeros(problem.items)
    np.maximum.at(weight, entries.row, entries.data)
    most = entries.data == weight[entries.row]
    dimension = np.full(problem.items, problem.goal_dims, dtype=np.int64)
    np.minimum.at(dimension, entries.row[most], entries.col[most])
    dimension[dimension == problem.goal_dims] = 0
    return dimension, weight


def _state(problem: AssignmentProblem, table: kernel.Table, seed: int) -> kernel.State:
    """Return the state with every item at home and windows that content every row."""
    rows = problem.base.size
    entries = int(np.diff(table.pointer).max(initial=0))
    # Any non-zero word will do; the multiplier spreads small seeds over all its bits.
    word = (seed * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D) % 2**64 or 1
    return kernel.State(
        owner=problem.home.astype(np.int64),
        load=problem.loads(problem.home).ravel().copy(),
        low=np.full(rows, -np.inf),
        high=problem.limit.astype(np.float64).ravel().copy(),
        moved=np.empty(problem.items, dtype=np.int64),
        moved_at=np.full(problem.items, -1, dtype=np.int64),
        unhappy=np.empty(rows, dtype=np.int64),
        unhappy_at=np.full(rows, -1, dtype=np.int64),
        log_row=np.empty(2 * MOST_MOVES * max(entries, 1), dtype=np.int64),
        log_load=np.empty(2 * MOST_MOVES * max(entries, 1)),
        sums=np.zeros(2),
        counts=np.zeros(3, dtype=np.int64),
        moves=np.full((MOST_MOVES, 2), -1, dtype=np.int64),
        random=np.array([word], dtype=np.uint64),
    )
