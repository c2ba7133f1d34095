"""From options to a request, and from a planner to a judged plan."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from albic.control.replay import Changes
from albic.model import (
    Budget,
    BudgetUnit,
    InvalidInput,
    Objective,
    Plan,
    PlanRejected,
    PlanRequest,
    Snapshot,
    Violation,
    violations,
)
from albic.planners import find_planner, planner_names
from albic.planners.milp import MilpPlanner
from albic.planners.planner import Planner

Formulation = Literal["repaired", "paper"]

#: More moves than any cluster has key groups, and still exact as a float.
_ANY_NUMBER = 2**53


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the options of ``plan`` and ``compare`` ask for."""

    max_migrations: int | None
    max_cost: float | None
    objective: str = "distance"
    target_distance_pct: float | None = None
    max_load_distance_pct: float = 10.0
    limits_pct: tuple[float, float, float] = (100.0, 100.0, 100.0)
    drain_weight: float = 1.5
    time_limit_s: float = 0.2
    seed: int = 1

    def request(self, snapshot: Snapshot) -> PlanRequest:
        """Return the request that these wishes make of ``snapshot``."""
        return PlanRequest(
            snapshot=snapshot,
            budget=self.budget(),
            objective=Objective(self.objective),
            target_distance_pct=self.target_distance_pct,
            max_load_distance_pct=self.max_load_distance_pct,
            limits_pct=np.array(self.limits_pct),
            drain_weight=self.drain_weight,
            time_limit_s=self.time_limit_s,
            seed=self.seed,
        )

    def budget(self) -> Budget:
        """Return the migration budget, given in one way and not in two."""
        if self.max_migrations is not None and self.max_cost is None:
            return _moves(self.max_migrations)
        if self.max_cost is not None and self.max_migrations is None:
            return Budget(self.max_cost, BudgetUnit.COST)
        raise InvalidInput(
            "give the migration budget as --max-migrations or --max-cost, one of the two"
        )


def changes(
    max_migrations: int | None,
    objective: str | None,
    max_load_distance_pct: float | None,
    time_limit_s: float | None,
    seed: int | None,
) -> Changes:
    """Return what the options of ``replay`` ask otherwise than recorded."""
    return Changes(
        budget=None if max_migrations is None else _moves(max_migrations),
        objective=None if objective is None else Objective(objective),
        max_load_distance_pct=max_load_distance_pct,
        time_limit_s=time_limit_s,
        seed=seed,
    )


def _moves(most: int) -> Budget:
    """Return a budget of moves."""
    return Budget(float(max(-_ANY_NUMBER, min(most, _ANY_NUMBER))), BudgetUnit.MOVES)


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """A planner and what the user calls it."""

    name: str
    planner: Planner


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A plan and what the judge found wrong with it."""

    name: str
    plan: Plan
    findings: tuple[Violation, ...]


def planner_named(name: str, formulation: Formulation = "repaired") -> Named:
    """Return the planner called ``name``; ``formulation`` is for milp alone."""
    if name == "milp":
        return Named(name, MilpPlanner(formulation=formulation))
    return Named(name, find_planner(name))


def planners_named(names: str, formulation: Formulation = "repaired") -> list[Named]:
    """Return the planners in a list with commas, each once."""
    listed = dict.fromkeys(name.strip() for name in names.split(",") if name.strip())
    if not listed:
        raise InvalidInput(
            f"name at least one planner; known are {', '.join(sorted(planner_names()))}"
        )
    return [planner_named(name, formulation) for name in listed]


def judged(named: Named, request: PlanRequest) -> Judged:
    """Return the planner's answer, and what the judge says of it."""
    plan = named.planner.plan(request)
    return Judged(named.name, plan, tuple(violations(plan, request)))


def accepted(answer: Judged) -> Plan:
    """Return a plan that the judge lets pass."""
    if answer.findings:
        first, more = answer.findings[0], len(answer.findings) - 1
        others = f" and {more} more like it" if more else ""
        raise PlanRejected([f"the plan of {answer.name} is refused: {first}{others}"])
    return answer.plan
