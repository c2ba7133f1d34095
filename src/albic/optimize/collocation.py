"""A local search for assignments with much affinity inside bins and a value that is allowed."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy.sparse as sp

from albic.arrays import Floats, Ints, Sparse
from albic.optimize import gather
from albic.optimize.assignment import AssignmentProblem, Goal
from albic.optimize.bin_affinity import Affinity
from albic.optimize.descent import Effort
from albic.optimize.search import compiled as search_compiled
from albic.optimize.search import search, tiny_problem
from albic.optimize.tables import MOST_MOVES, Board, Solution

#: Legs of one search; more and shorter ones did better on instances that no benchmark uses.
LEGS = 32
#: Temperatures of the first leg at its start and of all legs at their end, in squared points.
HOT, COLD = 20.0, 1e-6
#: What affinity of the average pair is worth, as a multiple of the temperature.
WORTH = 2.0
#: The part of the effort that goes into a start within the allowed value.
START = 5


@dataclass(frozen=True, slots=True, eq=False)
class Collocated:
    """An assignment, and whether its value is the allowed one or better."""

    owner: Ints
    within: bool
    finished: bool


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """Where the search for collocation begins."""

    owner: Ints
    value: float
    finished: bool


def collocate(
    problem: AssignmentProblem, affinity: Sparse, allowed: float, effort: Effort, seed: int
) -> Collocated:
    """Return the assignment with the most affinity inside bins among those of allowed value.

    ``affinity[u, v]`` says what is gained when items u and v share a bin. Without an assignment of
    allowed value, the one of the best value found is returned.
    """
    start = _start(problem, allowed, effort.share(START), seed)
    if start.value > allowed or affinity.nnz == 0:
        return Collocated(start.owner, start.value <= allowed, start.finished)
    board, wishes = Board.of(problem, seed), _wishes(problem, affinity)
    away = np.flatnonzero(start.owner != problem.home)
    best = Solution(away, start.owner[away], start.value)
    if wishes.wish.size == 0:
        return Collocated(start.owner, within=True, finished=start.finished)
    board.restore(best)
    windows = _windows(board, allowed)
    length = max(effort.proposals // LEGS, 1)
    for leg in range(LEGS):
        if effort.expired():
            return Collocated(board.state.owner.copy(), within=True, finished=False)
        board.aim(*windows)
        # Four legs from hot to lukewarm, then again from hot.
        schedule = (length, HOT * 10 ** (-0.7 * (leg % 4)), COLD, WORTH)
        gained = gather.gather(
            board.table, wishes, board.state, problem.goal_dims, problem.budget, schedule
        )
        if gained > 1e-9:
            count = wishes.best_count[0]
            best = Solution(
                wishes.best_item[:count].copy(), wishes.best_owner[:count].copy(), allowed
            )
        board.restore(best)
    return Collocated(board.state.owner.copy(), within=True, finished=True)


def _start(problem: AssignmentProblem, allowed: float, effort: Effort, seed: int) -> Start:
    """Return an assignment of allowed value, or the best that is found: home if that will do.

    The search evens out what the goal does not see. It would tear apart for that what an earlier
    round brought together, and the next round would join it again.
    """
    home = problem.home
    at_home = problem.value(home)
    over = problem.loads(home) > problem.limit * (1 + 1e-12)
    # What can never leave a closed bin is no reason to look for another start.
    leaving = problem.left_behind(home) & problem.movable
    if at_home <= allowed and not leaving.any() and not over.any():
        return Start(home, at_home, finished=True)
    found = search(problem, effort, seed, enough=allowed)
    return Start(found.owner, found.value, found.finished)


@cache
def compiled() -> None:
    """Load the compiled code, or compile it once after installation, before a clock runs."""
    search_compiled()
    together = sp.coo_array(([1.0], ([0], [3])), shape=(4, 4)).tocsr()
    collocate(tiny_problem(Goal.DISTANCE), together, np.inf, Effort(proposals=LEGS), seed=0)


def _windows(board: Board, allowed: float) -> tuple[Floats, Floats]:
    """Return low and high loads whose keeping keeps the value at or below ``allowed``."""
    problem = board.problem
    shape = (problem.goal_dims, problem.bins)
    low, high = np.full(shape, -np.inf), np.full(shape, np.inf)
    if problem.goal is Goal.MAKESPAN:
        peaks = problem.peaks(board.loads())
        high[:] = (peaks + (allowed - peaks.sum()) / problem.goal_dims)[:, None]
        return low, high
    low[0, ~problem.closed] = board.means[0] - allowed
    high[0, ~problem.closed] = board.means[0] + allowed
    return low, high


def _wishes(problem: AssignmentProblem, affinity: Sparse) -> Affinity:
    """Return the affinity laid out for the compiled search, scaled to 1 for the average pair."""
    both = (affinity + affinity.T).tocsr()
    item = np.repeat(np.arange(problem.items), np.diff(both.indptr))
    partner = both.indices.astype(np.int64)
    home = problem.home
    apart = (home[item] != home[partner]) & problem.movable[item]
    wishing, towards = home[item[apart]], home[partner[apart]]
    order = np.lexsort((towards, wishing))
    return Affinity(
        pointer=both.indptr.astype(np.int64),
        partner=partner,
        rate=both.data / both.data.mean(),
        wish_pointer=np.searchsorted(wishing[order], np.arange(problem.bins + 1)).astype(np.int64),
        wish=item[apart][order].astype(np.int64),
        wish_bin=towards[order].astype(np.int64),
        best_item=np.empty(problem.items, dtype=np.int64),
        best_owner=np.empty(problem.items, dtype=np.int64),
        best_count=np.zeros(1, dtype=np.int64),
        before=np.empty(MOST_MOVES, dtype=np.int64),
    )
