"""Assignment problems small enough to try every assignment, and all of those."""

import itertools
import os
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from albic.arrays import Floats, Ints
from albic.optimize.assignment import AssignmentProblem, Goal

#: How many seeded problems a law is held against; the nightly run looks further.
MANY = 5000 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 500

#: By number of bins: with more items there are too many assignments to try them all.
MOST_ITEMS = {2: 8, 3: 7, 4: 6, 5: 5}


def tiny_problem(seed: int, goal: Goal) -> AssignmentProblem:
    """Return a problem of few items and bins, every feature in every combination."""
    rng = np.random.default_rng((seed, goal is Goal.MAKESPAN))
    bins = int(rng.choice(list(MOST_ITEMS)))
    items = int(rng.integers(1, MOST_ITEMS[bins] + 1))
    dims = 1 if goal is Goal.DISTANCE else int(rng.integers(1, 4))
    home = rng.integers(0, bins, items)
    weights = _weights(items, dims, goal, rng)
    charge = np.ones(items) if seed % 2 else rng.integers(0, 5, items).astype(float)
    capacity = np.ones(bins) if seed % 3 else rng.choice([0.5, 1.0, 2.0, 3.7], bins)
    base = np.zeros((dims, bins))
    if goal is Goal.DISTANCE and rng.random() < 0.3:
        base = rng.integers(0, 12, (1, bins)).astype(float)
    limit = np.full((dims, bins), np.inf)
    if rng.random() < 0.25:
        weights, base, limit = _with_a_limit(weights, base, limit, home, capacity, rng)
    closed = np.zeros(bins, dtype=np.bool_)
    closed[rng.permutation(bins)[: rng.integers(0, bins)]] = rng.random() < 0.5
    budget = float(rng.choice([0, 1, 2, 3, 4, 6, np.inf]))
    least = np.zeros(dims)
    if goal is Goal.MAKESPAN and rng.random() < 0.3:
        least = rng.integers(0, 15, dims).astype(float)
    enterable = ~closed
    if seed % 4 == 3:
        enterable &= rng.random(bins) < 0.7
    return AssignmentProblem(
        weights=sp.csr_array(weights),
        home=home,
        charge=charge,
        movable=(charge <= budget) & (rng.random(items) < (0.8 if seed % 5 == 0 else 1.0)),
        budget=budget,
        capacity=capacity,
        closed=closed,
        enterable=enterable,
        base=base,
        limit=limit,
        goal=goal,
        goal_dims=dims,
        drain_weight=0.5 if seed % 7 == 0 else 1.5,
        least=least,
    )


def _weights(items: int, dims: int, goal: Goal, rng: np.random.Generator) -> Floats:
    """Return small whole numbers or fractions; in a makespan, mostly one dimension an item."""
    sizes = (
        rng.uniform(0, 20, (items, dims))
        if rng.random() < 0.4
        else rng.integers(0, 10, (items, dims))
    )
    if goal is Goal.MAKESPAN and rng.random() < 0.8:
        sizes = sizes * np.eye(dims)[rng.integers(0, dims, items)]
    return sizes.astype(float)


def _with_a_limit(
    weights: Floats,
    base: Floats,
    limit: Floats,
    home: Ints,
    capacity: Floats,
    rng: np.random.Generator,
) -> tuple[Floats, Floats, Floats]:
    """Return the same with one more dimension, which has a limit that the start keeps."""
    bins = capacity.size
    sizes = rng.integers(0, 10, home.size).astype(float)
    present = np.bincount(home, sizes, minlength=bins) / capacity
    allowed = np.maximum(present, rng.integers(5, 20))
    return (
        np.column_stack([weights, sizes]),
        np.vstack([base, np.zeros(bins)]),
        np.vstack([limit, allowed]),
    )


@dataclass(frozen=True, slots=True, eq=False)
class Everything:
    """All assignments that a problem allows, a row each.

    ``behind`` is the weight that is left in closed bins.
    """

    owner: Ints
    value: Floats
    spent: Floats
    moves: Ints
    behind: Floats


def everything(problem: AssignmentProblem, *, any_budget: bool = False) -> Everything:
    """Return every allowed assignment; with ``any_budget``, whatever it costs."""
    owner = np.array(list(itertools.product(range(problem.bins), repeat=problem.items)))
    away = owner != problem.home
    spent = away @ problem.charge
    allowed = ~(away & ~problem.enterable[owner]).any(axis=1)
    if not any_budget:
        allowed &= ~(away & ~problem.movable).any(axis=1) & (spent <= problem.budget)
    placed = np.eye(problem.bins)[owner]
    work = np.einsum("aub,ud->adb", placed, problem.weights.toarray())
    loads = problem.base + work / problem.capacity
    allowed &= (loads <= problem.limit + 1e-9).all(axis=(1, 2))
    goals = loads[:, : problem.goal_dims]
    if problem.goal is Goal.MAKESPAN:
        value = np.maximum(goals.max(axis=2), problem.least).sum(axis=1)
    else:
        value = np.abs(goals[:, 0, ~problem.closed] - problem.means()[0]).max(axis=1)
    behind = problem.closed[owner] @ problem.item_weight()
    return Everything(
        owner[allowed], value[allowed], spent[allowed], away.sum(axis=1)[allowed], behind[allowed]
    )
