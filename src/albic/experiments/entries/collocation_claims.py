"""What the paper says of ALBIC and COLA on synthetic clusters, as checks."""

from collections.abc import Callable, Sequence
from functools import partial

from albic.experiments.experiment import Claim, Finding
from albic.experiments.rows import Row, Rows, Value, amount
from albic.experiments.runs.methods import ALBIC, COLA, JOINT
from albic.experiments.seed_statistics import Judgement, judge

#: The last rounds, whose mean a figure shows.
SETTLED = 5
#: How far joint may be behind ALBIC on a setting, in points.
CLOSE_PCT = 1.0


def claims(over: str, more: str) -> tuple[Claim, ...]:
    """Return the claims of a figure over settings; ``more`` is by how much ALBIC is ahead."""
    return (
        Claim(
            "ALBIC achieves a smaller load distance than COLA",
            "no number",
            partial(_lower_distance, over=over),
        ),
        Claim(
            "ALBIC also outperforms COLA in terms of collocation",
            more,
            partial(_more_collocation, over=over),
        ),
        Claim(
            "joint collocates more than ALBIC in as many rounds",
            "",
            partial(_joint_ahead, over=over),
            ours=True,
        ),
    )


def settled(rows: Rows) -> Rows:
    """Return the last rounds of each run."""
    last: dict[tuple[Value, ...], float] = {}
    for row in rows.rows:
        last[_run(row)] = max(last.get(_run(row), 0.0), float(row["round"] or 0))
    return rows.that(lambda row: float(row["round"] or 0) > last[_run(row)] - SETTLED)


def _run(row: Row) -> tuple[Value, ...]:
    """Return what tells one run from the others."""
    return tuple(row.get(name) for name in ("cluster", "obtainable", "method", "seed"))


def _lower_distance(rows: Rows, over: str) -> Finding:
    """Return whether ALBIC has the smaller load distance everywhere."""

    def lower(both: Sequence[float]) -> bool:
        return all(mine < other for mine, other in _paired(both))

    found = _compared(settled(rows), over, "distance", lower)
    pairs = _paired(found.medians)
    worse = sum(mine >= other for mine, other in pairs)
    mine, other = (max(column) for column in zip(*pairs, strict=True))
    return found.finding(
        f"at most {amount(mine)} points against at most {amount(other)}",
        f"on {worse} of {len(pairs)} settings COLA's load distance is smaller",
    )


def _more_collocation(rows: Rows, over: str) -> Finding:
    """Return whether ALBIC collocates more."""
    late = settled(rows)

    def more(both: Sequence[float]) -> bool:
        return all(mine >= other for mine, other in _paired(both))

    found = _compared(late, over, "collocation", more)
    pairs = _paired(found.medians)
    ahead = [mine - other for mine, other in pairs]
    place = ahead.index(min(ahead))
    where = rows.distinct(over)[place]
    named = f"{where:g} %" if isinstance(where, float) else where
    mine, other = (amount(each) for each in pairs[place])
    few, all_ = (
        amount(late.where(**{over: where, "method": method}).mean("moved"))
        for method in (ALBIC, COLA)
    )
    return found.finding(
        f"ALBIC is {_signed(min(ahead))} to {_signed(max(ahead))} points from COLA, not behind on "
        f"{sum(lead >= 0 for lead in ahead)} of {len(ahead)} settings",
        f"at {over} {named} ALBIC ends at {mine} % and COLA at {other} %; ALBIC moves {few} key "
        f"groups a round from where they are, COLA deals out {all_} anew",
    )


def _joint_ahead(rows: Rows, over: str) -> Finding:
    """Return how joint compares with ALBIC in the same number of rounds."""

    def ahead(both: Sequence[float]) -> bool:
        close = all(mine > other - CLOSE_PCT for mine, other in _paired(both))
        return close and sum(both[::2]) > sum(both[1::2])

    same = rows.where(round=rows.where(method=JOINT).most("round"))
    found = _compared(same, over, "collocation", ahead, (JOINT, ALBIC))
    pairs = _paired(found.medians)
    mine, other = (sum(column) / len(pairs) for column in zip(*pairs, strict=True))
    return found.finding(
        f"{amount(mine)} % against {amount(other)} % on average",
        "joint is more than a point behind ALBIC on some setting, or behind on average",
    )


def _compared(
    rows: Rows,
    over: str,
    value: str,
    holds: Callable[[Sequence[float]], bool],
    methods: tuple[str, str] = (ALBIC, COLA),
) -> Judgement:
    """Return the judgement on the values of two methods in turn, setting by setting."""
    settings = rows.distinct(over)

    def in_turn(some: Rows) -> list[float]:
        return [
            some.where(**{over: at, "method": method}).mean(value)
            for at in settings
            for method in methods
        ]

    return judge(rows, in_turn, holds)


def _paired(both: Sequence[float]) -> list[tuple[float, float]]:
    """Return the two methods' values at each setting."""
    return list(zip(both[::2], both[1::2], strict=True))


def _signed(points: float) -> str:
    """Return a difference with its sign."""
    return f"{'+' if points > 0 else ''}{points:.1f}"
