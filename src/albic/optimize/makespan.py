"""A proven lower bound of the makespan within a number of moves."""

import numpy as np

from albic.arrays import Floats, Ints
from albic.optimize.assignment import AssignmentProblem
from albic.optimize.compiled import compiled


def makespan_floor(problem: AssignmentProblem) -> Floats:
    """Return, for each goal dimension, the maximum that no assignment beats."""
    work: Floats = np.asarray(problem.weights.sum(axis=0)).ravel()[: problem.goal_dims]
    largest: Floats = problem.weights[:, : problem.goal_dims].max(axis=0).toarray().ravel()
    floor: Floats = np.maximum(work / problem.capacity.sum(), largest / problem.capacity.max())
    return np.maximum(floor, problem.least)


def makespan_bound(problem: AssignmentProblem) -> float:
    """Return a sum of maxima below which no assignment within the budget comes.

    Departures only lower a bin by its largest items, so the best that m moves can do for one
    dimension is to take from the fullest bin each time. The moves are then shared out among the
    dimensions by a dynamic program; where one item weighs in several dimensions, each dimension is
    granted all moves instead.
    """
    moves = min(problem.affordable(), problem.items)
    floor = makespan_floor(problem)
    loads = problem.loads(problem.home)
    dims = problem.goal_dims
    best = np.empty((dims, moves + 1))
    columns = problem.weights.tocsc()
    for dim in range(dims):
        entries = slice(columns.indptr[dim], columns.indptr[dim + 1])
        items, weight = columns.indices[entries], columns.data[entries]
        kept = problem.movable[items]
        order = np.argsort(-weight[kept], kind="stable")
        bins = problem.home[items[kept][order]]
        relief = weight[kept][order] / problem.capacity[bins]
        by_bin = np.argsort(bins, kind="stable")
        pointer = np.searchsorted(bins[by_bin], np.arange(problem.bins + 1))
        _relieve(best[dim], loads[dim].copy(), relief[by_bin], pointer)
        np.maximum(best[dim], floor[dim], out=best[dim])
    goal_entries = problem.weights[:, :dims]
    if (np.diff(goal_entries.indptr) > 1).any():
        return float(best[:, moves].sum())
    return float(_share_out(best)[moves])


@compiled
def _relieve(best: Floats, load: Floats, relief: Floats, pointer: Ints) -> None:
    """Fill ``best`` with the fullest load after each number of departures from the fullest bin."""
    taken = pointer[:-1].copy()
    for moves in range(best.size):
        fullest = np.argmax(load)
        best[moves] = load[fullest]
        if taken[fullest] == pointer[fullest + 1]:
            best[moves:] = load[fullest]
            return
        load[fullest] -= relief[taken[fullest]]
        taken[fullest] += 1


@compiled
def _share_out(best: Floats) -> Floats:
    """Return the least sum over rows for each number of moves shared among them."""
    total = best[0].copy()
    for dim in range(1, best.shape[0]):
        combined = np.full(total.size, np.inf)
        for here in range(total.size):
            if here > 0 and best[dim, here] == best[dim, here - 1]:
                continue
            for before in range(total.size - here):
                value = best[dim, here] + total[before]
                combined[here + before] = min(combined[here + before], value)
        for moves in range(1, total.size):
            combined[moves] = min(combined[moves], combined[moves - 1])
        total = combined
    return total
