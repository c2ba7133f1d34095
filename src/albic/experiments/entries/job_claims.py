"""What the paper says of Real Jobs 2, 3 and 4, as checks: judged on the median of the seeds."""

import math

from albic.experiments.entries.job_ends import (
    NEAR,
    end_of,
    first_near,
    middle_of,
    spreads,
    told_when,
)
from albic.experiments.experiment import Finding
from albic.experiments.rows import Rows, amount
from albic.experiments.runs.methods import ALBIC, COLA, JOINT
from albic.experiments.seed_statistics import judge, spread

MOVES = 10
#: What "consistently" may mean, as a share of periods.
CONSISTENT = 0.95


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
        f"after {last:.0f} periods ALBIC is at {amount(best.median)} % at best and at "
        f"{middle_of(rows, ALBIC, 'collocation')} % at the end; joint is at "
        f"{middle_of(rows, JOINT, 'collocation')} %",
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
        f"COLA's load distance is smaller in {amount(100 - lower.median)} % of the periods, "
        f"where ALBIC keeps {middle_of(rows, ALBIC, 'collocation')} % local within the 10 points "
        "that it may use",
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
        f"COLA's {amount(abs(cola.median - 75))} (12 would do); COLA's migrations pause key groups "
        f"for {middle_of(rows, COLA, 'paused_s')} s a period, "
        f"{middle_of(rows, COLA, 'planned')} of them",
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
        f"with its migrations COLA's load index stays at {middle_of(rows, COLA, 'index')} %, "
        f"the mean load of nodes is {load} % at most, and the backlog {backlog} s",
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
