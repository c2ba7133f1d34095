"""A proven lower bound of the makespan within a number of moves, and how to share them out."""

from dataclasses import dataclass

import numpy as np

from albic.arrays import Bools, Floats, Ints
from albic.optimize.assignment import AssignmentProblem
from albic.optimize.compiled import compiled
from albic.optimize.packing import Stage, least_height, stages_of
from albic.optimize.tournament import play, tournament

#: Up to this many (dimensions x moves x moves), moves are shared out by a dynamic program.
FULL_PROGRAM = 20_000_000
#: Steps that the search for packings may take in all; about forty milliseconds.
STEPS = 350_000
#: How exactly curves are wanted, as a part, one pass after the other: the last bit costs more than
#: all before it, so first the curves become roughly right everywhere.
PASSES = (0.02, 0.0)
#: Sums of the dynamic program that take as long as one step.
STEPS_A_SUM = 20


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """What no sum of maxima within the budget is below, and the maxima that it is made of."""

    bound: float
    peaks: Floats


def makespan_floor(problem: AssignmentProblem) -> Floats:
    """Return, for each goal dimension, the maximum that no assignment beats."""
    work: Floats = np.asarray(problem.weights.sum(axis=0)).ravel()[: problem.goal_dims]
    largest: Floats = problem.weights[:, : problem.goal_dims].max(axis=0).toarray().ravel()
    floor: Floats = np.maximum(work / problem.capacity.sum(), largest / problem.capacity.max())
    return np.maximum(floor, problem.least)


def makespan_shares(problem: AssignmentProblem) -> Shares:
    """Return a sum of maxima below which no assignment within the budget comes.

    For each dimension there is a curve, the least maximum for each number of moves. Departures only
    lower a bin by its largest items, so a first curve takes from the fullest bin each time and
    forgets that what leaves has to go somewhere. The moves are shared out among the dimensions, and
    where it matters, and as long as that is quick, a search over all packings tells more. Where one
    item weighs in several dimensions, each dimension is granted all moves.
    """
    moves = min(problem.affordable(), problem.items)
    floor = makespan_floor(problem)
    stages = stages_of(problem)
    curves = np.empty((problem.goal_dims, moves + 1))
    for dim, stage in enumerate(stages):
        _relieve(curves[dim], stage.work / stage.capacity, stage.relief(), stage.pointer)
        np.maximum(curves[dim], floor[dim], out=curves[dim])
    if (np.diff(problem.weights[:, : problem.goal_dims].indptr) > 1).any():
        return _each_with_all(stages, curves)
    if problem.goal_dims * moves**2 > FULL_PROGRAM:
        return _along_hulls(curves)
    return _by_program(stages, curves)


def _by_program(stages: list[Stage], curves: Floats) -> Shares:
    """Return the shares of a dynamic program, the curves made exact where it leans on them.

    Curves are raised only. As soon as all that the best shares lean on is exact, they are the best.
    """
    left = STEPS
    for within in PASSES[:-1]:
        _, left = _raised(stages, curves, within, left)
    peaks, _ = _raised(stages, curves, PASSES[-1], left)
    return Shares(float(peaks.sum()), peaks)


def _raised(stages: list[Stage], curves: Floats, within: float, left: int) -> tuple[Floats, int]:
    """Raise the curves until the best shares lean on none that is less exact than ``within``.

    Return the maxima of these shares, and the steps that are left.
    """
    dims, moves = curves.shape[0], curves.shape[1] - 1
    known: Bools = np.zeros(curves.shape, dtype=np.bool_)
    while True:
        shares = _share_out(curves)
        left -= dims * moves**2 // STEPS_A_SUM
        peaks: Floats = curves[np.arange(dims), shares]
        unknown = np.flatnonzero(~known[np.arange(dims), shares])
        if not unknown.size or left <= 0:
            return peaks, left
        for dim in unknown.tolist():
            most = int(shares[dim])
            low = float(peaks[dim])
            height, taken = least_height(stages[dim], low, most, max(left, 0), within)
            # Fewer moves cannot do better.
            np.maximum(curves[dim, : most + 1], height, out=curves[dim, : most + 1])
            known[dim, most] = True
            left -= taken


def _each_with_all(stages: list[Stage], curves: Floats) -> Shares:
    """Return what each dimension could do with all moves for itself."""
    moves, steps = curves.shape[1] - 1, STEPS // len(stages)
    peaks: Floats = np.array(
        [
            least_height(stage, float(curve[moves]), moves, steps)[0]
            for stage, curve in zip(stages, curves, strict=True)
        ]
    )
    return Shares(float(peaks.sum()), peaks)


def _along_hulls(curves: Floats) -> Shares:
    """Return shares for so many moves that fractions of them do not matter.

    Each curve is replaced by the largest convex one below it. The steepest pieces of all are then
    the best ones; the last one counts in part for the bound, and not at all for the maxima.
    """
    pieces = [_hull(curve) for curve in curves]
    dim = np.repeat(np.arange(len(pieces)), [corners.size - 1 for corners in pieces])
    begin = np.concatenate([corners[:-1] for corners in pieces])
    end = np.concatenate([corners[1:] for corners in pieces])
    gain = curves[dim, begin] - curves[dim, end]
    order = np.argsort(-gain / (end - begin), kind="stable")
    used = np.cumsum((end - begin)[order])
    whole = int(np.searchsorted(used, curves.shape[1] - 1, side="right"))
    shares = np.zeros(len(pieces), dtype=np.int64)
    np.maximum.at(shares, dim[order[:whole]], end[order[:whole]])
    bound = curves[:, 0].sum() - gain[order[:whole]].sum()
    if whole < order.size:
        last = order[whole]
        left = curves.shape[1] - 1 - (used[whole - 1] if whole else 0)
        bound -= gain[last] * left / (end - begin)[last]
    return Shares(float(bound), curves[np.arange(shares.size), shares])


@compiled
def _hull(curve: Floats) -> Ints:
    """Return the corners of the largest convex curve below ``curve``."""
    corners = np.zeros(curve.size, np.int64)
    count = 1
    for at in range(1, curve.size):
        while count > 1:
            first, middle = corners[count - 2], corners[count - 1]
            straight = (curve[at] - curve[first]) * (middle - first)
            if (curve[middle] - curve[first]) * (at - first) < straight:
                break
            count -= 1
        corners[count] = at
        count += 1
    return corners[:count].copy()


@compiled
def _relieve(best: Floats, load: Floats, relief: Floats, pointer: Ints) -> None:
    """Fill ``best`` with the fullest load after each number of departures from the fullest bin."""
    taken = pointer[:-1].copy()
    tree = tournament(load)
    for moves in range(best.size):
        fullest = tree[1]
        best[moves] = load[fullest]
        if taken[fullest] == pointer[fullest + 1]:
            best[moves:] = load[fullest]
            return
        load[fullest] -= relief[taken[fullest]]
        taken[fullest] += 1
        play(tree, load, fullest)


@compiled
def _share_out(curves: Floats) -> Ints:
    """Return how many of the moves each curve gets so that their sum is the least."""
    dims, moves = curves.shape[0], curves.shape[1] - 1
    total = np.zeros(moves + 1)
    chosen = np.zeros((dims, moves + 1), np.int64)
    for dim in range(dims):
        combined = np.full(moves + 1, np.inf)
        for here in range(moves + 1):
            if here > 0 and curves[dim, here] == curves[dim, here - 1]:
                continue
            for before in range(moves + 1 - here):
                value = curves[dim, here] + total[before]
                if value < combined[here + before]:
                    combined[here + before] = value
                    chosen[dim, here + before] = here
        total = combined
    shares = np.zeros(dims, np.int64)
    left = moves
    for dim in range(dims - 1, -1, -1):
        shares[dim] = chosen[dim, left]
        left -= shares[dim]
    return shares
