"""Figure *Integrating horizontal scaling with load balancing*."""

from collections.abc import Sequence

from albic.experiments.entries.lines import lines, table
from albic.experiments.entries.solver_claims import STARTED
from albic.experiments.experiment import Claim, Experiment, Finding
from albic.experiments.rows import Rows
from albic.experiments.runs.methods import FLUX, MILP, SCRATCH, SEARCH, STAGES
from albic.experiments.runs.scale_in import SEPARATE, ScaleInPoint, scale_in
from albic.experiments.seed_statistics import Spread, judge, mean_spread, spread
from albic.figures import Chart, Table

CLUSTER = (60, 1200, 30)
MARKED, MOVES, ROUNDS = 10, 20, 16
OVERLOADED = (1, 5)
#: Overload counts for more than draining, so that the most urgent moves come first.
URGENT_FIRST, DRAIN_FIRST = 0.05, 1.5
INTEGRATED, ALONE, URGENT, DRAINING, BY_STAGE, FLUX_ALONE = (
    "integrated, MILP",
    "integrated, MILP, solver from scratch",
    "integrated, search, urgent overload first",
    "integrated, search, draining first",
    "integrated, by stage",
    "Flux",
)
#: Label, method, drain weight, seconds a plan.
LINES = (
    (SEPARATE, SEARCH, DRAIN_FIRST, 0.1),
    (URGENT, SEARCH, URGENT_FIRST, 0.1),
    (DRAINING, SEARCH, DRAIN_FIRST, 0.1),
    (BY_STAGE, STAGES, DRAIN_FIRST, 0.1),
    (FLUX_ALONE, FLUX, DRAIN_FIRST, 0.1),
)
MILP_LINE = ((INTEGRATED, MILP, URGENT_FIRST, 1.0),)
SCRATCH_LINE = ((ALONE, SCRATCH, URGENT_FIRST, 2.0),)
SEEDS = (1, 2, 3, 4, 5)
#: How much smaller the load distance must be for "much faster".
MUCH = 0.5
#: What "a similar time period" may be, as a factor.
SIMILAR = 1.3

NOTES = (
    "60 nodes with a mean load of 50 %, 10 of them marked for removal, 1 or 5 others raised to "
    "100 %, 20 migrations a round, five seeds; bands are quartiles. Integrated is the printed "
    "program with 1 s a round: our search starts it, which lets urgent overload go before draining "
    "(a drain weight of 0.05), and HiGHS has the rest. From scratch HiGHS has 2 s a round and n = "
    "1. The separate way balances with our search; before that it moves the 200 key groups of the "
    "marked nodes to the nodes with the fewest. At our default drain weight of 1.5 draining comes "
    "first. The line by stage evens out every stage, not the sum, so its load distance is the "
    "price. joint is left out: nothing is to be collocated here."
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
    """Return the first round of a run with empty nodes; one more than the last if there is none."""
    empty = rows.where(left=0)
    return empty.least("round") if empty.rows else rows.most("round") + 1


def early_distance(rows: Rows) -> float:
    """Return the mean load distance while the separate way is still scaling in."""
    return rows.that(lambda row: 1 <= float(row["round"] or 0) <= MARKED).mean("distance")


def _balances_faster(rows: Rows) -> Finding:
    """Return whether the integrated way is better in the first ten rounds."""
    situations = rows.distinct("overloaded")

    def distances(some: Rows) -> list[float]:
        return [
            early_distance(some.where(overloaded=overloaded, label=label))
            for overloaded in situations
            for label in (INTEGRATED, SEPARATE)
        ]

    def smaller(numbers: Sequence[float]) -> bool:
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        return all(ours < MUCH * theirs for ours, theirs in pairs)

    found = judge(rows, distances, smaller)
    return found.finding(
        f"mean distance of rounds 1 to {MARKED}: {_told(situations, found.spreads)} points",
        "integrated planning is not twice as good while nodes are emptied: "
        f"{_told(situations, found.spreads)} points",
        STARTED,
    )


def _empties_as_fast(rows: Rows) -> Finding:
    """Return whether the integrated way takes a similar number of rounds."""
    situations = rows.distinct("overloaded")

    def rounds(some: Rows) -> list[float]:
        return [
            rounds_until_empty(some.where(overloaded=overloaded, label=label))
            for overloaded in situations
            for label in (INTEGRATED, SEPARATE)
        ]

    def similar(numbers: Sequence[float]) -> bool:
        pairs = zip(numbers[::2], numbers[1::2], strict=True)
        return all(ours <= SIMILAR * theirs for ours, theirs in pairs)

    found = judge(rows, rounds, similar)
    return found.finding(
        f"rounds until empty: {_told(situations, found.spreads)}",
        f"integrated planning takes more than {SIMILAR:g} times as many rounds: "
        f"{_told(situations, found.spreads)}",
        STARTED,
    )


def _told(situations: Sequence[object], spreads: Sequence[Spread]) -> str:
    """Return the numbers of both ways in each situation, named as in the paper."""
    pairs = zip(situations, spreads[::2], spreads[1::2], strict=True)
    return "; ".join(
        f"{overloaded}OL {ours} against {theirs}" for overloaded, ours, theirs in pairs
    )


def _every_line_empties(rows: Rows) -> Finding:
    """Return whether our planners emptied every marked node."""
    mine = rows.that(lambda row: row["label"] in {URGENT, DRAINING})
    last = mine.where(round=mine.most("round"))
    stuck = last.that(lambda row: row["left"] != 0)
    found = judge(
        mine,
        lambda some: [
            some.where(round=mine.most("round")).total("left"),
            some.total("findings"),
        ],
        lambda numbers: not any(numbers),
    )
    return Finding(
        f"{len(last.rows) - len(stuck.rows)} of {len(last.rows)} runs empty, "
        f"{mine.total('findings'):.0f} findings of the judge",
        not stuck.rows and mine.total("findings") == 0,
        "a marked node is not empty at the end, or the judge objects to a plan",
        seeds=found.told,
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
            len(some.distinct("seed")),
            spread(some, rounds_until_empty),
            spread(some, early_distance),
            mean_spread(some.where(round=some.most("round")), "distance"),
        ]
        for overloaded in rows.distinct("overloaded")
        for label in rows.words("label")
        if (some := rows.where(overloaded=overloaded, label=label)).rows
    ]
    columns = (
        "overloaded",
        "line",
        "n",
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
    points=(
        *points(MILP_LINE, SEEDS),
        *points(LINES, SEEDS),
        *points(SCRATCH_LINE, (1,)),
    ),
    quick=points((*MILP_LINE, *LINES), (1,)),
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
