"""Figure *Integrating horizontal scaling with load balancing*."""

from albic.experiments.entries.lines import lines, table
from albic.experiments.experiment import Claim, Experiment, Finding
from albic.experiments.rows import Rows, amount
from albic.experiments.runs.methods import FLUX, MILP, SEARCH, STAGES
from albic.experiments.runs.scale_in import SEPARATE, ScaleInPoint, scale_in
from albic.figures import Chart, Table

CLUSTER = (60, 1200, 30)
MARKED, MOVES, ROUNDS = 10, 20, 20
OVERLOADED = (1, 5)
#: Overload counts for more than draining, so that the most urgent moves come first.
URGENT_FIRST, DRAIN_FIRST = 0.05, 1.5
INTEGRATED, DRAINING, BY_STAGE, PRINTED, FLUX_ALONE = (
    "integrated, urgent overload first",
    "integrated, draining first",
    "integrated, by stage",
    "integrated, MILP as printed, 5 s",
    "Flux",
)
#: Label, method, drain weight, seconds a plan.
LINES = (
    (SEPARATE, SEARCH, DRAIN_FIRST, 0.1),
    (INTEGRATED, SEARCH, URGENT_FIRST, 0.1),
    (DRAINING, SEARCH, DRAIN_FIRST, 0.1),
    (BY_STAGE, STAGES, DRAIN_FIRST, 0.1),
    (FLUX_ALONE, FLUX, DRAIN_FIRST, 0.1),
)
SLOW_LINES = ((PRINTED, MILP, DRAIN_FIRST, 5.0),)
SEEDS = (1, 2, 3)
#: What "a similar time period" may be, as a factor.
SIMILAR = 1.3

NOTES = (
    "60 nodes with a mean load of 50 %, 10 of them marked for removal, 1 or 5 others raised to "
    "100 %, 20 migrations a round, three seeds. Both ways balance with our search; the separate "
    "one first moves the 200 key groups of the marked nodes, to the nodes with the fewest. How "
    "urgent overload is against draining is our drain weight, here 0.05; at our default of 1.5 "
    "draining comes first. The printed program has 5 s of HiGHS a round and one seed. The line "
    "by stage evens out every stage, not the sum, so its load distance is the price. joint is left "
    "out: nothing is to be collocated here."
)


def points(
    lines_: tuple[tuple[str, str, float, float], ...], seeds: tuple[int, ...]
) -> tuple[ScaleInPoint, ...]:
    """Return both situations for every line."""
    return tuple(
        ScaleInPoint(
            *CLUSTER, MARKED, overloaded, MOVES, ROUNDS, label, method, weight, limit_s, seed
        )
        for overloaded in OVERLOADED
        for label, method, weight, limit_s in lines_
        for seed in seeds
    )


def rounds_until_empty(rows: Rows) -> float:
    """Return the mean over seeds of the first round with empty nodes; the last if there is none."""
    firsts = []
    for seed in rows.distinct("seed"):
        mine = rows.where(seed=seed)
        empty = mine.where(left=0)
        firsts.append(empty.least("round") if empty.rows else mine.most("round") + 1)
    return sum(firsts) / len(firsts)


def early_distance(rows: Rows) -> float:
    """Return the mean load distance while the separate way is still scaling in."""
    return rows.that(lambda row: 1 <= float(row["round"] or 0) <= MARKED).mean("distance")


def _balances_faster(rows: Rows) -> Finding:
    """Return whether the integrated way is better in the first ten rounds."""
    told, holds = [], True
    for overloaded in rows.distinct("overloaded"):
        some = rows.where(overloaded=overloaded)
        ours, theirs = (early_distance(some.where(label=label)) for label in (INTEGRATED, SEPARATE))
        told.append(f"{overloaded}OL {amount(ours)} against {amount(theirs)}")
        holds = holds and ours < theirs / 2
    return Finding(
        f"mean distance of rounds 1 to {MARKED}: {'; '.join(told)} points",
        holds,
        "integrated planning is not twice as good while nodes are emptied",
    )


def _empties_as_fast(rows: Rows) -> Finding:
    """Return whether the integrated way takes a similar number of rounds."""
    told, worst = [], 0.0
    for overloaded in rows.distinct("overloaded"):
        some = rows.where(overloaded=overloaded)
        ours, theirs = (
            rounds_until_empty(some.where(label=label)) for label in (INTEGRATED, SEPARATE)
        )
        told.append(f"{overloaded}OL {amount(ours)} against {amount(theirs)}")
        worst = max(worst, ours / theirs)
    return Finding(
        f"rounds until empty: {'; '.join(told)}",
        worst <= SIMILAR,
        f"integrated planning takes {worst:.2f} times as many rounds",
    )


def _every_line_empties(rows: Rows) -> Finding:
    """Return whether our planners emptied every marked node."""
    mine = rows.that(lambda row: row["label"] in {INTEGRATED, DRAINING})
    last = mine.where(round=mine.most("round"))
    stuck = last.that(lambda row: row["left"] != 0)
    return Finding(
        f"{len(last.rows) - len(stuck.rows)} of {len(last.rows)} runs empty, "
        f"{mine.total('findings'):.0f} findings of the judge",
        not stuck.rows and mine.total("findings") == 0,
        "a marked node is not empty at the end, or the judge objects to a plan",
    )


def _charts(rows: Rows) -> tuple[Chart, ...]:
    """Return load distance over rounds, one chart a situation, and what is left to move."""
    charts = []
    for overloaded in rows.distinct("overloaded"):
        some = rows.where(overloaded=overloaded)
        name = f"{overloaded} overloaded"
        charts += [
            Chart(
                f"Load distance, {name}",
                "round",
                "load distance, points",
                lines(some, "label", "round", "distance"),
            ),
            Chart(
                f"Scale-in, {name}",
                "round",
                "key groups left on marked nodes",
                lines(some, "label", "round", "left"),
            ),
        ]
    return tuple(charts)


def _tables(rows: Rows) -> tuple[Table, ...]:
    """Return rounds until empty and the mean load distance until then."""
    cells = [
        [
            str(overloaded),
            label,
            rounds_until_empty(some),
            early_distance(some),
            some.where(round=some.most("round")).mean("distance"),
        ]
        for overloaded in rows.distinct("overloaded")
        for label in rows.words("label")
        if (some := rows.where(overloaded=overloaded, label=label)).rows
    ]
    columns = (
        "overloaded",
        "line",
        "rounds until empty",
        f"mean distance, rounds 1–{MARKED}",
        "distance at the end",
    )
    return (table(columns, cells),)


SCALE_IN = Experiment(
    name="fig-scale-in",
    figure="Figure: Integrating horizontal scaling with load balancing",
    question="Does one plan for draining and balancing do better than one after the other?",
    notes=NOTES,
    points=(*points(LINES, SEEDS), *points(SLOW_LINES, (1,))),
    quick=points(LINES, (1,)),
    measure=scale_in,
    claims=(
        Claim(
            "the integrated approach obtains a good load distance much faster",
            "no number",
            _balances_faster,
        ),
        Claim(
            "scaling-in is completed within a similar time period", "no number", _empties_as_fast
        ),
        Claim("our planners empty every marked node", "", _every_line_empties, ours=True),
    ),
    charts=_charts,
    tables=_tables,
)
