"""Flux: the busiest node gives its biggest suitable group to the idlest, and so on inwards.

``docs/decisions/005-flux-and-cola.md`` says how we read it and where it had to be completed.
"""

import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from albic.arrays import Floats, Ints
from albic.model import Objective, Outcome, Plan, PlanRequest, SearchReport, plan_for
from albic.model.validation import ROUNDING, violations
from albic.optimize.assignment import AssignmentProblem
from albic.planners.problem import allocation_of, problem_of

#: What balancing whole loads can do to a makespan, by the rule of the judge that it breaks.
SPOILT = {
    "not-worse": "made the makespan worse",
    "resource-limit": "put a node over the limit of a resource",
}


@dataclass(frozen=True, slots=True)
class FluxPlanner:
    """Pairs the busiest node with the idlest, the second with the second last, and so on.

    In each pair the busier node gives one unit to the idler: the heaviest with which the variance
    of the loads falls. Passes over the pairs are repeated until the budget is spent or nothing
    helps. Draining nodes count as the busiest of all and give everything away first.
    """

    keeps_budget: ClassVar[bool] = True

    def plan(self, request: PlanRequest) -> Plan:
        """Return the plan."""
        started_s = time.perf_counter()
        problem = problem_of(replace(request, objective=Objective.DISTANCE))
        run = _Run(problem, request.target_distance_pct)
        run.drain()
        passes = 0
        while run.balance():
            passes += 1
        reason = f"passes over the pairs of nodes: {passes}, until {run.ending()}"
        if request.objective is Objective.MAKESPAN:
            reason += "; Flux balances whole loads, not stages"
        report = SearchReport("flux", Outcome.HEURISTIC, reason)
        plan = plan_for(request, allocation_of(request, run.owner), report)
        spoilt = {finding.rule for finding in violations(plan, request)} & set(SPOILT)
        if spoilt:
            report = replace(report, reason=f"{reason}, and that would have {SPOILT[min(spoilt)]}")
            plan = plan_for(request, allocation_of(request, problem.home), report)
        return replace(plan, wall_s=time.perf_counter() - started_s)


class _Run:
    """One run over one problem: where the items are by now, and what that means for the bins."""

    def __init__(self, problem: AssignmentProblem, target_distance: float | None) -> None:
        self.problem = problem
        self.target_distance = -1.0 if target_distance is None else target_distance
        self.owner: Ints = problem.home.copy()
        self.loads: Floats = problem.loads(problem.home)
        self.mean = float(problem.means()[0])
        self.left = problem.budget
        self.weights: Floats = problem.weights.toarray()
        self.held = self._unmoved()
        self.rank = self._rank()

    def drain(self) -> None:
        """Give what is in closed bins to the idlest open bins, the heaviest first."""
        for bin_ in self._busiest(np.flatnonzero(self.problem.closed)):
            for _, item in tuple(self.held[bin_]):
                for receiver in reversed(self._busiest(np.flatnonzero(self.problem.enterable))):
                    if self._may(item, receiver):
                        self._move(item, receiver)
                        break

    def balance(self) -> bool:
        """Go over the pairs once, from the outside in; return whether anything moved."""
        moved = False
        order = self._busiest(np.flatnonzero(~self.problem.closed))
        idlest = [bin_ for bin_ in reversed(order) if self.problem.enterable[bin_]]
        for busy, idle in zip(order[: len(order) // 2], idlest, strict=False):
            if self._near_enough():
                return False
            for item in self._suitable(busy, idle):
                if self._may(item, idle):
                    self._move(item, idle)
                    moved = True
                    break
        return moved

    def ending(self) -> str:
        """Return why the run is over."""
        if self._near_enough():
            return "the target distance was reached"
        cheapest = min((self.problem.charge[i] for held in self.held for _, i in held), default=0.0)
        if self.left < cheapest:
            return "the budget was spent"
        return "no pair had a group whose move would help"

    def _suitable(self, busy: int, idle: int) -> Iterator[int]:
        """Yield the items of ``busy`` with which the variance falls, the heaviest first.

        Both new loads must lie between the two old ones. For equal bins that is the same as a
        falling variance; for unequal ones it also keeps the smaller bin from overshooting.
        """
        gap = self.loads[0, busy] - self.loads[0, idle]
        most = float(gap * self.problem.capacity[[busy, idle]].min()) - ROUNDING
        held = self.held[busy]
        for lightness, item in held[bisect_right(held, (-most, self.problem.items)) :]:
            if -lightness <= ROUNDING:
                return
            yield item

    def _may(self, item: int, receiver: int) -> bool:
        """Return whether the budget and the limits of ``receiver`` allow it."""
        if not self.problem.movable[item] or self.problem.charge[item] > self.left:
            return False
        after = self.loads[:, receiver] + self.weights[item] / self.problem.capacity[receiver]
        return bool((after[1:] <= self.problem.limit[1:, receiver] + ROUNDING / 2).all())

    def _move(self, item: int, receiver: int) -> None:
        giver = int(self.owner[item])
        self.loads[:, giver] -= self.weights[item] / self.problem.capacity[giver]
        self.loads[:, receiver] += self.weights[item] / self.problem.capacity[receiver]
        self.owner[item] = receiver
        self.left -= float(self.problem.charge[item])
        # Not held by the receiver either: in one period a group migrates once.
        self.held[giver].remove((-float(self.weights[item, 0]), item))

    def _near_enough(self) -> bool:
        gaps = np.abs(self.loads[0, ~self.problem.closed] - self.mean)
        return bool(gaps.max() <= self.target_distance)

    def _busiest(self, bins: Ints) -> list[int]:
        """Return ``bins`` by falling load."""
        order: list[int] = bins[np.lexsort((self.rank[bins], -self.loads[0, bins]))].tolist()
        return order

    def _unmoved(self) -> list[list[tuple[float, int]]]:
        """Return the (negative weight, item) of each bin, the heaviest and then lowest first."""
        held: list[list[tuple[float, int]]] = [[] for _ in range(self.problem.bins)]
        weight = self.weights[:, 0]
        for item in np.argsort(-weight, kind="stable").tolist():
            held[self.problem.home[item]].append((-float(weight[item]), item))
        return held

    def _rank(self) -> Ints:
        """Return the order among equally busy bins: by capacity, then by their first item.

        It does not depend on how bins are numbered, so renumbering them changes no plan.
        """
        first = np.full(self.problem.bins, self.problem.items)
        np.minimum.at(first, self.problem.home, np.arange(self.problem.items))
        rank = np.empty(self.problem.bins, dtype=np.int64)
        rank[np.lexsort((first, self.problem.capacity))] = np.arange(self.problem.bins)
        return rank
