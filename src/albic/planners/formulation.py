"""The assignment problem as a mixed-integer program: the paper's, repaired.

What is mended and why, with an example each, stands in ``docs/decisions/003-milp-repairs.md``.

One program serves two solves. The first makes the goal and what stays in closed bins small
(:meth:`Exact.first`); the second holds that and makes the summed gaps to the mean and the
number of moves small (:meth:`Exact.second`).
"""

from dataclasses import dataclass, replace

import numpy as np

from albic.arrays import Bools, Floats, Ints
from albic.optimize.aim import Aim
from albic.optimize.assignment import AssignmentProblem, Goal
from albic.optimize.program import Draft, Program

#: Above this HiGHS needs gigabytes: 3.5 for 2 million variables.
MOST_VARIABLES = 2_000_000
#: Writing the program down takes 0.3 s for a million; it must not use up the time for solving it.
MOST_VARIABLES_PER_S = 500_000
#: So few are written down in any case.
FEW_VARIABLES = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """The choices of a program: its column ``v`` puts ``item[v]`` into ``bin[v]``."""

    home: Ints
    item: Ints
    bin: Ints

    @classmethod
    def away(cls, problem: AssignmentProblem) -> "Places":
        """Return every place but home that an item may go to: the bins that may be entered."""
        # An item without weight helps nowhere; it only has to get out of a closed bin.
        weighs: Bools = np.asarray(problem.weights.sum(axis=1)).ravel() > 0
        mobile = np.flatnonzero(problem.movable & (weighs | problem.closed[problem.home]))
        item, bin_ = np.meshgrid(mobile, np.flatnonzero(problem.enterable), indexing="ij")
        elsewhere = bin_ != problem.home[item]
        return cls(problem.home, item[elsewhere], bin_[elsewhere])

    def owner(self, x: Floats) -> Ints:
        """Return the assignment that the columns of ``x`` stand for."""
        owner, chosen = self.home.copy(), x[: self.item.size] > 0.5
        owner[self.item[chosen]] = self.bin[chosen]
        return owner

    def columns(self, owner: Ints) -> Floats:
        """Return the columns that stand for ``owner``."""
        chosen: Floats = (owner[self.item] == self.bin).astype(np.float64)
        return chosen


@dataclass(frozen=True, slots=True, eq=False)
class Exact:
    """A problem's program with what is needed to go from assignments to columns and back."""

    aim: Aim
    places: Places
    first: Program
    held_row: int
    second_cost: Floats

    def second(self, held: float) -> Program:
        """Return the program of the second solve, in which the first one's result is ``held``."""
        row_high = self.first.row_high.copy()
        row_high[self.held_row] = held - self.first.offset
        return replace(self.first, cost=self.second_cost, row_high=row_high, offset=0.0)

    def allows(self, owner: Ints) -> bool:
        """Return whether ``owner`` keeps to the budget, the limits and the lower bound."""
        return self.first.allows(self.columns(owner))

    def columns(self, owner: Ints) -> Floats:
        """Return all columns for ``owner``: choices, loads, goal, gaps."""
        problem = self.aim.problem
        loads = problem.loads(owner)[: problem.goal_dims]
        gaps = np.abs(loads - problem.means()[: problem.goal_dims, None])[:, ~problem.closed]
        goal = problem.peaks(loads)
        if problem.goal is Goal.DISTANCE:
            goal = gaps[0].max(keepdims=True)
        if goal.sum() < self.aim.enough_pct:
            goal = np.array([self.aim.enough_pct])
        return np.concatenate([self.places.columns(owner), loads.ravel(), goal, gaps.ravel()])


def too_large(problem: AssignmentProblem, time_limit_s: float) -> str:
    """Return why the program of ``problem`` is not even written down in that time, or nothing."""
    if time_limit_s <= 0:
        return "no time is left within the time limit"
    items, bins = int(problem.movable.sum()), int(problem.enterable.sum())
    most = min(MOST_VARIABLES, max(MOST_VARIABLES_PER_S * time_limit_s, FEW_VARIABLES))
    if items * bins <= most:
        return ""
    return (
        f"too large for the exact program in {time_limit_s:.3g} s: "
        f"{items} x {bins} variables; use search"
    )


def formulate(aim: Aim, lower_bound: float = 0.0) -> Exact:
    """Return the program of ``aim``; ``lower_bound`` is what is known of the goal's value."""
    problem, draft = aim.problem, Draft()
    places = Places.away(problem)
    closed_home = problem.closed[problem.home[places.item]]
    left_price = aim.left_price()
    earned = np.where(closed_home, left_price[places.item], 0.0)
    choices = draft.columns(places.item.size, cost=-earned, high=1.0, integer=True)
    once = draft.rows(problem.items, high=1.0)
    draft.put(once[places.item], choices, 1.0)
    _within_budget(draft, problem, places, choices)
    loads = _loads(draft, problem, places, choices)
    goal = _goal(draft, problem, loads)
    gaps = _gaps(draft, problem, loads)
    draft.put(draft.rows(1, low=max(lower_bound, aim.enough_pct)), goal, 1.0)
    held = draft.rows(1)
    draft.put(held, goal, 1.0)
    draft.put(held, choices, -earned)
    program = draft.program(offset=float(left_price[problem.left_behind(problem.home)].sum()))
    second_cost = np.zeros(program.cost.size)
    second_cost[choices] = aim.move_price()[places.item]
    second_cost[gaps] = aim.spread_weight()
    return Exact(aim, places, program, int(held[0]), second_cost)


def _within_budget(draft: Draft, problem: AssignmentProblem, places: Places, choices: Ints) -> None:
    """Bound what leaving home takes; paper: constraint (2)."""
    if not (np.isfinite(problem.budget) and problem.budget > 0):
        # Without a limit there is nothing to bound; with none left, only free items are movable.
        return
    # As a share of the budget, for costs are bytes and tolerances absolute.
    row = draft.rows(1, high=1.0)
    draft.put(row, choices, problem.charge[places.item] / problem.budget)


def _loads(draft: Draft, problem: AssignmentProblem, places: Places, choices: Ints) -> Ints:
    """Add the loads: a column for each goal dimension and bin, a limit for the other dimensions."""
    dims, bins = problem.base.shape
    now, goal_cells = problem.loads(problem.home).ravel(), problem.goal_dims * bins
    low = np.where(np.arange(dims * bins) < goal_cells, -now, -np.inf)
    high = np.where(np.arange(dims * bins) < goal_cells, -now, problem.limit.ravel() - now)
    rows = draft.rows(dims * bins, low=low, high=high)
    loads = draft.columns(goal_cells, low=-np.inf)
    draft.put(rows[:goal_cells], loads, -1.0)
    carried = problem.weights[places.item].tocoo()
    choice, cell = carried.row, carried.col * bins
    for bin_, sign in ((places.bin[choice], 1.0), (problem.home[places.item[choice]], -1.0)):
        draft.put(rows[cell + bin_], choices[choice], sign * carried.data / problem.capacity[bin_])
    return loads


def _goal(draft: Draft, problem: AssignmentProblem, loads: Ints) -> Ints:
    """Add the goal's columns: the load distance (paper: d), or the makespan of each dimension."""
    cells = loads.reshape(problem.goal_dims, problem.bins)
    if problem.goal is Goal.DISTANCE:
        distance = draft.columns(1, cost=1.0)
        _enclose(draft, cells[0, ~problem.closed], distance, problem.means()[0])
        return distance
    latest = draft.columns(problem.goal_dims, cost=1.0, low=_least_makespans(problem))
    rows = draft.rows(cells.size, high=0.0).reshape(cells.shape)
    draft.put(rows, cells, 1.0)
    draft.put(rows, latest[:, None], -1.0)
    return latest


def _gaps(draft: Draft, problem: AssignmentProblem, loads: Ints) -> Ints:
    """Add a column for the gap of each open bin to the mean, in each goal dimension."""
    cells = loads.reshape(problem.goal_dims, problem.bins)[:, ~problem.closed]
    means = np.repeat(problem.means()[: problem.goal_dims], cells.shape[1])
    gaps = draft.columns(cells.size)
    _enclose(draft, cells.ravel(), gaps, means)
    return gaps


def _enclose(draft: Draft, loads: Ints, gap: Ints, mean: Floats | float) -> None:
    """Keep each load within ``gap`` of the mean; paper: constraints (3) and (4)."""
    above = draft.rows(loads.size, high=mean)
    draft.put(above, loads, 1.0)
    draft.put(above, gap, -1.0)
    below = draft.rows(loads.size, low=mean)
    draft.put(below, loads, 1.0)
    draft.put(below, gap, 1.0)


def _least_makespans(problem: AssignmentProblem) -> Floats:
    """Return what no assignment can beat in each goal dimension: mean, largest item, or least."""
    goals = slice(problem.goal_dims)
    work = np.asarray(problem.weights.sum(axis=0)).ravel() + problem.base @ problem.capacity
    mean: Floats = work[goals] / problem.capacity.sum()
    entries = problem.weights[:, goals].tocoo()
    roomiest = problem.capacity[~problem.closed].max()
    room = np.maximum(problem.capacity[problem.home[entries.row]], roomiest)
    np.maximum.at(mean, entries.col, entries.data / room)
    return np.maximum(mean, problem.least)
