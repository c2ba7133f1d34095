"""Figures *Collocation* and *Configurations*: ALBIC against COLA on synthetic clusters."""

from albic.experiments.entries.lines import bars, lines, table
from albic.experiments.experiment import Claim, Experiment, Finding
from albic.experiments.rows import Row, Rows, amount
from albic.experiments.runs.collocation import CollocationPoint, collocate_rounds
from albic.experiments.runs.methods import ALBIC, COLA, JOINT, PAIRS, SEARCH, STAGES
from albic.figures import Chart, Table

SIZES = ((20, 400, 10), (40, 800, 20), (60, 1200, 30))
MIDDLE = SIZES[1]
OBTAINABLE_PCT = (0.0, 25.0, 50.0, 75.0, 100.0)
VARIES_PCT, MOVES, MAX_DISTANCE_PCT, JOINT_DISTANCE_PCT = 20.0, 20, 10.0, 2.0
#: Rounds that a method needs until little changes. COLA starts from scratch in each.
ROUNDS = {ALBIC: 400, COLA: 5, JOINT: 60, PAIRS: 50, SEARCH: 10, STAGES: 10}
QUICK_ROUNDS = {ALBIC: 12, COLA: 2, JOINT: 12, SEARCH: 6}
#: Seconds a plan. ALBIC makes hundreds of them.
LIMIT_S = {COLA: 1.0, ALBIC: 0.02, PAIRS: 0.02, JOINT: 0.1, SEARCH: 0.05, STAGES: 0.05}
#: The last rounds, whose mean a figure shows.
SETTLED = 5

NOTES = (
    "Varies 20 at the start, 20 migrations a round, a maximum load distance of 10 points (2 for "
    "joint), the load of 20 % of the nodes drifts by up to 2 % a round; one seed. The start is "
    "a random allocation, as the paper does not name another. ALBIC brings one pair together a "
    "round, so it needs hundreds of rounds from there; it gets 400, our variant with 12 pairs "
    "50 and joint 60. COLA plans every round from scratch without a budget. ALBIC solves with "
    "our search in place of CPLEX. The searches do not look at traffic; they show what is local by "
    "chance. Values are means over the last 5 rounds."
)


def points(
    sizes: tuple[tuple[int, int, int], ...],
    obtainable: tuple[float, ...],
    rounds: dict[str, int],
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
            seed=1,
        )
        for size in sizes
        for share in obtainable
        for method in rounds
    )


def settled(rows: Rows) -> Rows:
    """Return the last rounds of each method."""
    last = {method: rows.where(method=method).most("round") for method in rows.words("method")}

    def late(row: Row) -> bool:
        return float(row["round"] or 0) > last[str(row["method"])] - SETTLED

    return rows.that(late)


def _pairs(rows: Rows, over: str, value: str) -> list[tuple[float, float]]:
    """Return ALBIC's and COLA's settled values at each setting."""
    late = settled(rows)
    return [
        (
            late.where(**{over: at, "method": ALBIC}).mean(value),
            late.where(**{over: at, "method": COLA}).mean(value),
        )
        for at in rows.distinct(over)
    ]


def _lower_distance(rows: Rows, over: str) -> Finding:
    """Return whether ALBIC has the smaller load distance everywhere."""
    pairs = _pairs(rows, over, "distance")
    worse = sum(mine >= other for mine, other in pairs)
    mine, other = (max(column) for column in zip(*pairs, strict=True))
    return Finding(
        f"at most {amount(mine)} points against at most {amount(other)}",
        worse == 0,
        f"on {worse} of {len(pairs)} settings COLA's load distance is smaller",
    )


def _more_collocation(rows: Rows, over: str) -> Finding:
    """Return whether ALBIC collocates more."""
    pairs = _pairs(rows, over, "collocation")
    ahead = [mine - other for mine, other in pairs]
    return Finding(
        f"ALBIC is {_signed(min(ahead))} to {_signed(max(ahead))} points from COLA",
        min(ahead) >= 0,
        f"from a random start ALBIC stays up to {amount(-min(ahead))} points below COLA, which "
        "plans from scratch over all traffic and without a budget; ALBIC looks at heavy pairs "
        "only, one a round",
    )


def _joint_ahead(rows: Rows, over: str) -> Finding:
    """Return how joint compares with ALBIC in the same number of rounds."""
    rounds = rows.where(method=JOINT).most("round")
    at = rows.where(round=rounds)
    some = [
        (
            at.where(**{over: where, "method": JOINT}).mean("collocation"),
            at.where(**{over: where, "method": ALBIC}).mean("collocation"),
        )
        for where in rows.distinct(over)
    ]
    mine, other = (sum(column) / len(some) for column in zip(*some, strict=True))
    return Finding(
        f"{amount(mine)} % against {amount(other)} % on average",
        all(ours > theirs - 1 for ours, theirs in some) and mine > other,
        "joint is more than a point behind ALBIC on some setting",
    )


def _signed(points_: float) -> str:
    """Return a difference with its sign."""
    return f"{'+' if points_ > 0 else ''}{points_:.1f}"


def _claims(over: str, more: str) -> tuple[Claim, ...]:
    """Return the claims of both figures."""
    return (
        Claim(
            "ALBIC achieves a smaller load distance than COLA",
            "no number",
            lambda rows: _lower_distance(rows, over),
        ),
        Claim(
            "ALBIC also outperforms COLA in terms of collocation",
            more,
            lambda rows: _more_collocation(rows, over),
        ),
        Claim(
            "joint collocates more than ALBIC in as many rounds",
            "",
            lambda rows: _joint_ahead(rows, over),
            ours=True,
        ),
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
            some.mean("collocation"),
            some.mean("distance"),
            some.mean("moved"),
            rows.where(**{over: at, "method": method}).most("round"),
        ]
        for at in rows.distinct(over)
        for method in rows.words("method")
        if (some := late.where(**{over: at, "method": method})).rows
    ]
    columns = (name, "method", "collocation, %", "distance, points", "moves a round", "rounds")
    return (table(columns, cells),)


SHARES = Experiment(
    name="fig-collocation",
    figure="Figure: Collocation (40 nodes, 800 key groups, 20 operators)",
    question="How much collocation do ALBIC and COLA reach, and at what load distance?",
    notes=NOTES,
    points=points((MIDDLE,), OBTAINABLE_PCT, ROUNDS),
    quick=points((MIDDLE,), (0.0, 50.0, 100.0), QUICK_ROUNDS),
    measure=collocate_rounds,
    claims=_claims("obtainable", "by up to ten percent"),
    charts=_share_charts,
    tables=lambda rows: _table(rows, "obtainable", "obtainable, %"),
)

CLUSTERS = Experiment(
    name="fig-configurations",
    figure="Figure: Configurations (50 % obtainable)",
    question="Is ALBIC ahead of COLA on clusters of every size?",
    notes=NOTES,
    points=points(SIZES, (50.0,), ROUNDS),
    quick=points(SIZES[:2], (50.0,), QUICK_ROUNDS),
    measure=collocate_rounds,
    claims=_claims("cluster", "significantly and consistently"),
    charts=_size_charts,
    tables=lambda rows: _table(rows, "cluster", "cluster"),
)
