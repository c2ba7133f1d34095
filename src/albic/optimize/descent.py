"""One run of the local search: greedy start, annealing to a moving target, polish."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from albic.arrays import Floats, Ints
from albic.optimize import greedy, kernel, proposals
from albic.optimize.aim import MOVE_PRICE_PCT, Aim
from albic.optimize.assignment import AssignmentProblem, Goal
from albic.optimize.bound import CountBound, distance_floor
from albic.optimize.levelling import level
from albic.optimize.makespan import makespan_floor, makespan_shares
from albic.optimize.needless_moves import send_home
from albic.optimize.tables import Board, Solution

#: The least that counts as an improvement of the goal, in points.
NOTHING = 1e-9
#: The proposals of one leg; chosen on instances that the benchmark does not use.
LEG = 10_000
#: The proposals of a cold leg for each bin outside its window.
QUENCH = 500
#: The proposals between two looks at the clock; less than a tenth of a second, however large.
GLANCE = 25_000
#: Cold legs are for more bins outside their windows than this.
MANY = 64


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to search: ``proposals`` bounds the work, ``expired`` says when time is up."""

    proposals: int
    expired: Callable[[], bool] = field(default=lambda: False)

    def share(self, parts: int) -> "Effort":
        """Return one of ``parts`` equal parts."""
        return replace(self, proposals=max(self.proposals // parts, 1))


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """What no assignment beats: within the budget, within any budget, and in each dimension.

    ``levels`` is what loads are levelled to at the start: the means or, for the makespan, the
    maxima of which its bound is the sum.
    """

    bound: float
    floor: float
    dimensions: Floats
    levels: Floats


def limits_of(problem: AssignmentProblem) -> Limits:
    """Return the proven limits of the problem's goal."""
    if problem.goal is Goal.MAKESPAN:
        shares, floor = makespan_shares(problem), makespan_floor(problem)
        return Limits(shares.bound, float(floor.sum()), floor, shares.peaks)
    bound = CountBound(problem).distance()
    return Limits(bound, floor_of(problem), np.zeros(1), problem.means()[:1])


def floor_of(problem: AssignmentProblem) -> float:
    """Return the value that no assignment beats, whatever it may move."""
    if problem.goal is Goal.MAKESPAN:
        return float(makespan_floor(problem).sum())
    return distance_floor(problem)


def run(
    problem: AssignmentProblem,
    effort: Effort,
    seed: int,
    limits: Limits,
    wishes: tuple[float, float],
) -> tuple[Ints, bool]:
    """Search once, with the given share of the budget open for draining at the start."""
    enough, drain = wishes
    board = Board.of(problem, seed)
    _evacuate(problem, board, drain * problem.budget)
    two_sided = problem.goal is Goal.DISTANCE
    start = board.solution()
    level(board.table, board.state, problem.goal_dims, limits.levels, problem.budget, two_sided)
    if board.value() > start.value:
        # Levelling one dimension may tip another when items weigh in several.
        board.restore(start)
    enough = max(enough, limits.bound)
    best, finished = _descend(board, limits, enough, effort, np.random.default_rng(seed))
    _polish(board, best, enough if enough > limits.bound else None)
    if drain < 1:
        _evacuate(problem, board, problem.budget)
    return board.state.owner.copy(), finished


def _evacuate(problem: AssignmentProblem, board: Board, budget: float) -> None:
    """Empty closed bins as far as the budget goes, most drained per unit of budget first."""
    left = np.flatnonzero(problem.closed[board.state.owner] & problem.movable)
    weight = problem.item_weight()[left]
    gain = Aim(problem).left_price()[left] / np.maximum(problem.charge[left], 1e-12)
    # Among equals the heavier goes first, for large items are the hardest to fit in.
    order = left[np.lexsort((left, -weight, -gain))]
    greedy.evacuate(board.table, board.state, problem.goal_dims, budget, order)


def _descend(
    board: Board, limits: Limits, enough: float, effort: Effort, rng: np.random.Generator
) -> tuple[Solution, bool]:
    """Go down as far as cold legs lead, then anneal; both towards targets above the bound."""
    best, left = _quench(board, limits, enough, effort, rng)
    largest = float(board.table.weight.max(initial=0.0)) ** 2
    ambition = 0.5
    while left > 0 and best.value > enough + NOTHING:
        if effort.expired():
            return best, False
        slack = _aim(board, limits, (best.value, ambition, enough), rng)
        # Half of the legs look nearby; the others start hot enough to repack the largest items.
        hot = 4 * slack
        if rng.random() < 0.5 and largest > slack:
            hot = slack * (largest / slack) ** rng.random()
        left -= max(_leg(board, effort, min(LEG, left), hot, 0.01 * slack), LEG // 8)
        reached = board.state.counts[kernel.UNHAPPY] == 0
        if board.value() < best.value - NOTHING:
            best = board.solution()
        if reached:
            ambition *= 0.8
        else:
            board.restore(best)
            ambition = ambition + 0.3 * (1 - ambition) if ambition < 0.9 else 0.4
    return best, True


def _quench(
    board: Board, limits: Limits, enough: float, effort: Effort, rng: np.random.Generator
) -> tuple[Solution, int]:
    """Take cold legs as long as each lowers the energy; return the proposals that are left.

    Small clusters gain little by it. In large ones every leg mends some of many bins, and going
    back after each leg, as annealing does, would lose that.
    """
    best, left, ambition = board.solution(), effort.proposals, 0.25
    while ambition < 0.9 and best.value > enough + NOTHING and left > 0 and not effort.expired():
        slack = _aim(board, limits, (best.value, ambition, enough), rng)
        if board.state.counts[kernel.UNHAPPY] <= MANY:
            board.restore(best)
            break
        energy, leg = np.inf, QUENCH * int(board.state.counts[kernel.UNHAPPY])
        while 0 < board.state.sums[kernel.ENERGY] < 0.98 * energy and left > 0:
            energy = board.state.sums[kernel.ENERGY]
            left -= max(_leg(board, effort, min(leg, left), 1e-6 * slack, 1e-7 * slack), 1)
            if effort.expired():
                break
        if board.value() < best.value - NOTHING:
            best = board.solution()
        if board.state.counts[kernel.UNHAPPY] > 0:
            board.restore(best)
            ambition += 0.3 * (1 - ambition)
    return best, left


def _leg(board: Board, effort: Effort, length: int, hot: float, cold: float) -> int:
    """Anneal for at most ``length`` proposals, or until time is up; return how many it took."""
    problem, taken = board.problem, 0
    cooling = (cold / hot) ** (1.0 / length)
    while taken < length and not (taken and effort.expired()):
        part = min(GLANCE, length - taken)
        schedule = (part, float(hot * cooling**taken), float(hot * cooling ** (taken + part)))
        used = proposals.anneal(
            board.table, board.state, problem.goal_dims, problem.budget, schedule
        )
        taken += used
        if used < part:
            break
    return taken


def _aim(
    board: Board, limits: Limits, wish: tuple[float, float, float], rng: np.random.Generator
) -> float:
    """Set windows whose meeting brings the value down, and return the squared step.

    ``wish`` is the present value, the share of its gap to the bound that may remain, and what is
    enough.
    """
    value, ambition, enough = wish
    goal = max(enough, limits.bound + ambition * (value - limits.bound))
    slack = max(value - goal, 1e-4) ** 2
    if board.problem.goal is Goal.DISTANCE:
        low, high = _around(board, goal)
        board.aim(low, high)
        return slack
    dims = board.problem.goal_dims
    peaks = board.problem.peaks(board.loads())
    room = peaks - limits.dimensions
    # Each dimension is asked for a random share of what it could give at most.
    share = rng.random(dims) * room
    share *= min((value - goal) / max(share.sum(), NOTHING), 1.0) if dims > 1 else 1.0
    target = np.maximum(peaks - share, limits.dimensions) + NOTHING
    shape = (dims, board.problem.bins)
    board.aim(np.full(shape, -np.inf), np.broadcast_to(target[:, None], shape))
    return slack


def _around(board: Board, distance: float) -> tuple[Floats, Floats]:
    """Return the windows of open bins around the means; closed bins are content with anything."""
    problem = board.problem
    means = np.repeat(board.means[: problem.goal_dims, None], problem.bins, axis=1)
    low, high = means - distance, means + distance
    if problem.goal is Goal.MAKESPAN:
        low[:] = -np.inf
    else:
        low[:, problem.closed], high[:, problem.closed] = -np.inf, np.inf
    return low, high


def _polish(board: Board, best: Solution, enough: float | None) -> None:
    """Even out what the goal does not see, then send home whoever is away for nothing.

    With ``enough``, moves count and evenness does not.
    """
    board.restore(best)
    problem = board.problem
    budget = problem.budget
    if enough is None and best.value < np.inf:
        for width in (0.5 * best.value, 0.0):
            before, spread, moves = board.solution(), board.spread(), _moved(board)
            board.aim(*_around(board, width))
            proposals.anneal(board.table, board.state, problem.goal_dims, budget, (LEG, 1e-9, 1e-9))
            gain = spread - board.spread()
            if board.value() > before.value + NOTHING or gain < MOVE_PRICE_PCT * (
                _moved(board) - moves
            ):
                board.restore(before)
    ceiling = best.value if enough is None else max(enough, best.value)
    worth = MOVE_PRICE_PCT if enough is None else np.inf
    send_home(
        board.table,
        board.state,
        board.means[: problem.goal_dims],
        problem.goal is Goal.DISTANCE,
        (ceiling, worth),
    )


def _moved(board: Board) -> int:
    """Return how many items are away from home."""
    return int(board.state.counts[kernel.MOVED])
