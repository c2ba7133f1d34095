"""Real Job 1 with few and many migrations a period: what they bring and what they cost."""

from collections.abc import Sequence
from itertools import pairwise

from albic.experiments.entries.balance import (
    BELOW_PCT,
    LIMIT_S,
    MOVES,
    NOTES,
    PERIOD_S,
    PERIODS,
    QUICK_PERIODS,
    SEEDS,
    SETTLED,
    settled,
    tables,
    worst,
)
from albic.experiments.entries.lines import lines
from albic.experiments.entries.solver_claims import STARTED
from albic.experiments.experiment import Claim, Experiment, Finding
from albic.experiments.rows import Rows
from albic.experiments.runs.jobs import UNRESTRICTED, JobPoint, steer
from albic.experiments.runs.methods import MILP, SEARCH, STAGES
from albic.experiments.seed_statistics import Spread, judge, spread
from albic.figures import Chart

MOST = (5, 10, 13, 20, 40, UNRESTRICTED)
FREE = "unrestricted"
#: The limit that the paper finds spikes with.
TIGHT = 10
#: HiGHS takes its whole time in every period, so the printed program gets less of everything.
FEW, FEW_PERIODS = (TIGHT, MOVES, 40, UNRESTRICTED), 12
METHODS = (MILP, SEARCH, STAGES)


def points(
    methods: tuple[str, ...], most: tuple[int, ...], periods: int, seeds: tuple[int, ...]
) -> tuple[JobPoint, ...]:
    """Return every method with every number of migrations."""
    return tuple(
        JobPoint(
            1, f"{method}, {_moves(moves)}", method, moves, 10.0, periods, LIMIT_S[method], seed
        )
        for method in methods
        for moves in most
        for seed in seeds
    )


def of_method(rows: Rows, method: str) -> Rows:
    """Return the settled periods of one method under all limits."""
    return settled(rows).that(lambda row: str(row["label"]).startswith(f"{method}, "))


def _moves(moves: float) -> str:
    """Return a limit in words."""
    return FREE if moves >= UNRESTRICTED else f"{moves:.0f}"


def _correlated(rows: Rows) -> Finding:
    """Return whether more migrations make the load more even, step by step."""
    mine = of_method(rows, MILP)
    limits = mine.amounts("moves")

    def means(some: Rows) -> list[float]:
        return [some.where(moves=moves).mean("after") for moves in limits]

    def falling(distances: Sequence[float]) -> bool:
        return all(more <= fewer for fewer, more in pairwise(distances))

    found = judge(mine, means, falling)
    told = _listed(limits, found.spreads)
    return found.finding(
        f"mean points by limit: {told}", f"the means do not fall in order: {told}", STARTED
    )


def _listed(limits: Sequence[float], distances: Sequence[Spread]) -> str:
    """Return load distances by limit."""
    pairs = zip(limits, distances, strict=True)
    return ", ".join(f"{_moves(moves)}: {distance}" for moves, distance in pairs)


def _spikes(rows: Rows) -> Finding:
    """Return whether the limit of 10 has spikes that the unrestricted one has not."""
    mine = of_method(rows, MILP)

    def numbers(some: Rows) -> list[float]:
        few, free = (some.where(moves=moves) for moves in (TIGHT, UNRESTRICTED))
        return [worst(few), worst(free), few.mean("after")]

    def spiky(found: Sequence[float]) -> bool:
        return found[0] > 2 * found[1] and found[0] > BELOW_PCT

    found = judge(mine, numbers, spiky)
    few, free, usual = found.spreads
    longer = of_method(rows, SEARCH).where(moves=TIGHT)
    return found.finding(
        f"worst period {few} points with {TIGHT} migrations, {free} unrestricted",
        f"with {TIGHT} migrations the worst period is at {few} points beside {usual} on average, "
        f"and at {spread(longer, worst)} in the {longer.most('period') - SETTLED:.0f} periods of "
        f"our search; a spike would be above {BELOW_PCT:g}",
        STARTED,
    )


def _large_overhead(rows: Rows) -> Finding:
    """Return how much longer the unrestricted solution pauses."""

    def pauses(some: Rows) -> list[float]:
        return [some.where(moves=moves).mean("paused_s") for moves in (MOVES, UNRESTRICTED)]

    found = judge(of_method(rows, MILP), pauses, lambda both: both[1] > 4 * both[0])
    few, free = found.spreads
    return found.finding(
        f"{free} s of pauses a period against {few} s with {MOVES}",
        f"the unrestricted solution pauses for {free} s a period, that of {MOVES} for {few} s",
        STARTED,
    )


def _pause(rows: Rows) -> Finding:
    """Return the pause of a key group, and its share of time."""

    def numbers(some: Rows) -> list[float]:
        mine = some.where(moves=MOVES)
        each = mine.mean("paused_s") / mine.mean("planned")
        shares = (each / PERIOD_S, mine.mean("paused_s") / (300 * PERIOD_S))
        return [each, *(100 * share for share in shares)]

    def briefly(found: Sequence[float]) -> bool:
        return 1.5 <= found[0] <= 3.5 and found[2] < 0.1

    found = judge(of_method(rows, MILP), numbers, briefly)
    each, share, all_ = found.spreads
    return found.finding(
        f"{each} s a key group: {share} % of its time, {all_} % of all",
        f"a key group pauses {each} s on average, which is {share} % of its time",
    )


def _charts(rows: Rows) -> tuple[Chart, ...]:
    """Return quality and pauses over the number of allowed migrations, then over time."""
    grouped = Rows.of(
        {**row, "method": method, "allowed": min(float(row["moves"] or 0), 300.0)}
        for method in METHODS
        for row in of_method(rows, method).rows
    )
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
            lines(of_method(rows, SEARCH), "label", "period", "after"),
            log_y=True,
        ),
    )


MIGRATIONS = Experiment(
    name="fig-job1-migrations",
    figure="Figures: Quality and Overhead (unrestricted load balancing)",
    question="What do more migrations a period bring, and what do they cost?",
    notes=NOTES,
    points=(
        *points((MILP,), FEW, FEW_PERIODS, SEEDS),
        *points((SEARCH, STAGES), MOST, PERIODS, SEEDS),
    ),
    quick=(
        *points((MILP,), (TIGHT, MOVES, UNRESTRICTED), SETTLED + 2, (1,)),
        *points((SEARCH,), (TIGHT, MOVES, UNRESTRICTED), QUICK_PERIODS, (1,)),
    ),
    measure=steer,
    claims=(
        Claim(
            "load balance is highly correlated with the allowed migrations",
            "no number",
            _correlated,
        ),
        Claim("a limit of 10 key groups has significant spikes", "no number", _spikes),
        Claim(
            "the overhead of the unrestricted solution is very large", "no number", _large_overhead
        ),
        Claim(
            "a migration pauses its key group briefly",
            "2.5 s; 0.8 % of its time, 0.04 % of all",
            _pause,
        ),
    ),
    charts=_charts,
    tables=tables,
)
