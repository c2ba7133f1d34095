"""What the figure about ever larger clusters claims."""

import math
from collections.abc import Callable

from albic.experiments.experiment import Finding
from albic.experiments.rows import Rows, amount
from albic.experiments.runs.methods import JOINT, SCRATCH, SEARCH, STAGES
from albic.experiments.runs.scale import AT_ONCE, RACKS

#: How many times its time limit a plan may take and still have kept to it.
OVERRUN = {SEARCH: 1.5, STAGES: 1.1, JOINT: 2.0}
#: How far above its bound a makespan may be, in percent.
NEAR_PCT = 3.0
#: A controller with a period of a minute should not plan for longer than this.
IN_TIME_S = 30.0
#: The load distance that we call balanced at this size, in points.
BALANCED_PCT = 0.5


def largest(rows: Rows, method: str) -> float:
    """Return the most nodes for which a method had a plan; 0 if none."""
    mine = rows.where(method=method, failed="")
    return mine.most("nodes") if mine.rows else 0.0


def reaches(rows: Rows) -> Finding:
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


def keeps_limit(method: str) -> Callable[[Rows], Finding]:
    """Return the check whether a planner has a plan at every size, about when it is asked to."""

    def check(rows: Rows) -> Finding:
        mine, top = rows.where(method=method), rows.most("nodes")
        if not mine.rows:
            return Finding.missing("left out of this run")
        limit_s = mine.most("limit_s")
        good = mine.where(failed="")
        late = good.that(lambda row: float(row["wall_s"] or 0) > OVERRUN[method] * limit_s)
        ends = late.least("nodes") if late.rows else mine.most("nodes")
        return Finding(
            f"at most {amount(good.most('wall_s'))} s for a limit of {limit_s:g} s, up to "
            f"{good.most('nodes'):,.0f} nodes",
            not late.rows and good.most("nodes") == top,
            f"at {ends:,.0f} nodes it takes longer, or has no plan",
        )

    return check


def near_bound(rows: Rows) -> Finding:
    """Return whether the makespan is near its bound at every size."""
    mine = rows.where(method=STAGES, failed="")
    if not mine.rows:
        return Finding.missing("left out of this run")
    over = [
        100 * (float(row["makespan"] or math.nan) / float(row["bound"] or math.nan) - 1)
        for row in mine.rows
    ]
    told = ", ".join(
        f"{row['nodes']:,}: {amount(each)} %" for row, each in zip(mine.rows, over, strict=True)
    )
    return Finding(told, max(over) <= NEAR_PCT, f"more than {NEAR_PCT:g} % above the bound")


def milp_ends(rows: Rows) -> Finding:
    """Return where the printed program ends."""
    if not rows.where(method=SCRATCH).rows:
        return Finding.missing("left out of this run")
    reached, top = largest(rows, SCRATCH), rows.most("nodes")
    last = rows.where(method=SCRATCH).rows[-1]
    return Finding(
        f"at {last['nodes']} nodes: {last['failed'] or 'a plan'}",
        reached < top,
        "the exact program was solved even on the largest cluster",
    )


def racks_help(rows: Rows) -> Finding:
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
