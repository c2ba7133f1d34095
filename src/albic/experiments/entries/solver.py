"""Figures of *Solver Performance for MILP*: quality against solving time, three clusters."""

import itertools
import math
from collections.abc import Mapping
from functools import partial

from albic.experiments.entries.lines import table
from albic.experiments.experiment import Claim, Experiment, Finding
from albic.experiments.rows import Rows, amount
from albic.experiments.runs.methods import FLUX, MILP, REPAIRED, SEARCH, STAGES
from albic.experiments.runs.solver import SolverPoint, plan_once
from albic.figures import Chart, Series, Table

CLUSTERS = ((20, 400, 10), (40, 800, 20), (60, 1200, 30))
MOVES = (10, 20, 30, 40)
VARIES_PCT = (20.0, 40.0, 80.0)
#: Seconds that each method gets. Flux needs none, but has a limit like all.
LIMITS_S = {
    FLUX: (1.0,),
    MILP: (1.0, 5.0, 20.0),
    REPAIRED: (1.0,),
    SEARCH: (0.05, 0.2, 1.0),
    STAGES: (0.2, 1.0),
}
QUICK_LIMITS_S = {FLUX: (1.0,), MILP: (2.0,), REPAIRED: (1.0,), SEARCH: (0.05,), STAGES: (0.2,)}
#: What the paper calls a few seconds.
FEW_S = 5.0
#: Differences below this are rounding, in points.
SAME_PCT = 1e-6
#: What the paper may mean by "improved only slightly", in points.
SLIGHTLY_PCT = 0.5

NOTES = (
    "Mean over varies 20, 40 and 80, one seed. The printed program is solved by HiGHS from "
    "scratch, one thread, two clusters at once on two cores, for 1, 5 and 20 s; the paper let "
    "CPLEX run for up to a minute on a desktop of 2011. Flux and the search end by themselves. "
    "The search by stage has another aim, the busiest node of each stage; it shows what that "
    "costs in load distance. joint is left out: it is the search where collocation is no aim, as "
    "here. The grey line is a proven bound on the load distance; a bound of 0 is not drawn."
)


def points(
    cluster: tuple[int, int, int],
    moves: tuple[int, ...],
    varies: tuple[float, ...],
    limits_s: Mapping[str, tuple[float, ...]],
) -> tuple[SolverPoint, ...]:
    """Return every method with every time limit on every setting of one cluster."""
    return tuple(
        SolverPoint(*cluster, varies_pct, most, method, limit_s, seed=1)
        for most, varies_pct, method in itertools.product(moves, varies, limits_s)
        for limit_s in limits_s[method]
    )


def _beats_flux(rows: Rows, method: str, limit_s: float) -> Finding:
    """Return on how many settings a method has a smaller distance than Flux."""
    settings = [(row["moves"], row["varies"]) for row in rows.where(method=FLUX).rows]
    limit_s = max(
        (s for s in rows.where(method=method).numbers("limit_s") if s <= limit_s), default=math.nan
    )
    better = same = 0
    for moves, varies in settings:
        some = rows.where(moves=moves, varies=varies)
        ours = some.where(method=method, limit_s=limit_s).mean("distance")
        flux = some.where(method=FLUX).mean("distance")
        better += ours < flux - SAME_PCT
        same += abs(ours - flux) <= SAME_PCT
    measured = f"better on {better} of {len(settings)}, equal on {same} (after {limit_s:g} s)"
    worse = len(settings) - better - same
    return Finding(
        measured,
        worse == 0 and better > 0,
        f"on {worse} settings {method} is worse than Flux after {limit_s:g} s: "
        f"{_why_worse(method)}",
    )


def _why_worse(method: str) -> str:
    """Return what we think is the reason."""
    if method == MILP:
        return (
            "better plans exist, for our planners find them in less time, but HiGHS does not from "
            "scratch; the paper had CPLEX, which we have not"
        )
    return "its time was too short"


def _more_time(rows: Rows) -> Finding:
    """Return what solving beyond a few seconds brings."""
    mine = rows.where(method=MILP)
    longest = mine.most("limit_s")
    few_s = max((s for s in mine.amounts("limit_s") if s <= FEW_S), default=longest)
    if few_s == longest:
        return Finding.missing("this run has one time limit only")
    early = mine.where(limit_s=few_s).mean("distance")
    late = mine.where(limit_s=longest).mean("distance")
    return Finding(
        f"{amount(early)} points after {few_s:g} s, {amount(late)} after {longest:g} s",
        early - late <= SLIGHTLY_PCT,
        f"HiGHS still gains {amount(early - late)} points on average after {FEW_S:g} s",
    )


def _search_against_milp(rows: Rows) -> Finding:
    """Return how the shortest search compares with the longest solve."""
    mine, theirs = rows.where(method=SEARCH), rows.where(method=MILP)
    short, long_ = mine.least("limit_s"), theirs.most("limit_s")
    ours = mine.where(limit_s=short)
    worse = sum(
        row_distance
        > theirs.where(limit_s=long_, moves=row["moves"], varies=row["varies"]).mean("distance")
        + 0.01
        for row, row_distance in zip(ours.rows, ours.numbers("distance"), strict=True)
    )
    return Finding(
        f"{amount(ours.mean('distance'))} points in {1000 * short:g} ms against "
        f"{amount(theirs.where(limit_s=long_).mean('distance'))} in {long_:g} s",
        worse == 0,
        f"on {worse} settings the printed program ends more than 0.01 points lower",
    )


def _claims(nodes: int) -> tuple[Claim, ...]:
    """Return the claims about one cluster."""
    largest = nodes == max(cluster[0] for cluster in CLUSTERS)
    slight = "improved only slightly by further solving" + (
        " (the paper excepts this cluster)" if largest else ""
    )
    few = partial(_beats_flux, limit_s=FEW_S)
    return (
        Claim(
            "the MILP outperforms Flux even after a few seconds",
            "always",
            partial(few, method=MILP),
        ),
        Claim(
            "the MILP outperforms Flux, given the longest time here",
            "always",
            partial(_beats_flux, method=MILP, limit_s=math.inf),
        ),
        Claim(slight, "a few seconds are enough", _more_time),
        Claim(
            "our MILP (repaired, started by the search) is never worse than Flux",
            "",
            partial(few, method=REPAIRED),
            ours=True,
        ),
        Claim(
            "the search in a blink is as good as the printed program after its longest time",
            "",
            _search_against_milp,
            ours=True,
        ),
    )


def _charts(rows: Rows) -> tuple[Chart, ...]:
    """Return a chart for each number of moves, over solving time."""
    return tuple(_chart(rows.where(moves=moves), int(moves)) for moves in rows.amounts("moves"))


def _chart(rows: Rows, moves: int) -> Chart:
    """Return one chart; Flux takes no time and is drawn as a level."""
    methods = [method for method in rows.words("method") if method != FLUX]
    times = rows.amounts("limit_s")
    flux = rows.where(method=FLUX).mean("distance")
    return Chart(
        f"at most {moves} migrations",
        "time limit, s",
        "load distance, points",
        (
            *(
                Series(method, *rows.where(method=method).curve("limit_s", "distance"))
                for method in methods
            ),
            Series(FLUX, [times[0], times[-1]], [flux, flux]),
            Series("proven bound", [times[0], times[-1]], [_bound(rows)] * 2, faint=True),
        ),
        log_x=True,
        log_y=True,
    )


def _bound(rows: Rows) -> float:
    """Return the mean of the bound of each setting, on load distance as our planners prove it."""
    ours = rows.that(lambda row: row["method"] in {SEARCH, REPAIRED})
    best = [ours.where(varies=varies).most("bound") for varies in rows.amounts("varies")]
    return sum(best) / len(best)


def _tables(rows: Rows) -> tuple[Table, ...]:
    """Return load distances by method and time, over numbers of moves."""
    moves = rows.amounts("moves")
    cells = [
        [
            method,
            limit_s,
            *(
                rows.where(method=method, limit_s=limit_s, moves=most).mean("distance")
                for most in moves
            ),
        ]
        for method in rows.words("method")
        for limit_s in rows.where(method=method).amounts("limit_s")
    ]
    columns = ["method", "limit s", *(f"points, {most:g} moves" for most in moves)]
    return (table(columns, cells),)


def _experiment(cluster: tuple[int, int, int]) -> Experiment[SolverPoint]:
    """Return the figure of one cluster."""
    nodes, key_groups, operators = cluster
    return Experiment(
        name=f"fig-solver-{nodes}",
        figure=f"Figure: {nodes} nodes, {key_groups} key groups, {operators} operators",
        question="How good is the MILP after how much solving time, against Flux?",
        notes=NOTES,
        points=points(cluster, MOVES, VARIES_PCT, LIMITS_S),
        quick=points(cluster, (10, 40), (40.0,), QUICK_LIMITS_S),
        measure=plan_once,
        claims=_claims(nodes),
        charts=_charts,
        tables=_tables,
    )


SOLVER = tuple(_experiment(cluster) for cluster in CLUSTERS)
