"""Balancing every stage against balancing their sum: what a batch waits for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from albic.cli.shared.screen import tracked
from albic.model import Budget, Objective, PlanRequest, metrics
from albic.planners.search import SearchPlanner
from bench.goals import Goal, Result, Row, column, mean, most
from bench.instances import answered, staged

TIME_LIMIT_S = 0.2
#: Moves, and by how much the batch latency must be lower, in percent.
LOWER_PCT = {13: 15.0, 40: 25.0}
#: With so many moves, how far over its bound the makespan may be, in percent.
NEAR_MOVES, NEAR_PCT = 40, 3.0


@dataclass(frozen=True, slots=True)
class Staged:
    """One staged job with a budget."""

    seed: int
    moves: int

    @property
    def name(self) -> str:
        """Return what tells this case from the others."""
        return f"{self.moves} moves, seed {self.seed}"


def makespan(seeds: Sequence[int]) -> Result:
    """Return what it brings to look at stages one by one."""
    cases = [Staged(seed, moves) for moves in LOWER_PCT for seed in seeds]
    rows = [_planned(case) for case in tracked(cases, "stages with")]
    return Result(_goals(rows), tuple(rows), tuple(_summary(rows, moves) for moves in LOWER_PCT))


def _planned(case: Staged) -> Row:
    """Return the batch latency that each objective leads to; 1 is a perfectly even one."""
    snapshot = staged(case.seed)
    summed = PlanRequest(snapshot, Budget(case.moves), time_limit_s=TIME_LIMIT_S, seed=case.seed)
    by_sum = answered(SearchPlanner(), summed)
    by_stage = answered(SearchPlanner(), replace(summed, objective=Objective.MAKESPAN))
    ideal = metrics.mean_load(snapshot)
    latency = metrics.makespan(snapshot, by_stage.plan.target)
    other = metrics.makespan(snapshot, by_sum.plan.target)
    bound = by_stage.plan.bound
    return {
        "moves": case.moves,
        "seed": case.seed,
        "start": metrics.makespan(snapshot, snapshot.allocation) / ideal,
        "distance": other / ideal,
        "makespan": latency / ideal,
        "bound": None if bound is None else bound / ideal,
        "lower_pct": 100 * (1 - latency / other),
        "over_bound_pct": None if bound is None else 100 * (latency / bound - 1),
        "wall_s": by_stage.wall_s,
        "findings": by_sum.findings + by_stage.findings,
    }


def _goals(rows: Sequence[Row]) -> tuple[Goal, ...]:
    """Return the promises about the makespan, for the mean of the seeds."""
    goals = []
    for moves, wanted in LOWER_PCT.items():
        lower = column(_with(rows, moves), "lower_pct")
        note = f"worst {min(lower):.1f}"
        what = f"batch latency below that of distance, {moves} moves"
        goals.append(Goal(what, wanted, mean(lower), "%", least=True, note=note))
    over = column(_with(rows, NEAR_MOVES), "over_bound_pct")
    what = f"batch latency over its bound, {NEAR_MOVES} moves"
    note = f"worst {most(over):.2f}"
    return (
        *goals,
        Goal(what, NEAR_PCT, mean(over), "%", note=note),
        Goal("violations in all plans", 0, int(sum(column(rows, "findings")))),
    )


def _summary(rows: Sequence[Row], moves: int) -> Row:
    """Return the means over the seeds."""
    names = ("start", "distance", "makespan", "bound", "lower_pct", "over_bound_pct")
    some = _with(rows, moves)
    return {"moves": moves} | {name: mean(column(some, name)) for name in names}


def _with(rows: Sequence[Row], moves: int) -> list[Row]:
    """Return the rows with that many moves."""
    return [row for row in rows if row["moves"] == moves]
