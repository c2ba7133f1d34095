"""A plan request as an assignment problem, and back."""

import numpy as np
import scipy.sparse as sp

from albic.arrays import Bools, Floats, Ints, Sparse
from albic.model import Allocation, Bundles, InvalidInput, Objective, PlanRequest, Resource, metrics
from albic.optimize.assignment import AssignmentProblem, Goal


def problem_of(request: PlanRequest) -> AssignmentProblem:
    """Return the assignment problem that ``request`` poses; its items are the bundles."""
    snapshot, bundles = request.snapshot, bundles_of(request)
    nodes = len(snapshot.cluster.nodes)
    home = bundles.home(snapshot.allocation, nodes)
    displaced = home[bundles.unit_of] != snapshot.allocation.owner
    charge = request.charge()
    budget = request.budget.limit - float(charge[displaced].sum())
    if budget < -1e-6 * (1 + request.budget.limit):
        raise InvalidInput(
            f"pinned bundles alone take {charge[displaced].sum():g} of a budget of "
            f"{request.budget.limit:g} {request.budget.unit}; pin fewer or raise it"
        )
    unit_charge = np.zeros(bundles.units)
    np.add.at(unit_charge, bundles.unit_of, charge)
    movable = unit_charge <= max(budget, 0.0)
    movable[bundles.unit_of[held(request)]] = False
    movable[[unit for unit, _ in bundles.pinned]] = False
    weights, base, limit, goal_dims = _dimensions(request, bundles, home)
    return AssignmentProblem(
        weights=weights,
        home=home,
        charge=unit_charge,
        movable=movable,
        budget=max(budget, 0.0),
        capacity=snapshot.cluster.capacities(),
        closed=snapshot.cluster.draining() | _idle(request),
        enterable=request.may_receive(),
        base=base,
        limit=limit,
        goal=Goal(request.objective.value),
        goal_dims=goal_dims,
        drain_weight=request.drain_weight,
        least=_least(request, goal_dims),
    )


def allocation_of(request: PlanRequest, owner: Ints) -> Allocation:
    """Return the allocation in which each unit is on its ``owner``."""
    return Allocation(owner[bundles_of(request).unit_of])


def bundles_of(request: PlanRequest) -> Bundles:
    """Return the request's bundles; without any, each key group is a unit of its own."""
    return request.bundles or Bundles(np.arange(request.snapshot.topology.key_groups))


def stranded(request: PlanRequest) -> Bools:
    """Return the key groups that alone cost more than the whole budget, so that none can move."""
    too_dear: Bools = request.charge() > request.budget.limit
    return too_dear


def held(request: PlanRequest) -> Bools:
    """Return the key groups that stay where they are: fixed, or on nodes that do not count."""
    staying: Bools = ~request.may_move() | _idle(request)[request.snapshot.allocation.owner]
    return staying


def _idle(request: PlanRequest) -> Bools:
    """Return the nodes that a distance leaves out; to a makespan an idle node is no matter."""
    if request.objective is Objective.MAKESPAN:
        return np.zeros(len(request.snapshot.cluster.nodes), dtype=np.bool_)
    return metrics.left_idle(request)


def _dimensions(
    request: PlanRequest, bundles: Bundles, home: Ints
) -> tuple[Sparse, Floats, Floats, int]:
    """Return item weights, base loads, limits and how many dimensions make the goal."""
    snapshot = request.snapshot
    groups, nodes = snapshot.topology.key_groups, len(snapshot.cluster.nodes)
    load, group = snapshot.usage[metrics.balanced(request)], np.arange(groups)
    if request.objective is Objective.MAKESPAN:
        goal_dims = snapshot.topology.stage_count
        columns = [(snapshot.topology.stage_of(), load)]
        base = [np.zeros((goal_dims, nodes))]
    else:
        goal_dims = 1
        # What lies on nodes that do not count is no load of the others either.
        counted = ~_idle(request)[snapshot.allocation.owner]
        columns = [(np.zeros(groups, dtype=np.int64), load * counted)]
        base = [snapshot.background[None, :]]
    limits = [np.full((goal_dims, nodes), np.inf)]
    for resource in _scarce(request):
        columns.append((np.full(groups, goal_dims + len(columns) - 1), snapshot.usage[resource]))
        base.append(np.zeros((1, nodes)))
        work = np.bincount(home[bundles.unit_of], snapshot.usage[resource], minlength=nodes)
        present = work / snapshot.cluster.capacities()
        # What is over its limit already may stay, or no plan would be allowed at all.
        limits.append(np.maximum(request.limits_pct[resource], present)[None, :])
    dims = goal_dims + len(columns) - 1
    weights = sp.coo_array(
        (
            np.concatenate([values for _, values in columns]),
            (
                np.tile(bundles.unit_of[group], len(columns)),
                np.concatenate([column for column, _ in columns]),
            ),
        ),
        shape=(bundles.units, dims),
    ).tocsr()
    return weights, np.vstack(base), np.vstack(limits), goal_dims


def _least(request: PlanRequest, goal_dims: int) -> Floats:
    """Return what each part of the goal is at least, wherever its items are."""
    if request.objective is Objective.MAKESPAN:
        return metrics.stage_floors(request.snapshot)
    return np.zeros(goal_dims)


def _scarce(request: PlanRequest) -> list[Resource]:
    """Return the other resources that some allocation could push over their limit."""
    snapshot = request.snapshot
    smallest = float(snapshot.cluster.capacities().min())
    return [
        resource
        for resource in Resource
        if resource is not metrics.balanced(request)
        and snapshot.usage[resource].sum() > request.limits_pct[resource] * smallest
    ]
