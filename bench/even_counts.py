"""Even counts: what a runtime does that knows how many key groups there are, and not their load."""

import numpy as np

from albic.arrays import Ints
from albic.model import Allocation, Outcome, Plan, PlanRequest, SearchReport, plan_for


class EvenCounts:
    """Gives every node as many key groups as any other, give or take one, with the fewest moves."""

    def plan(self, request: PlanRequest) -> Plan:
        """Return the plan; the heaviest and the lightest key group are the same to it."""
        snapshot = request.snapshot
        owner = evened(
            snapshot.allocation.owner,
            ~snapshot.cluster.draining(),
            int(request.budget.limit),
        )
        report = SearchReport("even counts", Outcome.HEURISTIC, "as many key groups on every node")
        return plan_for(request, Allocation(owner), report)


def evened(owner: Ints, open_: np.ndarray, moves: int) -> Ints:
    """Return owners after at most ``moves`` moves from the fullest to the emptiest open node."""
    placed: Ints = owner.copy()
    for _ in range(moves):
        counts = np.bincount(placed, minlength=open_.size).astype(float)
        fullest = int(np.argmax(np.where(open_, counts, np.where(counts > 0, np.inf, -1))))
        emptiest = int(np.argmin(np.where(open_, counts, np.inf)))
        if open_[fullest] and counts[fullest] - counts[emptiest] <= 1:
            break
        placed[np.flatnonzero(placed == fullest)[-1]] = emptiest
    return placed
