"""Beyond the paper: which planner gives up where, and what planning over racks brings."""

import math

import numpy as np

from albic.experiments.entries.lines import table
from albic.experiments.experiment import Claim, Experiment, Finding
from albic.experiments.rows import Rows, amount
from albic.experiments.runs.methods import (
    ALBIC,
    COLA,
    FLUX,
    JOINT,
    MILP,
    REPAIRED,
    SEARCH,
    STAGES,
)
from albic.experiments.runs.scale import AT_ONCE, RACKS, ScalePoint, grow
from albic.figures import Chart, Series, Table

SIZES = (100, 316, 1000, 3162, 10_000)
METHODS = (FLUX, AT_ONCE, SEARCH, STAGES, RACKS, MILP, REPAIRED, ALBIC, JOINT, COLA)
QUICK_METHODS = (FLUX, AT_ONCE, RACKS)
GROUPS_A_NODE, MOVES_A_NODE, OPERATORS = 100, 4.0, 50
VARIES_PCT, ONE_TO_ONE = 20.0, 0.5
MAX_DISTANCE_PCT, JOINT_DISTANCE_PCT = 10.0, 2.0
#: By how much a plan may overrun its time limit and still have kept to it.
OVERRUN = 1.5
LIMIT_S, PATIENCE_S, MEMORY_GIB = 5.0, 60.0, 8.0
#: A controller with a period of a minute should not plan for longer than this.
IN_TIME_S = 30.0
#: The load distance that we call balanced at this size, in points.
BALANCED_PCT = 0.5

NOTES = (
    "100 key groups and 4 allowed migrations a node, varies 20, half of the traffic one-to-one, "
    "one seed. Each plan is made in a process of its own, asked to take 5 s, and counts as "
    "failed after 60 s, above 8 GiB, or where nothing moves. Plans are made one at a time. 'At "
    "once' is the search with no time: it reads the problem, places greedily and proves its "
    "bound. 'racks' evens out racks of 50 nodes as if each were one node, then every rack for "
    "itself. Memory includes the interpreter and its libraries, which "
    "keeps the exponents low, the snapshot, and HiGHS where it runs. The "
    "search by stage has another aim than load distance."
)


def points(
    methods: tuple[str, ...], sizes: tuple[int, ...], limit_s: float
) -> tuple[ScalePoint, ...]:
    """Return one point a planner."""
    return tuple(
        ScalePoint(
            method,
            sizes,
            GROUPS_A_NODE,
            MOVES_A_NODE,
            OPERATORS,
            VARIES_PCT,
            ONE_TO_ONE,
            JOINT_DISTANCE_PCT if method == JOINT else MAX_DISTANCE_PCT,
            limit_s,
            PATIENCE_S,
            MEMORY_GIB,
            seed=1,
        )
        for method in methods
    )


def exponent(rows: Rows, value: str) -> float:
    """Return the slope of ``value`` over nodes, both as logarithms; NaN below two sizes."""
    good = rows.where(failed="")
    at, measured = good.curve("nodes", value)
    if len(at) < 2:
        return math.nan
    return float(np.polyfit(np.log(at), np.log(measured), 1)[0])


def largest(rows: Rows, method: str) -> float:
    """Return the most nodes for which a method had a plan; 0 if none."""
    mine = rows.where(method=method, failed="")
    return mine.most("nodes") if mine.rows else 0.0


def _reaches(rows: Rows) -> Finding:
    """Return whether the search plans the largest cluster in time."""
    top = rows.most("nodes")
    good = rows.where(nodes=top, failed="")
    ours = (
        good.where(method=SEARCH) if good.where(method=SEARCH).rows else good.where(method=AT_ONCE)
    )
    time_s, distance = ours.least("wall_s"), ours.least("distance")
    return Finding(
        f"{top:,.0f} nodes: {amount(time_s)} s, {amount(distance)} points, "
        f"{amount(ours.most('peak_gib'))} GiB",
        time_s <= IN_TIME_S and distance <= BALANCED_PCT,
        f"at {top:,.0f} nodes the search is not within {IN_TIME_S:g} s and {BALANCED_PCT:g} points",
    )


def _keeps_limit(rows: Rows) -> Finding:
    """Return whether the search ends about when it is asked to."""
    mine = rows.where(method=SEARCH, failed="")
    if not mine.rows:
        return Finding.missing("left out of this run")
    limit_s = mine.most("limit_s")
    late = mine.that(lambda row: float(row["wall_s"] or 0) > OVERRUN * limit_s)
    return Finding(
        f"at most {amount(mine.most('wall_s'))} s for a limit of {limit_s:g} s",
        not late.rows,
        f"from {late.least('nodes'):,.0f} nodes on, reading the problem, the greedy start and the "
        "bound alone take longer than the limit; nothing looks at the clock in them",
    )


def _milp_ends(rows: Rows) -> Finding:
    """Return where the printed program ends."""
    if not rows.where(method=MILP).rows:
        return Finding.missing("left out of this run")
    reached, top = largest(rows, MILP), rows.most("nodes")
    last = rows.where(method=MILP).rows[-1]
    return Finding(
        f"at {last['nodes']} nodes: {last['failed'] or 'a plan'}",
        reached < top,
        "the exact program was solved even on the largest cluster",
    )


def _racks_help(rows: Rows) -> Finding:
    """Return whether planning over racks beats the plain search on the largest cluster."""
    both = [largest(rows, method) for method in (RACKS, SEARCH)]
    top = min(both) if all(both) else largest(rows, RACKS)
    mine = rows.where(method=RACKS, nodes=top)
    plain = rows.where(method=SEARCH, nodes=top)
    plain = plain if plain.rows else rows.where(method=AT_ONCE, nodes=top)
    ours, theirs = mine.mean("distance"), plain.mean("distance")
    return Finding(
        f"{top:,.0f} nodes: {amount(ours)} points in {amount(mine.mean('wall_s'))} s against "
        f"{amount(theirs)} in {amount(plain.mean('wall_s'))} s",
        ours < theirs,
        f"racks end {amount(ours - theirs)} points above the plain search: each rack can only "
        "reach its own mean, and moves between racks use up the budget",
    )


def _charts(rows: Rows) -> tuple[Chart, ...]:
    """Return time, memory and quality over nodes, both axes as logarithms."""
    good = rows.where(failed="")
    panels = (
        ("wall_s", "Time of a plan", "seconds"),
        ("peak_gib", "Peak memory of the process", "GiB"),
        ("distance", "Load distance after the plan", "load distance, points"),
    )
    return tuple(
        Chart(
            title,
            "nodes (100 key groups each)",
            unit,
            tuple(
                Series(_fitted(mine, method), *mine.curve("nodes", value))
                for method in good.words("method")
                if (mine := good.where(method=method)).rows
            ),
            log_x=True,
            log_y=True,
        )
        for value, title, unit in panels
    )


def _fitted(rows: Rows, method: str) -> str:
    """Return a planner's name with its exponents, where there is more than one size to fit."""
    time, memory = (exponent(rows, value) for value in ("wall_s", "peak_gib"))
    return method if math.isnan(time) else f"{method}: time n^{time:.2f}, memory n^{memory:.2f}"


def _tables(rows: Rows) -> tuple[Table, ...]:
    """Return the exponents with where each planner ends, then every plan."""
    ends = []
    for method in rows.words("method"):
        mine = rows.where(method=method)
        failed = mine.that(lambda row: bool(row["failed"]))
        why = f"{failed.rows[0]['nodes']}: {failed.rows[0]['failed']}" if failed.rows else "–"
        slopes = [exponent(mine, value) for value in ("wall_s", "peak_gib")]
        ends.append([method, largest(rows, method), *(_slope(each) for each in slopes), why])
    names = ("method", "nodes", "wall_s", "peak_gib", "distance", "moved", "findings")
    cells = [[row[name] for name in names] for row in rows.where(failed="").rows]
    return (
        table(("planner", "most nodes", "time ~ nodes^", "memory ~ nodes^", "ends at"), ends),
        table(("planner", "nodes", "s", "GiB", "distance, points", "moves", "findings"), cells),
    )


def _slope(value: float) -> str:
    """Return an exponent."""
    return "–" if math.isnan(value) else f"{value:.2f}"


SCALE = Experiment(
    name="scale",
    figure="Beyond the paper: 100 to 10,000 nodes, up to a million key groups",
    question="Which planner still answers at which size, and what breaks first?",
    notes=NOTES,
    points=points(METHODS, SIZES, LIMIT_S),
    quick=points(QUICK_METHODS, SIZES[:2], 1.0),
    measure=grow,
    claims=(
        Claim("the search plans the largest cluster in time", "", _reaches, ours=True),
        Claim(
            "the search ends within 1.5 times its time limit at every size",
            "",
            _keeps_limit,
            ours=True,
        ),
        Claim("the exact program is what breaks first", "", _milp_ends, ours=True),
        Claim("planning over racks beats planning flat", "", _racks_help, ours=True),
    ),
    charts=_charts,
    tables=_tables,
    alone=True,
)
