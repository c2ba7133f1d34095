"""The paper's clusters: the search against its bound, Flux and plain HiGHS."""

import statistics
import time
from collections.abc import Sequence
from itertools import groupby

from albic.cli.shared.screen import tracked
from albic.model import PlanRequest, metrics
from albic.optimize.bound import CountBound
from albic.planners.flux import FluxPlanner
from albic.planners.problem import problem_of
from albic.planners.search import SearchPlanner
from bench.goals import Goal, Result, Row, column, mean, most
from bench.highs import Plain, plain_all
from bench.instances import Case, answered

TIME_LIMIT_S = 0.05
#: Differences below this are rounding, in points.
SAME_PCT = 1e-6
#: A single timing of milliseconds can be anything; the middle one of these counts.
BOUND_REPEATS = 5


def clusters(cases: Sequence[Case], highs_seconds: float, *, paper: bool) -> Result:
    """Return how good 50 ms of search are, and what plain HiGHS makes of many times that."""
    # What is timed comes first and alone; HiGHS keeps all cores busy.
    rows = [_planned(case) for case in tracked(cases, "search on")]
    plains = plain_all(cases, highs_seconds, paper=paper)
    rows = [_compared(row, plain) for row, plain in zip(rows, plains, strict=True)]
    return Result(_goals(rows, highs_seconds), tuple(rows), _summary(rows))


def _planned(case: Case) -> Row:
    """Return what search, its bound and Flux do on one case."""
    request = case.request(TIME_LIMIT_S)
    search = answered(SearchPlanner(), request)
    flux = answered(FluxPlanner(), request)
    bound = search.plan.bound
    return {
        "cluster": f"{case.nodes}/{case.key_groups}/{case.operators}",
        "varies": case.varies_pct,
        "moves": case.moves,
        "seed": case.seed,
        "start": metrics.load_distance(request.snapshot, request.snapshot.allocation),
        "search": search.distance_pct,
        "bound": bound,
        "gap": None if bound is None else search.distance_pct - bound,
        "flux": flux.distance_pct,
        "search_s": search.wall_s,
        "bound_s": bound_seconds(request),
        "findings": search.findings + flux.findings,
    }


def bound_seconds(request: PlanRequest) -> float:
    """Return how long the bound takes once its code is loaded."""
    problem = problem_of(request)
    CountBound(problem).distance()
    taken = []
    for _ in range(BOUND_REPEATS):
        began_s = time.perf_counter()
        CountBound(problem).distance()
        taken.append(time.perf_counter() - began_s)
    return statistics.median(taken)


def _compared(row: Row, plain: Plain) -> Row:
    """Return the row with what HiGHS did."""
    found: Row = {
        "highs": plain.distance_pct,
        "highs_bound": plain.bound_pct,
        "highs_optimal": plain.optimal,
        "highs_failed": plain.failed,
        "highs_s": plain.wall_s,
    }
    if plain.printed_pct is not None:
        found = {**found, "printed": plain.printed_pct}
    return {**row, **found}


def _goals(rows: Sequence[Row], highs_seconds: float) -> tuple[Goal, ...]:
    """Return the promises about the paper's clusters."""
    gaps, taken = column(rows, "gap"), column(rows, "search_s")
    open_ = [row for row in rows if not row["highs_optimal"] and not row["highs_failed"]]
    optimal = sum(bool(row["highs_optimal"]) for row in rows)
    # A gap that is missing must not flatter the mean.
    unbounded = len(rows) - len(gaps)
    return (
        Goal("search in 50 ms: gap to the proven bound, mean", 0.08, mean(gaps), "points"),
        Goal("search in 50 ms: gap to the proven bound, worst", 0.25, most(gaps), "points"),
        Goal(
            "time of such a plan, median",
            TIME_LIMIT_S * 1000,
            statistics.median(taken) * 1000,
            "ms",
            note=f"worst {max(taken) * 1000:.0f}",
        ),
        Goal("clusters where search is worse than Flux", 0, _worse(rows, "flux")),
        Goal(
            f"clusters where search is worse than plain HiGHS after {highs_seconds:g} s, "
            "that not being optimal",
            0,
            _worse(open_, "highs"),
            note=f"of {len(open_)}; HiGHS has the optimum of {optimal}",
        ),
        Goal("runs of HiGHS that failed", 0, sum(bool(row["highs_failed"]) for row in rows)),
        Goal("time of the bound, worst", 10.0, most(column(rows, "bound_s")) * 1000, "ms"),
        Goal("plans without a bound, or below one", 0, unbounded + _disproved(rows)),
        Goal("violations in all plans", 0, int(sum(column(rows, "findings")))),
    )


def _worse(rows: Sequence[Row], other: str) -> int:
    """Return on how many clusters the search has a larger distance than the other."""
    pairs = zip(column(rows, "search"), column(rows, other), strict=True)
    return sum(mine > theirs + SAME_PCT for mine, theirs in pairs)


def _disproved(rows: Sequence[Row]) -> int:
    """Return on how many clusters some plan is better than the bound says is possible."""
    bounded = [row for row in rows if row["bound"] is not None]
    best = (min(column([row], name)[0] for name in ("search", "flux", "highs")) for row in bounded)
    # HiGHS keeps to its rows up to a millionth.
    pairs = zip(best, column(bounded, "bound"), strict=True)
    return sum(found < bound - 10 * SAME_PCT for found, bound in pairs)


def _summary(rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return a line a cluster size and budget, averaged over *varies* and seeds."""

    def key(row: Row) -> tuple[str, int]:
        return str(row["cluster"]), int(column([row], "moves")[0])

    lines: list[Row] = []
    for (cluster, moves), group in groupby(sorted(rows, key=key), key):
        some = list(group)
        means = ("start", "flux", "highs", "printed", "search", "bound")
        optimal = sum(bool(row["highs_optimal"]) for row in some)
        line: Row = {
            "cluster": cluster,
            "moves": moves,
            **{name: mean(column(some, name)) for name in means if column(some, name)},
            "worst gap": most(column(some, "gap")),
            "search ms": mean(column(some, "search_s")) * 1000,
            "bound ms": mean(column(some, "bound_s")) * 1000,
            "HiGHS optimal": f"{optimal} of {len(some)}",
        }
        lines.append(line)
    return tuple(lines)
