"""Real Job 1: MILP, Flux and PoTC, and how many migrations are worth their pause."""

from albic.experiments.entries.lines import lines, table
from albic.experiments.experiment import Claim, Experiment, Finding
from albic.experiments.rows import Rows, amount
from albic.experiments.runs.jobs import POTC, UNRESTRICTED, JobPoint, steer
from albic.experiments.runs.methods import FLUX, MILP, REPAIRED, SEARCH, STAGES
from albic.figures import Chart, Table

PERIODS, QUICK_PERIODS, MOVES = 40, 20, 13
#: The first periods repair a random start, which the paper leaves out as well.
SETTLED = 5
PERIOD_S = 300.0
LIMIT_S = {MILP: 2.0, REPAIRED: 1.0, FLUX: 0.1, SEARCH: 0.1, STAGES: 0.1, POTC: 0.1}
MOST = (5, 10, 13, 20, 40, UNRESTRICTED)
BELOW_PCT = 1.0
FREE = "unrestricted"

NOTES = (
    "Simulated: 20 nodes, 3 operators of 100 key groups, periods of 5 minutes, a trace from a "
    "seed in the shape of Real Job 1; the Wikipedia data itself is not used. The load distance "
    "is the one right after the migrations, on the loads just measured, as in the paper. The "
    "first 5 periods are left out of all numbers. The printed program has 2 s of HiGHS a "
    "period, our milp 1 s, the search 0.1 s."
)


def points(
    methods: tuple[str, ...], periods: int, seeds: tuple[int, ...]
) -> tuple[JobPoint, ...]:
    """Return every method with the paper's 13 migrations."""
    return tuple(
        JobPoint(1, method, method, MOVES, 10.0, periods, LIMIT_S[method], seed)
        for method in methods
        for seed in seeds
    )


def migration_points(methods: tuple[str, ...], most: tuple[int, ...], periods: int) -> tuple[JobPoint, ...]:
    """Return every method with every number of migrations."""
    return tuple(
        JobPoint(1, f"{method}, {_moves(moves)}", method, moves, 10.0, periods, LIMIT_S[method], 1)
        for method in methods
        for moves in most
    )


def settled(rows: Rows) -> Rows:
    """Return the periods after the start was repaired."""
    return rows.that(lambda row: float(row["period"] or 0) > SETTLED)


def _moves(moves: float) -> str:
    """Return a limit in words."""
    return FREE if moves >= UNRESTRICTED else f"{moves:.0f}"


def _milp(rows: Rows) -> str:
    """Return the MILP that was run: the printed one, or ours in a quick run."""
    return next(label for label in (MILP, REPAIRED) if rows.where(label=label).rows)


def _milp_below(rows: Rows) -> Finding:
    """Return whether the MILP stays below 1 %."""
    label = _milp(rows)
    worst = settled(rows).where(label=label).most("after")
    return Finding(
        f"{label}: at most {amount(worst)} points",
        worst < BELOW_PCT,
        f"{label} reaches {amount(worst)} points; HiGHS does not always find a good plan in time",
    )


def _ours_below(rows: Rows) -> Finding:
    """Return whether our planners stay below 1 %."""
    late = settled(rows)
    worst = {label: late.where(label=label).most("after") for label in (REPAIRED, SEARCH)}
    told = "; ".join(f"{label} at most {amount(value)}" for label, value in worst.items())
    return Finding(
        f"{told} points",
        max(worst.values()) < BELOW_PCT,
        "one of our planners lets a period end above 1 point",
    )


def _flux_fluctuates(rows: Rows) -> Finding:
    """Return whether Flux is much worse than 1 %."""
    flux = settled(rows).where(label=FLUX)
    worst, typical = flux.most("after"), flux.mean("after")
    return Finding(
        f"up to {amount(worst)} points, {amount(typical)} on average",
        worst >= 5.0,
        f"Flux stays within {amount(worst)} points here: the trace changes less from period to period "
        "than the paper's data, so 13 moves are enough for Flux as well",
    )


def _flux_behind(rows: Rows) -> Finding:
    """Return whether the MILP is better than Flux."""
    late = settled(rows)
    label = _milp(rows)
    mine, flux = (late.where(label=each).mean("after") for each in (label, FLUX))
    return Finding(
        f"{label} {amount(mine)} points on average, Flux {amount(flux)}",
        mine < flux,
        f"{label} is behind Flux: HiGHS has too little time for its program",
    )


def _potc_unsteady(rows: Rows) -> Finding:
    """Return whether PoTC is never consistently good, and pays for merging all the time."""
    late = settled(rows).where(label=POTC)
    worst, least = late.most("after"), late.least("after")
    merging = 100 * late.mean("merge_s") / (20 * PERIOD_S)
    return Finding(
        f"{amount(least)} to {amount(worst)} points; merging takes {amount(merging)} % of all time",
        worst > BELOW_PCT and merging > 0,
        "PoTC is as even as the MILP here",
    )


def _charts(rows: Rows) -> tuple[Chart, ...]:
    """Return load distance and migrations over periods."""
    late = settled(rows)
    moving = late.that(lambda row: row["label"] != POTC)
    return (
        Chart(
            "Load distance after migrations",
            "period",
            "load distance, points",
            lines(late, "label", "period", "after"),
            log_y=True,
        ),
        Chart(
            "Migrations",
            "period",
            "key groups moved",
            lines(moving, "label", "period", "planned"),
        ),
        Chart(
            "What a batch would wait for",
            "period",
            "busiest node, summed over stages, s",
            lines(moving, "label", "period", "makespan_s"),
            from_zero=False,
        ),
    )


def _tables(rows: Rows) -> tuple[Table, ...]:
    """Return means and extremes."""
    late = settled(rows)
    cells = [
        [
            label,
            some.mean("after"),
            some.most("after"),
            some.mean("distance"),
            some.mean("planned"),
            some.mean("paused_s"),
            some.mean("makespan_s") if label != POTC else "–",
        ]
        for label in rows.words("label")
        if (some := late.where(label=label)).rows
    ]
    columns = (
        "method",
        "distance after, mean",
        "worst",
        "a period later, mean",
        "moves",
        "paused, s",
        "batch waits, s",
    )
    return (table(columns, cells),)


def _correlated(rows: Rows) -> Finding:
    """Return whether more migrations make the load more even, the unrestricted most of all."""
    late = settled(rows).that(lambda row: str(row["label"]).startswith(_method(rows)))
    at, distance = late.curve("moves", "after")
    told = ", ".join(
        f"{_moves(moves)}: {amount(value)}" for moves, value in zip(at, distance, strict=True)
    )
    rank = sorted(range(len(at)), key=lambda position: -distance[position])
    concordant = sum(abs(place - position) for position, place in enumerate(rank)) <= 2
    best = min(range(len(at)), key=lambda position: distance[position])
    return Finding(
        f"mean points by limit: {told}",
        concordant and best == len(at) - 1,
        f"the best limit is {_moves(at[best])}: HiGHS finds less in the same time when more may move",
    )


def _method(rows: Rows) -> str:
    """Return whose migrations are looked at first."""
    return MILP if any(str(label).startswith(MILP) for label in rows.words("label")) else SEARCH


def _spikes(rows: Rows) -> Finding:
    """Return whether the limit of 10 has spikes that the unrestricted one has not."""
    late = settled(rows).that(lambda row: str(row["label"]).startswith(SEARCH))
    few, free = (late.where(moves=moves).most("after") for moves in (10, UNRESTRICTED))
    return Finding(
        f"worst period {amount(few)} points with 10 migrations, {amount(free)} unrestricted",
        few > 2 * free and few > BELOW_PCT,
        f"with our search 10 migrations are enough for {amount(few)} points here",
    )


def _large_overhead(rows: Rows) -> Finding:
    """Return how much longer the unrestricted solution pauses."""
    late = settled(rows).that(lambda row: str(row["label"]).startswith(_method(rows)))
    few, free = (late.where(moves=moves).mean("paused_s") for moves in (MOVES, UNRESTRICTED))
    return Finding(
        f"{amount(free)} s of pauses a period against {amount(few)} s with {MOVES}",
        free > 4 * few,
        "the unrestricted solution hardly moves more",
    )


def _pause(rows: Rows) -> Finding:
    """Return the pause of a key group, and its share of time."""
    some = settled(rows).where(moves=MOVES)
    each = some.mean("paused_s") / some.mean("planned")
    share, all_ = 100 * each / PERIOD_S, 100 * some.mean("paused_s") / (300 * PERIOD_S)
    return Finding(
        f"{amount(each)} s a key group: {amount(share)} % of its time, {amount(all_)} % of all",
        1.5 <= each <= 3.5 and all_ < 0.1,
        f"a key group pauses {amount(each)} s on average, for those that move are not of mean size",
    )


def _migration_charts(rows: Rows) -> tuple[Chart, ...]:
    """Return quality and pauses over the number of allowed migrations, then over time."""
    late = settled(rows)
    methods = [m for m in LIMIT_S if any(str(la).startswith(m) for la in rows.words("label"))]
    shown = []
    for row in late.rows:
        method = next(m for m in methods if str(row["label"]).startswith(m))
        moves = float(row["moves"] or 0)
        shown.append({**row, "method": method, "allowed": min(moves, 300.0)})
    grouped = Rows.of(shown)
    return (
        Chart(
            "Quality",
            "allowed migrations a period (300: unrestricted)",
            "mean load distance, points",
            lines(grouped, "method", "allowed", "after"),
            log_x=True,
            log_y=True,
        ),
        Chart(
            "Overhead",
            "allowed migrations a period (300: unrestricted)",
            "pauses of all key groups a period, s",
            lines(grouped, "method", "allowed", "paused_s"),
            log_x=True,
        ),
        Chart(
            "Quality over time, our search",
            "period",
            "load distance, points",
            lines(
                late.that(lambda row: str(row["label"]).startswith(SEARCH)),
                "label",
                "period",
                "after",
            ),
            log_y=True,
        ),
    )


BALANCE = Experiment(
    name="fig-job1-balance",
    figure="Figures: Quality and #Migrations (Real Job 1)",
    question="How even do the MILP, Flux and PoTC keep Real Job 1 with 13 migrations a period?",
    notes=NOTES,
    points=(
        *points((MILP,), PERIODS, (1,)),
        *points((REPAIRED, FLUX, POTC, SEARCH, STAGES), PERIODS, (1,)),
    ),
    quick=(
        *points((FLUX, POTC, SEARCH, STAGES), QUICK_PERIODS, (1,)),
        *points((REPAIRED,), SETTLED + 3, (1,)),
    ),
    measure=steer,
    claims=(
        Claim("the MILP is consistently below 1 %", "below 1 %", _milp_below),
        Claim("Flux fluctuates significantly", "up to 7 %", _flux_fluctuates),
        Claim("the MILP balances better than Flux", "no number", _flux_behind),
        Claim("PoTC is not consistently good, and merges all the time", "no number", _potc_unsteady),
        Claim("our planners are below 1 point", "", _ours_below, ours=True),
    ),
    charts=_charts,
    tables=_tables,
)

MIGRATIONS = Experiment(
    name="fig-job1-migrations",
    figure="Figures: Quality and Overhead (unrestricted load balancing)",
    question="What do more migrations a period bring, and what do they cost?",
    notes=NOTES,
    points=migration_points((MILP, SEARCH), MOST, PERIODS),
    quick=migration_points((SEARCH,), (10, 13, UNRESTRICTED), QUICK_PERIODS),
    measure=steer,
    claims=(
        Claim("load balance is highly correlated with the allowed migrations", "no number", _correlated),
        Claim("a limit of 10 key groups has significant spikes", "no number", _spikes),
        Claim("the overhead of the unrestricted solution is very large", "no number", _large_overhead),
        Claim(
            "a migration pauses its key group briefly",
            "2.5 s; 0.8 % of its time, 0.04 % of all",
            _pause,
        ),
    ),
    charts=_migration_charts,
    tables=_tables,
)
