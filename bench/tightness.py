"""How near the quick bounds come to our plans, on clusters that the other sections do not have."""

import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from albic.cli.shared.screen import tracked
from albic.model import Budget, Objective, PlanRequest, metrics
from albic.optimize.descent import limits_of
from albic.planners.problem import problem_of
from albic.planners.search import SearchPlanner
from albic.sim.workload import synthetic
from bench.goals import Goal, Result, Row, column, mean, most
from bench.instances import PAPER_SIZES, answered, skewed

TIME_LIMIT_S = 0.2
#: Raised and lowered nodes differ by so many points; paper: *varies*.
VARIES_PCT = (20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0)
MOVES = (10, 20, 40)
#: Nodes, key groups, stages and moves of small clusters.
SMALL = ((4, 32, 1, 8), (4, 32, 2, 8), (4, 32, 3, 8), (4, 32, 4, 8), (3, 24, 3, 6), (6, 48, 3, 10))
SKEWED, VARIED, STAGES = "skewed loads", "varies 20 to 80", "small clusters"
#: What may be left between plan and bound: points of load distance, percent of the makespan.
WANTED_PCT = {VARIED: 0.08, STAGES: 3.0}
BOUND_MS = 50.0
#: A single timing of milliseconds can be anything; the middle one of these counts.
REPEATS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A request, and the family of clusters that it belongs to."""

    family: str
    name: str
    request: PlanRequest


def tightness(seeds: Sequence[int]) -> Result:
    """Return how far plans are above their bounds, and what the bounds take."""
    rows = [measured_bound(each) for each in tracked(list(questions(seeds)), "bounds of")]
    families = (VARIED, SKEWED, STAGES)
    return Result(_goals(rows), tuple(rows), tuple(_summary(rows, family) for family in families))


def questions(seeds: Sequence[int]) -> list[Question]:
    """Return the clusters of all families."""
    asked = []
    for size, varies, moves, seed in itertools.product(PAPER_SIZES, VARIES_PCT, MOVES, seeds):
        snapshot = synthetic(*size, varies, 0.0, seed)
        request = PlanRequest(snapshot, Budget(moves), time_limit_s=TIME_LIMIT_S, seed=seed)
        asked.append(Question(VARIED, f"{size[0]} nodes, varies {varies:g}, {moves}", request))
    for moves, seed in itertools.product(MOVES, seeds):
        request = PlanRequest(skewed(seed), Budget(moves), time_limit_s=TIME_LIMIT_S, seed=seed)
        asked.append(Question(SKEWED, f"skewed, {moves} moves", request))
    for (nodes, groups, stages, moves), seed in itertools.product(SMALL, seeds):
        snapshot = synthetic(nodes, groups, stages, 40.0, 0.0, seed)
        request = PlanRequest(snapshot, Budget(moves), time_limit_s=TIME_LIMIT_S, seed=seed)
        by_stage = replace(request, objective=Objective.MAKESPAN)
        asked.append(Question(STAGES, f"{nodes} nodes, {stages} stages", by_stage))
    return asked


def measured_bound(question: Question) -> Row:
    """Return plan and bound of one question; the gap of a makespan is in percent of the bound."""
    request = question.request
    answer = answered(SearchPlanner(), request)
    bound, value = answer.plan.bound, answer.distance_pct
    if request.objective is Objective.MAKESPAN:
        value = metrics.makespan(request.snapshot, answer.plan.target)
    gap = None
    if bound is not None:
        gap = 100 * (value / bound - 1) if question.family == STAGES else value - bound
    problem = problem_of(request)
    return {
        "family": question.family,
        "cluster": question.name,
        "seed": request.seed,
        "plan": value,
        "bound": bound,
        "gap": gap,
        "bound_ms": 1000 * _seconds(lambda: limits_of(problem)),
        "findings": answer.findings,
    }


def _seconds(task: Callable[[], object]) -> float:
    """Return how long something takes once its code is loaded."""
    taken = []
    for _ in range(REPEATS):
        began_s = time.perf_counter()
        task()
        taken.append(time.perf_counter() - began_s)
    return statistics.median(taken)


def _goals(rows: Sequence[Row]) -> tuple[Goal, ...]:
    """Return the promises about bounds; skewed loads have none, they are shown."""
    goals = []
    for family, wanted in WANTED_PCT.items():
        gaps = column(_of(rows, family), "gap")
        unit = "%" if family == STAGES else "points"
        worst = f"worst {most(gaps):.3g}"
        goals.append(
            Goal(f"{family}: plan over its bound, mean", wanted, mean(gaps), unit, note=worst)
        )
    return (
        *goals,
        Goal("time of a bound, worst", BOUND_MS, most(column(rows, "bound_ms")), "ms"),
        Goal("plans without a bound", 0, len(rows) - len(column(rows, "gap"))),
        Goal("violations in all plans", 0, int(sum(column(rows, "findings")))),
    )


def _summary(rows: Sequence[Row], family: str) -> Row:
    """Return a line a family."""
    some = _of(rows, family)
    gaps = column(some, "gap")
    return {
        "clusters": f"{family}, {len(some)} of them",
        "plan": mean(column(some, "plan")),
        "bound": mean(column(some, "bound")),
        "gap": mean(gaps),
        "worst gap": most(gaps),
        "bound ms, worst": most(column(some, "bound_ms")),
    }


def _of(rows: Sequence[Row], family: str) -> list[Row]:
    """Return the rows of one family."""
    return [row for row in rows if row["family"] == family]
