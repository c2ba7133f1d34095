"""Beyond the paper: which planner gives up where, and what planning over racks brings."""

import math

import numpy as np

from albic.experiments.entries.lines import table
from albic.experiments.entries.scale_claims import (
    NEAR_PCT,
    keeps_limit,
    largest,
    milp_ends,
    near_bound,
    racks_help,
    reaches,
)
from albic.experiments.experiment import Claim, Experiment
from albic.experiments.rows import Rows
from albic.experiments.runs.methods import (
    ALBIC,
    COLA,
    FLUX,
    JOINT,
    REPAIRED,
    SCRATCH,
    SEARCH,
    STAGES,
)
from albic.experiments.runs.scale import AT_ONCE, RACKS, ScalePoint, grow
from albic.figures import Chart, Series, Table

SIZES = (100, 316, 1000, 3162, 10_000)
METHODS = (FLUX, AT_ONCE, SEARCH, STAGES, RACKS, SCRATCH, REPAIRED, ALBIC, JOINT, COLA)
QUICK_METHODS = (FLUX, AT_ONCE, RACKS)
GROUPS_A_NODE, MOVES_A_NODE, OPERATORS = 100, 4.0, 50
VARIES_PCT, ONE_TO_ONE = 20.0, 0.5
MAX_DISTANCE_PCT, JOINT_DISTANCE_PCT = 10.0, 2.0
LIMIT_S, PATIENCE_S, MEMORY_GIB = 5.0, 60.0, 8.0

NOTES = (
    "100 key groups and 4 allowed migrations a node, varies 20, half of the traffic one-to-one, "
    "one seed. Each plan is made in a process of its own, asked to take 5 s, and counts as "
    "failed after 60 s, above 8 GiB, or where nothing moves. Plans are made one at a time. 'At "
    "once' is the search with no time: it reads the problem, places greedily and proves its "
    "bound. 'racks' evens out racks of 50 nodes as if each were one node, then every rack for "
    "itself. Memory includes the interpreter and its libraries, which "
    "keeps the exponents low, the snapshot, and HiGHS where it runs. The "
    "search by stage makes the makespan small and not the load distance; its bound is one of the "
    "makespan, all others are of the load distance."
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
    names = ("method", "nodes", "wall_s", "peak_gib", "distance", "makespan", "bound", "moved")
    cells = [
        ["–" if row[name] is None else row[name] for name in (*names, "findings")]
        for row in rows.where(failed="").rows
    ]
    return (
        table(("planner", "most nodes", "time ~ nodes^", "memory ~ nodes^", "ends at"), ends),
        table(
            ("planner", "nodes", "s", "GiB", "distance", "makespan", "bound", "moves", "findings"),
            cells,
        ),
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
        Claim("the search plans the largest cluster in time", "", reaches, ours=True),
        Claim(
            "the search ends within 1.5 times its time limit at every size",
            "",
            keeps_limit(SEARCH),
            ours=True,
        ),
        Claim(
            "the search by stage ends within 1.1 times its time limit at every size",
            "",
            keeps_limit(STAGES),
            ours=True,
        ),
        Claim(
            f"the makespan is at most {NEAR_PCT:g} % above its bound at every size",
            "",
            near_bound,
            ours=True,
        ),
        Claim(
            "joint ends within twice its time limit at every size",
            "",
            keeps_limit(JOINT),
            ours=True,
        ),
        Claim("the exact program is what breaks first", "", milp_ends, ours=True),
        Claim("planning over racks beats planning flat", "", racks_help, ours=True),
    ),
    charts=_charts,
    tables=_tables,
    alone=True,
)
