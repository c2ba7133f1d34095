"""Figures *Collocation* and *Configurations*: ALBIC against COLA on synthetic clusters."""

from albic.experiments.entries.collocation_claims import claims, settled
from albic.experiments.entries.lines import bars, lines, table
from albic.experiments.experiment import Experiment
from albic.experiments.rows import Rows
from albic.experiments.runs.collocation import CollocationPoint, collocate_rounds
from albic.experiments.runs.methods import ALBIC, COLA, JOINT, PAIRS, SEARCH, STAGES
from albic.experiments.seed_statistics import mean_spread
from albic.figures import Chart, Table

SIZES = ((20, 400, 10), (40, 800, 20), (60, 1200, 30))
MIDDLE = SIZES[1]
OBTAINABLE_PCT = (0.0, 25.0, 50.0, 75.0, 100.0)
VARIES_PCT, MOVES, MAX_DISTANCE_PCT, JOINT_DISTANCE_PCT = 20.0, 20, 10.0, 2.0
#: Rounds that a method needs until little changes. COLA starts from scratch in each.
ROUNDS = {ALBIC: 400, COLA: 5, JOINT: 60, PAIRS: 50, SEARCH: 10, STAGES: 10}
QUICK_ROUNDS = {ALBIC: 12, COLA: 2, JOINT: 12, SEARCH: 6}
#: Seeds of each method; hundreds of rounds take long.
SEEDS = {ALBIC: 3, COLA: 5, JOINT: 5, PAIRS: 3, SEARCH: 5, STAGES: 5}
QUICK_SEEDS = dict.fromkeys(QUICK_ROUNDS, 1)
#: Seconds a plan. ALBIC makes hundreds of them.
LIMIT_S = {COLA: 1.0, ALBIC: 0.02, PAIRS: 0.02, JOINT: 0.1, SEARCH: 0.05, STAGES: 0.05}

NOTES = (
    "Varies 20 at the start, 20 migrations a round, a maximum load distance of 10 points (2 for "
    "joint), the load of 20 % of the nodes drifts by up to 2 % a round. Five seeds, n = 3 for "
    "ALBIC and its variant; medians with quartiles. The start is a random allocation, as the paper "
    "does not name another. ALBIC brings one pair together a round, so it needs hundreds of rounds "
    "from there; it gets 400, our variant with 12 pairs 50 and joint 60. COLA plans every round "
    "from scratch without a budget. ALBIC solves with our search in place of CPLEX. The searches "
    "do not look at traffic; they show what is local by chance. Values are means over the last 5 "
    "rounds."
)


def points(
    sizes: tuple[tuple[int, int, int], ...],
    obtainable: tuple[float, ...],
    rounds: dict[str, int],
    seeds: dict[str, int],
) -> tuple[CollocationPoint, ...]:
    """Return every method on every setting."""
    return tuple(
        CollocationPoint(
            *size,
            share,
            VARIES_PCT,
            MOVES,
            JOINT_DISTANCE_PCT if method == JOINT else MAX_DISTANCE_PCT,
            method,
            rounds[method],
            LIMIT_S[method],
            seed,
        )
        for size in sizes
        for share in obtainable
        for method in rounds
        for seed in range(1, seeds[method] + 1)
    )


def _over_rounds(rows: Rows, title: str) -> Chart:
    """Return collocation over rounds."""
    return Chart(
        title,
        "round",
        "collocation factor, %",
        lines(rows, "method", "round", "collocation"),
        log_x=True,
    )


def _share_charts(rows: Rows) -> tuple[Chart, ...]:
    """Return load distance and collocation over what is obtainable, and the way there."""
    late = settled(rows)
    at = "obtainable collocation, %"
    shares = rows.amounts("obtainable")
    middle = shares[len(shares) // 2]
    return (
        Chart(
            "Collocation reached",
            at,
            "collocation factor, %",
            lines(late, "method", "obtainable", "collocation"),
        ),
        Chart(
            "Load distance",
            at,
            "load distance, points",
            lines(late, "method", "obtainable", "distance"),
        ),
        _over_rounds(rows.where(obtainable=middle), f"On the way, {middle:g} % obtainable"),
    )


def _size_charts(rows: Rows) -> tuple[Chart, ...]:
    """Return load distance and collocation of each cluster, and the way there."""
    late = settled(rows)
    largest = rows.words("cluster")[-1]
    return (
        Chart(
            "Collocation reached, 50 % obtainable",
            "nodes / key groups / operators",
            "collocation factor, %",
            bars(late, "method", "cluster", "collocation"),
        ),
        Chart(
            "Load distance",
            "nodes / key groups / operators",
            "load distance, points",
            bars(late, "method", "cluster", "distance"),
        ),
        _over_rounds(rows.where(cluster=largest), f"On the way, {largest}"),
    )


def _table(rows: Rows, over: str, name: str) -> tuple[Table, ...]:
    """Return the settled values."""
    late = settled(rows)
    cells = [
        [
            str(at) if isinstance(at, str) else f"{at:g}",
            method,
            len(some.distinct("seed")),
            *(mean_spread(some, value) for value in ("collocation", "distance", "moved")),
            rows.where(**{over: at, "method": method}).most("round"),
        ]
        for at in rows.distinct(over)
        for method in rows.words("method")
        if (some := late.where(**{over: at, "method": method})).rows
    ]
    values = ("collocation, %", "distance, points", "moves a round", "rounds")
    columns = (name, "method", "n", *values)
    return (table(columns, cells),)


SHARES = Experiment(
    name="fig-collocation",
    figure="Figure: Collocation (40 nodes, 800 key groups, 20 operators)",
    question="How much collocation do ALBIC and COLA reach, and at what load distance?",
    notes=NOTES,
    points=points((MIDDLE,), OBTAINABLE_PCT, ROUNDS, SEEDS),
    quick=points((MIDDLE,), (0.0, 50.0, 100.0), QUICK_ROUNDS, QUICK_SEEDS),
    measure=collocate_rounds,
    claims=claims("obtainable", "by up to ten percent"),
    charts=_share_charts,
    tables=lambda rows: _table(rows, "obtainable", "obtainable, %"),
)

CLUSTERS = Experiment(
    name="fig-configurations",
    figure="Figure: Configurations (50 % obtainable)",
    question="Is ALBIC ahead of COLA on clusters of every size?",
    notes=NOTES,
    points=points(SIZES, (50.0,), ROUNDS, SEEDS),
    quick=points(SIZES[:2], (50.0,), QUICK_ROUNDS, QUICK_SEEDS),
    measure=collocate_rounds,
    claims=claims("cluster", "significantly and consistently"),
    charts=_size_charts,
    tables=lambda rows: _table(rows, "cluster", "cluster"),
)
