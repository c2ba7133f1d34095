"""Real Job 1 with few and many migrations a period: what they bring and what they cost."""

from itertools import pairwise

from albic.experiments.entries.balance import (
    BELOW_PCT,
    LIMIT_S,
    MOVES,
    NOTES,
    PERIOD_S,
    PERIODS,
    QUICK_PERIODS,
    settled,
    tables,
)
from albic.experiments.entries.lines import lines
from albic.experiments.experiment import Claim, Experiment, Finding
from albic.experiments.rows import Rows, amount
from albic.experiments.runs.jobs import UNRESTRICTED, JobPoint, steer
from albic.experiments.runs.methods import MILP, SEARCH, STAGES
from albic.figures import Chart

MOST = (5, 10, 13, 20, 40, UNRESTRICTED)
FREE = "unrestricted"
#: HiGHS takes its whole time in every period, so the printed program gets less of everything.
FEW, FEW_PERIODS, FEW_S = (10, 13, 40, UNRESTRICTED), 11, 5.0


def points(methods: tuple[str, ...], most: tuple[int, ...], periods: int) -> tuple[JobPoint, ...]:
    """Return every method with every number of migrations."""
    limit_s = {**LIMIT_S, MILP: FEW_S}
    return tuple(
        JobPoint(1, f"{method}, {_moves(moves)}", method, moves, 10.0, periods, limit_s[method], 1)
        for method in methods
        for moves in most
    )


def _moves(moves: float) -> str:
    """Return a limit in words."""
    return FREE if moves >= UNRESTRICTED else f"{moves:.0f}"


def _correlated(rows: Rows) -> Finding:
    """Return whether more migrations make the load more even, step by step."""
    at, distance = _curve(rows, _method(rows))
    return Finding(
        f"mean points by limit: {_listed(at, distance)}",
        all(more <= fewer for fewer, more in pairwise(distance)),
        "the means do not fall in order, for HiGHS ends its time at plans that are far from the "
        f"best; those of our search are {_listed(*_curve(rows, SEARCH))}",
    )


def _curve(rows: Rows, method: str) -> tuple[list[float], list[float]]:
    """Return the limits of a method and the mean load distance under each."""
    mine = settled(rows).that(lambda row: str(row["label"]).startswith(method))
    return mine.curve("moves", "after")


def _listed(at: list[float], distance: list[float]) -> str:
    """Return load distances by limit."""
    pairs = zip(at, distance, strict=True)
    return ", ".join(f"{_moves(moves)}: {amount(value)}" for moves, value in pairs)


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


def _charts(rows: Rows) -> tuple[Chart, ...]:
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


MIGRATIONS = Experiment(
    name="fig-job1-migrations",
    figure="Figures: Quality and Overhead (unrestricted load balancing)",
    question="What do more migrations a period bring, and what do they cost?",
    notes=NOTES,
    points=(*points((MILP,), FEW, FEW_PERIODS), *points((SEARCH, STAGES), MOST, PERIODS)),
    quick=points((SEARCH,), (10, 13, UNRESTRICTED), QUICK_PERIODS),
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
