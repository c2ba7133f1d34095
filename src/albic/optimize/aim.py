"""What makes one assignment better than another, in two steps.

First the goal and what is left in closed bins. Assignments that are equal in this, and with few
moves most are, differ in the second: the summed gaps to the mean, and a small price for each move.
Without the second step a planner wanders among equals, or stays where it could prepare the next
round.
"""

from dataclasses import dataclass

import numpy as np

from albic.arrays import Floats, Ints
from albic.optimize.assignment import AssignmentProblem

#: A thousandth of a percentage point of load is no benefit.
NO_BENEFIT_PCT = 1e-3
#: Differences below this are rounding, in percentage points; less than the judge forgives.
ROUNDING = 5e-7
#: What a move must take off the summed gaps to be worth it, in percentage points.
MOVE_PRICE_PCT = 0.005
#: What an item left in a closed bin costs beside its weight, so that idle ones leave as well.
LEFT_PRICE_PCT = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class Aim:
    """What makes one assignment better than another: ``first``, and between equals ``second``.

    Parameters
    ----------
    enough_pct
        Values of the goal below this count as this.
    fewest_moves
        Whether equals are told apart by what they take from the budget alone.
    """

    problem: AssignmentProblem
    enough_pct: float = 0.0
    fewest_moves: bool = False

    def first(self, owner: Ints) -> float:
        """Return the goal's value, and what is left in closed bins."""
        left = self.problem.left_behind(owner)
        value = max(self.problem.value(owner), self.enough_pct)
        return value + float(self.left_price()[left].sum())

    def second(self, owner: Ints) -> float:
        """Return the summed gaps and the price of all moves."""
        moved = owner != self.problem.home
        return self.spread_weight() * self.problem.spread(owner) + float(
            self.move_price()[moved].sum()
        )

    def left_price(self) -> Floats:
        """Return what each item costs that stays in a closed bin.

        A point of load in the roomiest bin makes the goal worse by one point at most. Above a drain
        weight of 1, leaving therefore always pays, whatever the capacities.
        """
        roomiest = self.problem.capacity[~self.problem.closed].max()
        weight = self.problem.item_weight() / roomiest
        price: Floats = self.problem.drain_weight * weight + LEFT_PRICE_PCT
        return price

    def move_price(self) -> Floats:
        """Return what each item costs that leaves home."""
        if self.fewest_moves:
            share: Floats = self.problem.charge / max(self.problem.charge.max(), 1e-9)
            return share
        return np.full(self.problem.items, MOVE_PRICE_PCT)

    def spread_weight(self) -> float:
        """Return the weight of the summed gaps."""
        return 0.0 if self.fewest_moves else 1.0

    def held(self, least: float) -> float:
        """Return what counts as equal to ``least``, but nothing that is worse than staying."""
        return max(least, min(least + NO_BENEFIT_PCT, self.first(self.problem.home)))

    def best(self, candidates: list[Ints]) -> Ints:
        """Return the best of ``candidates``; between equals (to a millionth), the earliest."""
        firsts = [self.first(owner) for owner in candidates]
        held = self.held(min(firsts)) + ROUNDING
        good = [owner for owner, first in zip(candidates, firsts, strict=True) if first <= held]
        return min(good, key=lambda owner: round(self.second(owner), 6))
