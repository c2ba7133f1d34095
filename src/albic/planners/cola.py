"""COLA: split the whole job into ever smaller parts until they can be spread evenly.

A static optimiser: it looks neither at where key groups are now nor at the budget.
``docs/decisions/005-flux-and-cola.md`` says how we read it and where it had to be completed.
"""

import time
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from albic.arrays import Bools, Floats, Ints
from albic.model import Allocation, Objective, Outcome, Plan, PlanRequest, SearchReport, plan_for
from albic.model.validation import ROUNDING, violations
from albic.optimize.assignment import AssignmentProblem
from albic.optimize.partition import partition
from albic.planners.problem import held, problem_of

#: One part is split between two attempts to place them all, up to this many parts a node. Much
#: depends on it there: five parts a node may be even where four and six are not.
FEW_PARTS_A_NODE = 8

#: Beyond that, one part in so many is split at once, or a thousand key groups would take seconds.
PARTS_A_SPLIT = 16


@dataclass(frozen=True, slots=True)
class ColaPlanner:
    """Plans from scratch: little traffic between nodes, and loads as even as was asked for.

    All key groups begin in one part. The heaviest part is cut in two by balanced graph
    partitioning, again and again, until the parts, put on the idlest node one by one and the
    heaviest first, stay within the request's maximum load distance.
    """

    keeps_budget: ClassVar[bool] = False
    gathers: ClassVar[bool] = True

    def plan(self, request: PlanRequest) -> Plan:
        """Return a plan that keeps to every rule but the budget."""
        started_s = time.perf_counter()
        # Its graph has no place for bundles, and its loads none for stages.
        simple = replace(request, objective=Objective.DISTANCE, bundles=None)
        if held(simple).all() or not request.may_receive().any():
            return _held(request, "everything is kept where it is")
        found = _from_scratch(problem_of(simple), simple)
        if found is None:
            plan = _held(request, "no placement within the resource limits was found")
        else:
            plan = _judged(request, found)
        return replace(plan, wall_s=time.perf_counter() - started_s)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Items that stay together, and their summed weight in each dimension."""

    items: Ints
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Placement:
    """Where each item goes, how even that is, and in how many parts."""

    owner: Ints
    distance: float
    parts: int


def _from_scratch(problem: AssignmentProblem, request: PlanRequest) -> _Placement | None:
    """Return the first placement that is even enough, else the most even one met."""
    weights: Floats = problem.weights.toarray()
    few = FEW_PARTS_A_NODE * int(problem.enterable.sum())
    stays = held(request)
    free = np.flatnonzero(~stays)
    parts, best = [_Part(free, weights[free].sum(axis=0))], None
    present = problem.base + _carried(problem, weights, stays)
    while True:
        best = _placed(problem, present, parts, best.distance if best else np.inf) or best
        divisible = [part for part in parts if part.items.size > 1]
        if not divisible or (best and best.distance <= request.max_load_distance_pct):
            return best
        chosen = divisible[: 1 if len(parts) < few else max(1, len(parts) // PARTS_A_SPLIT)]
        halves = [
            _Part(items, weights[items].sum(axis=0))
            for part in chosen
            for items in _halves(part.items, weights[part.items, 0], request)
        ]
        split = {id(part) for part in chosen}
        parts = _heaviest_first([part for part in parts if id(part) not in split] + halves)


def _halves(items: Ints, load: Floats, request: PlanRequest) -> tuple[Ints, Ints]:
    """Return ``items`` in two halves of about the same load, with little traffic between them."""
    traffic = request.snapshot.traffic[items][:, items]
    label = partition(traffic, load, 2, request.seed)
    return items[label == 0], items[label == 1]


def _heaviest_first(parts: list[_Part]) -> list[_Part]:
    """Return ``parts`` by falling load, equals by their first item."""
    return sorted(parts, key=lambda part: (-part.weights[0], part.items[0]))


def _carried(problem: AssignmentProblem, weights: Floats, held: Bools) -> Floats:
    """Return what the items that are ``held`` at home put on each bin, in each dimension."""
    carried = np.zeros(problem.base.shape)
    for item in np.flatnonzero(held):
        home = problem.home[item]
        carried[:, home] += weights[item] / problem.capacity[home]
    return carried


def _placed(
    problem: AssignmentProblem, present: Floats, parts: list[_Part], than: float
) -> _Placement | None:
    """Return each part on the bin that is idlest with it, if that is more even ``than``.

    ``present`` is what bins carry in any case.
    """
    open_bins = np.flatnonzero(problem.enterable)
    # Among equals the largest bin comes first, then the one with the least that is there already.
    order = np.lexsort((present[0, open_bins], -problem.capacity[open_bins]))
    bins = open_bins[order]
    limit, mean = problem.limit[1:, bins] + ROUNDING / 2, problem.means()[0]
    loads, used = present[0, bins].copy(), present[1:, bins].copy()
    owner = problem.home.copy()
    for part in parts:
        added = part.weights[:, None] / problem.capacity[bins]
        after = loads + added[0]
        if used.size:
            after[(used + added[1:] > limit).any(axis=0)] = np.inf
        chosen = int(after.argmin())
        # Loads only grow, so this placement cannot come out more even any more.
        if not after[chosen] - mean < than:
            return None
        loads[chosen] = after[chosen]
        used[:, chosen] += added[1:, chosen]
        owner[part.items] = bins[chosen]
    distance = float(np.abs(loads - mean).max())
    return _Placement(owner, distance, len(parts)) if distance < than else None


def _judged(request: PlanRequest, found: _Placement) -> Plan:
    """Return the plan for ``found``, or the present allocation if it breaks another rule."""
    plan = plan_for(request, Allocation(found.owner), SearchReport("cola", Outcome.HEURISTIC, ""))
    broken = [f for f in violations(plan, request) if f.rule != "over-budget"]
    if broken:
        return _held(request, f"the plan from scratch would break a rule ({broken[0]})")
    spent = float(request.charge()[[move.key_group for move in plan.moves]].sum())
    budget = request.budget
    reason = (
        f"{found.parts} parts placed from scratch take {len(plan.moves)} moves, "
        f"{spent:g} against a budget of {budget.limit:g} {budget.unit}"
    )
    if found.distance > request.max_load_distance_pct:
        reason += f"; no split came within a load distance of {request.max_load_distance_pct:g}"
    if request.objective is Objective.MAKESPAN:
        reason += "; COLA balances whole loads, not stages"
    return replace(plan, reason=reason)


def _held(request: PlanRequest, reason: str) -> Plan:
    report = SearchReport("cola", Outcome.UNCHANGED, reason)
    return plan_for(request, request.snapshot.allocation, report)
