"""What the paper says of Real Jobs 2, 3 and 4, as checks: judged on the median of the seeds."""

import math
from collections.abc import Callable

from albic.experiments.experiment import Finding
from albic.experiments.rows import Rows, amount
from albic.experiments.runs.jobs import PAPER
from albic.experiments.runs.methods import ALBIC, COLA, JOINT
from albic.experiments.seed_statistics import Judgement, Spread, judge, spread

MOVES = 10
#: The last periods, whose mean counts as the end.
END = 48
#: What "consistently" may mean, as a share of periods.
CONSISTENT = 0.95
#: How near counts as the same collocation, as a share of the other.
NEAR = 0.95


def of_costs(rows: Rows, costs: str) -> Rows:
    """Return the rows that were measured with some costs; the paper's where nobody said."""
    return rows.that(lambda row: row.get("costs", PAPER) == costs)


def with_costs(check: Callable[[Rows], Finding], costs: str = PAPER) -> Callable[[Rows], Finding]:
    """Return a check of the rows with some costs."""

    def checked(rows: Rows) -> Finding:
        some = of_costs(rows, costs)
        return check(some) if some.rows else Finding.missing("no line of this run has these costs")

    return checked


def spreads(found: Judgement, count: int) -> tuple[Spread, ...]:
    """Return the spread of each number of a claim; of nothing where no seed has all of them."""
    return found.spreads or (Spread.of([]),) * count


def at_end(rows: Rows) -> Rows:
    """Return the last periods of a line."""
    last = rows.most("period")
    return rows.that(lambda row: float(row["period"] or 0) > max(last - END, last / 2))


def end_of(rows: Rows, label: str, value: str) -> float:
    """Return a line's mean at the end, of one seed."""
    return at_end(rows.where(label=label)).mean(value)


def middle_of(rows: Rows, label: str, value: str) -> Spread:
    """Return a line's mean at the end over all seeds."""
    return spread(rows, lambda some: end_of(some, label, value))


def first_near(rows: Rows, label: str, goal: float) -> float:
    """Return the first period in which a line has about a collocation; infinite if in none."""
    near = rows.where(label=label).that(lambda row: float(row["collocation"] or 0) >= NEAR * goal)
    return near.least("period") if near.rows else math.inf


def told_when(period: float) -> str:
    """Return a period in words."""
    return f"in period {period:.0f}" if math.isfinite(period) else "never"


def gradually(rows: Rows) -> Finding:
    """Return whether ALBIC reaches COLA's collocation, however late."""

    def numbers(some: Rows) -> tuple[float, ...]:
        cola = end_of(some, COLA, "collocation")
        best = some.where(label=ALBIC).most("collocation")
        return best, cola, first_near(some, ALBIC, cola)

    found = judge(rows, numbers, lambda n: n[0] >= NEAR * n[1])
    best, cola, when = spreads(found, 3)
    last = rows.where(label=ALBIC).most("period")
    return Finding(
        f"ALBIC up to {best} %, COLA {cola} %; within 5 % of it {told_when(when.median)}",
        found.holds,
        f"after {last:.0f} periods ALBIC is at {amount(best.median)} %, for it brings one pair "
        f"together a period; joint is at {middle_of(rows, JOINT, 'collocation')} %",
        seeds=found.told,
    )


def immediately(rows: Rows) -> Finding:
    """Return whether COLA collocates at once."""

    def numbers(some: Rows) -> tuple[float, ...]:
        second = some.where(label=COLA, period=2).mean("collocation")
        return second, end_of(some, COLA, "collocation")

    found = judge(rows, numbers, lambda n: n[0] >= 0.9 * n[1])
    second, end = spreads(found, 2)
    return Finding(
        f"{second} % after its first plan, {end} % at the end",
        found.holds,
        "COLA's first plan is far from its later ones",
        seeds=found.told,
    )


def lower_distance(rows: Rows) -> Finding:
    """Return whether ALBIC's load distance is below COLA's."""

    def numbers(some: Rows) -> tuple[float, ...]:
        theirs = {row["period"]: row["after"] for row in some.where(label=COLA).rows}
        ours = {row["period"]: row["after"] for row in some.where(label=ALBIC).rows}
        both = [(float(ours[at] or 0), float(theirs[at] or 0)) for at in ours.keys() & theirs]
        lower = sum(mine < cola for mine, cola in both) / len(both) if both else math.nan
        return end_of(some, ALBIC, "after"), end_of(some, COLA, "after"), 100 * lower

    found = judge(rows, numbers, lambda n: n[0] < n[1] and n[2] >= 100 * CONSISTENT)
    mine, cola, lower = spreads(found, 3)
    return Finding(
        f"at the end {mine} points against {cola}; lower in {lower} % of the periods",
        found.holds,
        f"COLA's load distance is smaller in {amount(100 - lower.median)} % of the periods: where "
        "the sets that ALBIC keeps whole become heavy, its plans become uneven",
        seeds=found.told,
    )


def load_index(rows: Rows) -> Finding:
    """Return the load index of both at the end."""
    found = judge(
        rows,
        lambda some: [end_of(some, label, "index") for label in (ALBIC, COLA)],
        lambda n: abs(n[0] - 50) <= 10 and abs(n[1] - 75) <= 12,
    )
    mine, cola = spreads(found, 2)
    return Finding(
        f"ALBIC {mine} %, COLA {cola} %",
        found.holds,
        f"ALBIC's is {amount(abs(mine.median - 50))} points from the paper's (10 would do) and "
        f"COLA's {amount(abs(cola.median - 75))} (12 would do)",
        seeds=found.told,
    )


def index_falls(rows: Rows) -> Finding:
    """Return whether ALBIC reduces the load index, and COLA less."""
    found = judge(
        rows,
        lambda some: [end_of(some, label, "index") for label in (ALBIC, COLA)],
        lambda n: n[0] < 90 and n[0] < n[1],
    )
    mine, cola = spreads(found, 2)
    return Finding(
        f"ALBIC {mine} %, COLA {cola} %",
        found.holds,
        "ALBIC's load index is not clearly below where it began, or not below COLA's",
        seeds=found.told,
    )


def migrations(rows: Rows, groups: int, said: float) -> Finding:
    """Return migrations a period of both."""

    def numbers(some: Rows) -> tuple[float, ...]:
        cola = some.where(label=COLA)
        return (
            cola.most("planned"),
            cola.mean("planned"),
            some.where(label=ALBIC).mean("planned"),
        )

    found = judge(rows, numbers, lambda n: n[0] >= said and n[2] <= MOVES)
    most, cola, mine = spreads(found, 3)
    return Finding(
        f"COLA up to {most} of {groups}, on average {cola}; ALBIC {mine}",
        found.holds,
        f"COLA moves at most {amount(most.median)} key groups a period",
        seeds=found.told,
    )


def half_of_job_2(rows: Rows) -> Finding:
    """Return whether the collocation is about half of Real Job 2's."""
    found = judge(rows, lambda some: [some.most("collocation")], lambda n: 40 <= n[0] <= 60)
    (best,) = spreads(found, 1)
    return Finding(
        f"{best} % at most, of 100 % in Real Job 2",
        found.holds,
        f"the best collocation is {amount(best.median)} %",
        seeds=found.told,
    )


def overwhelms(rows: Rows) -> Finding:
    """Return whether COLA's migrations are too much for the system."""

    def numbers(some: Rows) -> tuple[float, ...]:
        cola = some.where(label=COLA)
        return cola.most("index"), cola.most("load"), cola.most("backlog_s")

    found = judge(rows, numbers, lambda n: n[2] > 0)
    index, load, backlog = spreads(found, 3)
    return Finding(
        f"load index up to {index} %, mean load up to {load} %, backlog {backlog} s",
        found.holds,
        f"with its migrations COLA's load index stays at {middle_of(rows, COLA, 'index')} %, but "
        "the simulated nodes, half idle, keep up; the paper's did not",
        seeds=found.told,
    )


def cola_61(rows: Rows) -> Finding:
    """Return COLA's collocation, run by run."""

    def numbers(some: Rows) -> tuple[float, ...]:
        cola = some.where(label=COLA)
        return (cola.that(lambda row: float(row["period"] or 0) > 1).mean("collocation"),)

    found = judge(rows, numbers, lambda n: abs(n[0] - 61) <= 5)
    (reached,) = spreads(found, 1)
    return Finding(
        f"{reached} %",
        found.holds and found.agreeing == found.seeds,
        "COLA's collocation is not within 5 points of 61 % with every seed",
        seeds=found.told,
    )


def joint_faster(rows: Rows) -> Finding:
    """Return when joint and ALBIC are within 5 % of the best collocation that either has."""

    def numbers(some: Rows) -> tuple[float, ...]:
        best = max(some.where(label=label).most("collocation") for label in (JOINT, ALBIC))
        when = [first_near(some, label, best) for label in (JOINT, ALBIC)]
        return (*when, end_of(some, JOINT, "after"))

    found = judge(rows, numbers, lambda n: n[0] < n[1])
    joint, albic, distance = spreads(found, 3)
    return Finding(
        f"within 5 % of the best of the two: joint {told_when(joint.median)}, ALBIC "
        f"{told_when(albic.median)}; distance {distance}",
        found.holds,
        "joint is not there before ALBIC",
        seeds=found.told,
    )


def around_five(rows: Rows) -> Finding:
    """Return the collocation that anybody reaches on Real Job 1."""
    found = judge(
        rows, lambda some: [some.where(label=ALBIC).most("collocation")], lambda n: 2 <= n[0] <= 8
    )
    told = "; ".join(
        f"{label} {spread(rows.where(label=label), lambda some: some.most('collocation'))}"
        for label in rows.words("label")
    )
    return Finding(
        f"at most: {told} %",
        found.holds,
        f"ALBIC reaches {spreads(found, 1)[0]} % on Real Job 1",
        seeds=found.told,
    )


def low_index(rows: Rows) -> Finding:
    """Return load index and load distance of ALBIC at the end."""
    found = judge(
        rows,
        lambda some: [end_of(some, ALBIC, value) for value in ("index", "after")],
        lambda n: n[0] < 90 and n[1] < 5,
    )
    index, distance = spreads(found, 2)
    last = rows.where(label=ALBIC).most("period")
    return Finding(
        f"{index} %, at {distance} points",
        found.holds,
        f"after {last:.0f} periods the load index is {amount(index.median)} % at a load distance "
        f"of {amount(distance.median)} points",
        seeds=found.told,
    )
