"""Figures of *Solver Performance for MILP*: quality against solving time, three clusters."""

import itertools
from collections.abc import Iterable, Mapping

from albic.experiments.entries.lines import line, table
from albic.experiments.entries.solver_claims import claims
from albic.experiments.experiment import Experiment
from albic.experiments.rows import Rows
from albic.experiments.runs.methods import FLUX, MILP, REPAIRED, SCRATCH, SEARCH, STAGES
from albic.experiments.runs.solver import SolverPoint, plan_once
from albic.experiments.seed_statistics import Spread, mean_spread, spread
from albic.figures import Chart, Series, Table

CLUSTERS = ((20, 400, 10), (40, 800, 20), (60, 1200, 30))
SMALLEST, LARGEST = CLUSTERS[0], CLUSTERS[-1]
MOVES = (10, 20, 30, 40)
VARIES_PCT = (20.0, 40.0, 80.0)
#: Seconds that each method gets, and with how many seeds. HiGHS takes all of its time, so what
#: takes long has fewer. Flux needs no time, but has a limit like all.
Limits = Mapping[str, tuple[tuple[float, int], ...]]
LIMITS: Limits = {
    FLUX: ((1.0, 5),),
    MILP: ((1.0, 5), (5.0, 2)),
    SCRATCH: ((1.0, 1), (5.0, 1)),
    REPAIRED: ((1.0, 5),),
    SEARCH: ((0.05, 5), (0.2, 5), (1.0, 5)),
    STAGES: ((0.2, 5),),
}
#: The solver alone is given the most where it is at its best.
LONG: Limits = {SCRATCH: ((20.0, 1),)}
QUICK: Limits = {
    FLUX: ((1.0, 1),),
    MILP: ((1.0, 1),),
    SCRATCH: ((2.0, 1),),
    REPAIRED: ((1.0, 1),),
    SEARCH: ((0.05, 1), (0.2, 1)),
    STAGES: ((0.2, 1),),
}

NOTES = (
    "Each seed is the mean over varies 20, 40 and 80; lines are medians over seeds with quartiles "
    "as bands. MILP is the printed program, started with our search's assignment of 0.2 s and "
    "improved by HiGHS in the rest of its time: five seeds for 1 s, n = 2 for 5 s. Solver from "
    "scratch is HiGHS alone with the same program, n = 1, for 1 and 5 s, on the smallest cluster "
    "for 20 s as well. HiGHS has one thread, two clusters are planned at once on two cores; the "
    "paper let CPLEX run for up to a minute on a desktop of 2011. All others have five seeds; Flux "
    "and the search end by themselves. The search by stage has another aim, the busiest node of "
    "each stage; it shows what that costs in load distance. joint is left out: it is the search "
    "where collocation is no aim, as here. The grey line is a proven bound on the load distance; a "
    "bound of 0 is not drawn. HiGHS can end with a larger load distance than it began with, for "
    "the printed program measures from a mean that is rounded up: on 40 nodes with varies 40, 10 "
    "moves and seed 2 it lowers d from 10.5 to 10.1 in 5 s and raises the load distance from 9.6, "
    "which is Flux's too, to 10.7."
)


def points(
    cluster: tuple[int, int, int],
    moves: tuple[int, ...],
    varies: tuple[float, ...],
    limits: Limits,
) -> Iterable[SolverPoint]:
    """Yield every method with every time limit and seed on every setting of one cluster."""
    for most, varies_pct, method in itertools.product(moves, varies, limits):
        for limit_s, seeds in limits[method]:
            for seed in range(1, seeds + 1):
                yield SolverPoint(*cluster, varies_pct, most, method, limit_s, seed)


def _charts(rows: Rows) -> tuple[Chart, ...]:
    """Return a chart for each number of moves, over solving time."""
    return tuple(_chart(rows.where(moves=moves), int(moves)) for moves in rows.amounts("moves"))


def _chart(rows: Rows, moves: int) -> Chart:
    """Return one chart; Flux takes no time and is drawn as a level."""
    methods = [method for method in rows.words("method") if method != FLUX]
    times = rows.amounts("limit_s")
    flux = mean_spread(rows.where(method=FLUX), "distance")
    return Chart(
        f"at most {moves} migrations",
        "time limit, s",
        "load distance, points",
        (
            *(line(method, rows.where(method=method), "limit_s", "distance") for method in methods),
            Series(
                FLUX,
                [times[0], times[-1]],
                [flux.median] * 2,
                band=([flux.low] * 2, [flux.high] * 2),
            ),
            Series("proven bound", [times[0], times[-1]], [_bound(rows).median] * 2, faint=True),
        ),
        log_x=True,
        log_y=True,
    )


def _bound(rows: Rows) -> Spread:
    """Return the mean of the bound of each setting, on load distance as our planners prove it."""
    ours = rows.that(lambda row: row["method"] in {SEARCH, REPAIRED})

    def mean_of_best(some: Rows) -> float:
        best = [some.where(varies=varies).most("bound") for varies in some.amounts("varies")]
        return sum(best) / len(best)

    return spread(ours, mean_of_best)


def _tables(rows: Rows) -> tuple[Table, ...]:
    """Return load distances by method and time, over numbers of moves."""
    moves = rows.amounts("moves")
    cells = [
        [
            method,
            limit_s,
            len(some.distinct("seed")),
            *(mean_spread(some.where(moves=most), "distance") for most in moves),
            mean_spread(some, "wall_s"),
        ]
        for method in rows.words("method")
        for limit_s in rows.where(method=method).amounts("limit_s")
        if (some := rows.where(method=method, limit_s=limit_s)).rows
    ]
    panels = (f"points, {most:g} moves" for most in moves)
    return (table(["method", "limit s", "n", *panels, "took, s"], cells),)


def _experiment(cluster: tuple[int, int, int]) -> Experiment[SolverPoint]:
    """Return the figure of one cluster."""
    nodes, key_groups, operators = cluster
    longer = points(cluster, MOVES, VARIES_PCT, LONG) if cluster == SMALLEST else ()
    return Experiment(
        name=f"fig-solver-{nodes}",
        figure=f"Figure: {nodes} nodes, {key_groups} key groups, {operators} operators",
        question="How good is the MILP after how much solving time, against Flux?",
        notes=NOTES,
        points=(*points(cluster, MOVES, VARIES_PCT, LIMITS), *longer),
        quick=tuple(points(cluster, (10, 40), (40.0,), QUICK)),
        measure=plan_once,
        claims=claims(largest=cluster == LARGEST),
        charts=_charts,
        tables=_tables,
    )


SOLVER = tuple(_experiment(cluster) for cluster in CLUSTERS)
