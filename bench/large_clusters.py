"""Large clusters: gap to the bound and memory, each cluster in a process of its own."""

import itertools
import json
import resource
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace

from albic.cli.shared.screen import tracked
from albic.optimize.search import compiled
from albic.planners.search import SearchPlanner
from bench.child import child
from bench.goals import Goal, Result, Row, column, most
from bench.instances import Case, answered

LARGE, HUGE = (200, 10_000, 50), (1_000, 100_000, 100)
#: Nodes to time limit to the gap that may be left then, in points.
WANTED = {200: {1.0: 0.25}, 1_000: {1.0: 0.2, 10.0: 0.1}}
MEMORY_GIB = 2.0
#: What a plan may take beyond its time limit and still be called in time.
IN_TIME = 1.1


def scale_cases(*, quick: bool) -> list[Case]:
    """Return clusters of both sizes, raised little and much, with few moves and many."""
    cases = [
        Case(*size, varies_pct, moves, seed=1)
        for size, budgets in ((LARGE, (100, 400)), (HUGE, (1_000, 4_000)))
        for varies_pct, moves in itertools.product((20.0, 60.0), budgets)
    ]
    return cases[1::4] if quick else cases


def scale(cases: Sequence[Case]) -> Result:
    """Return how near the bound the search comes on large clusters."""
    rows: list[Row] = []
    for case in tracked(cases, "search on"):
        limits = [str(limit_s) for limit_s in WANTED[case.nodes]]
        told = child("bench.large_clusters", json.dumps(asdict(case)), *limits)
        rows += [{**row, "peak_gib": told["peak_gib"]} for row in told["rows"]]
    return Result(_goals(rows), tuple(rows), tuple(rows))


def measured(case: Case, limits_s: Sequence[float]) -> list[Row]:
    """Return a row for each time limit."""
    compiled()
    request = case.request(time_limit_s=1.0)
    rows: list[Row] = []
    for limit_s in limits_s:
        answer = answered(SearchPlanner(), replace(request, time_limit_s=limit_s))
        bound = answer.plan.bound
        rows.append(
            {
                "nodes": case.nodes,
                "key groups": case.key_groups,
                "varies": case.varies_pct,
                "moves": case.moves,
                "limit_s": limit_s,
                "wall_s": answer.wall_s,
                "search": answer.distance_pct,
                "bound": bound,
                "gap": None if bound is None else answer.distance_pct - bound,
                "findings": answer.findings,
            }
        )
    return rows


def peak_gib() -> float:
    """Return the most memory that this process had.

    Linux counts what the parent had when it started us as well, so this is never too little.
    """
    unit_bytes = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit_bytes / 2**30


def _goals(rows: Sequence[Row]) -> tuple[Goal, ...]:
    """Return the promises about large clusters, for the worst of them."""
    goals = []
    for nodes, limits in WANTED.items():
        for limit_s, wanted in limits.items():
            some = [row for row in rows if row["nodes"] == nodes and row["limit_s"] == limit_s]
            if not some:
                continue
            gaps = column(some, "gap")
            worst = most(gaps) if len(gaps) == len(some) else float("nan")
            where = f"{nodes:,} nodes, {some[0]['key groups']:,} key groups, {limit_s:g} s"
            goals.append(Goal(f"{where}: gap to the proven bound, worst", wanted, worst, "points"))
            slowest = most(column(some, "wall_s"))
            goals.append(Goal(f"{where}: time of the plan, worst", IN_TIME * limit_s, slowest, "s"))
    return (
        *goals,
        Goal("peak memory of a process", MEMORY_GIB, most(column(rows, "peak_gib")), "GiB"),
        Goal("violations in all plans", 0, int(sum(column(rows, "findings")))),
    )


def main() -> None:
    """Measure the case of the command line and print it as JSON."""
    case = Case(**json.loads(sys.argv[1]))
    rows = measured(case, [float(limit_s) for limit_s in sys.argv[2:]])
    print(json.dumps({"rows": rows, "peak_gib": peak_gib()}))


if __name__ == "__main__":
    main()
