"""The problem behind every plan: items into bins, few of them moved."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from albic.arrays import Bools, Floats, Ints, Sparse


class Goal(StrEnum):
    """What an assignment makes small."""

    DISTANCE = "distance"
    """The largest gap between an open bin's load in dimension 0 and the mean."""
    MAKESPAN = "makespan"
    """The sum over the goal dimensions of the fullest bin in that dimension."""


@dataclass(frozen=True, slots=True, eq=False)
class AssignmentProblem:
    """Items with a home bin, weights in one or more dimensions and a charge for leaving home.

    The load of bin i in dimension d is ``base[d, i] + sum of weights[u, d] / capacity[i]``. The
    first ``goal_dims`` dimensions make the goal, the others have a ``limit`` only. ``closed`` bins
    are to be emptied: nothing may enter them, and what leaves them earns ``drain_weight`` times its
    weight. Of the others, too, only those that are ``enterable`` take in what is not at home there.
    Items that are not ``movable`` stay at home. A maximum of the makespan counts as its
    ``least`` even where all bins are emptier: something beside the bins takes as long.
    """

    weights: Sparse  # U x D
    home: Ints  # U
    charge: Floats  # U
    movable: Bools  # U
    budget: float
    capacity: Floats  # N
    closed: Bools  # N
    enterable: Bools  # N, none of the closed ones
    base: Floats  # D x N
    limit: Floats  # D x N, inf where there is none
    goal: Goal
    goal_dims: int
    drain_weight: float
    least: Floats  # goal_dims; zeros for the distance

    @property
    def items(self) -> int:
        """Return the number of items."""
        return int(self.home.size)

    @property
    def bins(self) -> int:
        """Return the number of bins."""
        return int(self.capacity.size)

    def loads(self, owner: Ints) -> Floats:
        """Return the load of each bin (column) in each dimension (row)."""
        rows = self.weights.tocoo()
        dims = self.base.shape[0]
        work = np.bincount(
            rows.col * self.bins + owner[rows.row],
            weights=rows.data,
            minlength=dims * self.bins,
        )
        loads: Floats = self.base + work.reshape(dims, self.bins) / self.capacity
        return loads

    def means(self) -> Floats:
        """Return, for each dimension, the load of every open bin if all were equal."""
        stays = ~self.closed
        work: Floats = np.asarray(self.weights.sum(axis=0)).ravel()
        spread = work + self.base[:, stays] @ self.capacity[stays]
        means: Floats = spread / self.capacity[stays].sum()
        return means

    def value(self, owner: Ints) -> float:
        """Return the goal's value."""
        loads = self.loads(owner)
        if self.goal is Goal.MAKESPAN:
            return float(self.peaks(loads).sum())
        return float(np.abs(loads[0, ~self.closed] - self.means()[0]).max())

    def peaks(self, loads: Floats) -> Floats:
        """Return what counts as the maximum of each goal dimension."""
        peaks: Floats = np.maximum(loads[: self.goal_dims].max(axis=1), self.least)
        return peaks

    def spread(self, owner: Ints) -> float:
        """Return the summed gaps to the mean over open bins and goal dimensions.

        The tie-breaker: where only the worst bin counts, most plans tie and nothing moves.
        """
        loads = self.loads(owner)[: self.goal_dims, ~self.closed]
        return float(np.abs(loads - self.means()[: self.goal_dims, None]).sum())

    def item_weight(self) -> Floats:
        """Return each item's weight summed over the goal dimensions."""
        weight: Floats = np.asarray(self.weights[:, : self.goal_dims].sum(axis=1)).ravel()
        return weight

    def left_behind(self, owner: Ints) -> Bools:
        """Return the items that are still in a closed bin."""
        left: Bools = self.closed[owner]
        return left

    def spent(self, owner: Ints) -> float:
        """Return what leaving home takes out of the budget."""
        return float(self.charge[owner != self.home].sum())

    def affordable(self) -> int:
        """Return the most items that the budget can move."""
        charges = np.sort(self.charge[self.movable])
        return int(np.searchsorted(np.cumsum(charges), self.budget * (1 + 1e-12), side="right"))
