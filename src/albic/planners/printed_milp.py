"""The paper's program word for word, to compare with.

What is wrong with it stands in ``docs/decisions/003-milp-repairs.md``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from albic.arrays import Floats, Ints
from albic.optimize.assignment import AssignmentProblem
from albic.optimize.program import Draft, Program
from albic.planners.formulation import Places


@dataclass(frozen=True, slots=True)
class Printed:
    """What the paper leaves open in its program.

    Parameters
    ----------
    distance_weight
        Paper: w_1, "chosen such that w_1 >> w_2".
    tightness_weight
        Paper: w_2.
    signed
        Whether d_u and d_l may be negative, as the text says (they are in R). Then d is 0 in every
        optimum and what is minimised is the greatest load less the least. Otherwise they are 0 or
        more, as solvers have it when nobody says anything.
    """

    distance_weight: float = 1000.0
    tightness_weight: float = 1.0
    signed: bool = True


def printed_mean(problem: AssignmentProblem) -> float:
    """Return the sum of all present loads over the number of staying nodes, rounded up."""
    loads = problem.loads(problem.home)[0]
    # Rounding errors of the sum must not become a whole percentage point.
    return float(math.ceil(loads.sum() / (~problem.closed).sum() - 1e-9))


@dataclass(frozen=True, slots=True, eq=False)
class AsPrinted:
    """The printed program of a problem, with the way from assignments to columns and back."""

    problem: AssignmentProblem
    printed: Printed
    places: Places
    program: Program

    def columns(self, owner: Ints) -> Floats:
        """Return all columns for ``owner``: choices, then the best d, d_u and d_l that go with it.

        With w_1 > 2·w_2 the least d is best, and d_u and d_l take what is left.
        """
        loads, mean = self.problem.loads(owner)[0], printed_mean(self.problem)
        above = float(loads.max()) - mean
        below = mean - float(loads[~self.problem.closed].min())
        distance = 0.0 if self.printed.signed else max(above, below, 0.0)
        deviations = [distance, distance - above, distance - below]
        return np.concatenate([self.places.columns(owner), deviations])

    def best(self, owners: Sequence[Ints]) -> Ints | None:
        """Return which assignment is best by the printed objective; None where none is allowed."""
        columns = [self.columns(owner) for owner in owners]
        values = [self.program.value(x) if self.program.allows(x) else math.inf for x in columns]
        least = min(values)
        return None if least == math.inf else owners[values.index(least)]


def formulate_as_printed(problem: AssignmentProblem, printed: Printed) -> AsPrinted:
    """Return the program with constraints (1) to (5), and what its columns mean."""
    draft, bins, mean = Draft(), problem.bins, printed_mean(problem)
    places = Places(
        problem.home,
        np.repeat(np.arange(problem.items), bins),
        np.tile(np.arange(bins), problem.items),
    )
    at_home = places.bin == problem.home[places.item]
    # Nodes that are to be emptied are left to the program: Lemma 1 says that it leaves them alone.
    movable = problem.movable[places.item] & (problem.enterable | problem.closed)[places.bin]
    x = draft.columns(places.item.size, high=at_home | movable, integer=True)
    # d is a deviation and not negative: otherwise the program has no least value.
    distance = draft.columns(1, cost=printed.distance_weight)
    low = -np.inf if printed.signed else 0.0
    upper, lower = draft.columns(2, cost=-printed.tightness_weight, low=low)
    # (1): each unit has one node.
    each = draft.rows(problem.items, low=1.0, high=1.0)
    draft.put(each[places.item], x, 1.0)
    # (2): as a share of the budget; with none left, only free units are movable.
    if 0 < problem.budget < np.inf:
        spent = draft.rows(1, high=1.0)
        draft.put(spent, x, np.where(at_home, 0.0, problem.charge[places.item] / problem.budget))
    # (3) on all nodes, (4) on those that stay, (5).
    stays = ~problem.closed
    most = draft.rows(bins, high=mean - problem.base[0])
    draft.put(most, distance, -1.0)
    draft.put(most, upper, 1.0)
    least = draft.rows(bins, low=np.where(stays, mean - problem.base[0], -np.inf))
    draft.put(least, distance, 1.0)
    draft.put(least, lower, -1.0)
    draft.put(draft.rows(1, high=mean), distance, 1.0)
    # The paper's extension to other resources.
    limited = draft.rows(problem.limit[1:].size, high=(problem.limit - problem.base)[1:].ravel())
    carried = problem.weights[places.item].tocoo()
    bin_ = places.bin[carried.row]
    share = carried.data / problem.capacity[bin_]
    first = carried.col == 0
    draft.put(most[bin_[first]], x[carried.row[first]], share[first])
    draft.put(least[bin_[first]], x[carried.row[first]], share[first])
    others = (carried.col[~first] - 1) * bins + bin_[~first]
    draft.put(limited[others], x[carried.row[~first]], share[~first])
    return AsPrinted(problem, printed, places, draft.program())
