"""What the paper says of Real Jobs 2, 3 and 4, as checks."""

from albic.experiments.experiment import Finding
from albic.experiments.rows import Rows, amount
from albic.experiments.runs.methods import ALBIC, COLA, JOINT

MOVES = 10
#: The last periods, one swing of the input rate, whose mean counts as the end.
END = 48
#: What "consistently" may mean, as a share of periods.
CONSISTENT = 0.95


def at_end(rows: Rows) -> Rows:
    """Return the last periods of a line."""
    last = rows.most("period")
    return rows.that(lambda row: float(row["period"] or 0) > max(last - END, last / 2))


def end_of(rows: Rows, label: str, value: str) -> float:
    """Return a line's mean at the end."""
    return at_end(rows.where(label=label)).mean(value)


def gradually(rows: Rows) -> Finding:
    """Return whether ALBIC reaches COLA's collocation, however late."""
    mine = rows.where(label=ALBIC)
    best, cola = mine.most("collocation"), end_of(rows, COLA, "collocation")
    near = mine.that(lambda row: float(row["collocation"] or 0) >= 0.95 * cola)
    when = f"in period {near.least('period'):.0f}" if near.rows else "not"
    return Finding(
        f"ALBIC up to {amount(best)} %, COLA {amount(cola)} %; within 5 % of it {when}",
        best >= 0.95 * cola,
        f"after {mine.most('period'):.0f} periods ALBIC is at {amount(best)} %, for it brings one "
        f"pair together a period; joint is at {amount(end_of(rows, JOINT, 'collocation'))} %",
    )


def immediately(rows: Rows) -> Finding:
    """Return whether COLA collocates at once."""
    second = rows.where(label=COLA, period=2).mean("collocation")
    end = end_of(rows, COLA, "collocation")
    return Finding(
        f"{amount(second)} % after its first plan, {amount(end)} % at the end",
        second >= 0.9 * end,
        "COLA's first plan is far from its later ones",
    )


def lower_distance(rows: Rows) -> Finding:
    """Return whether ALBIC's load distance is below COLA's."""
    mine, cola = end_of(rows, ALBIC, "after"), end_of(rows, COLA, "after")
    both = [
        (row["after"], rows.where(label=COLA, period=row["period"]).mean("after"))
        for row in rows.where(label=ALBIC).rows
    ]
    lower = sum(float(ours or 0) < theirs for ours, theirs in both)
    return Finding(
        f"at the end {amount(mine)} points against {amount(cola)}; lower in {lower} of "
        f"{len(both)} periods",
        mine < cola and lower >= CONSISTENT * len(both),
        f"COLA's load distance is smaller in {len(both) - lower} of {len(both)} periods: where the "
        "sets that ALBIC keeps whole become heavy, its plans become uneven",
    )


def load_index(rows: Rows) -> Finding:
    """Return the load index of both at the end."""
    mine, cola = end_of(rows, ALBIC, "index"), end_of(rows, COLA, "index")
    return Finding(
        f"ALBIC {amount(mine)} %, COLA {amount(cola)} %",
        abs(mine - 50) <= 10 and abs(cola - 75) <= 12,
        "the load indices are not within 10 (ALBIC) and 12 (COLA) points of the paper's",
    )


def index_falls(rows: Rows) -> Finding:
    """Return whether ALBIC reduces the load index, and COLA less."""
    mine, cola = end_of(rows, ALBIC, "index"), end_of(rows, COLA, "index")
    return Finding(
        f"ALBIC {amount(mine)} %, COLA {amount(cola)} %",
        mine < 90 and mine < cola,
        "ALBIC's load index is not clearly below where it began, or not below COLA's",
    )


def migrations(rows: Rows, groups: int, said: float) -> Finding:
    """Return migrations a period of both."""
    mine, cola = (rows.where(label=label).mean("planned") for label in (ALBIC, COLA))
    typical = rows.where(label=COLA).most("planned")
    return Finding(
        f"COLA up to {amount(typical)} of {groups}, on average {amount(cola)}; ALBIC "
        f"{amount(mine)}",
        typical >= said and mine <= MOVES,
        f"COLA moves at most {amount(typical)} key groups a period",
    )


def half_of_job_2(rows: Rows) -> Finding:
    """Return whether the collocation is about half of Real Job 2's."""
    best = rows.most("collocation")
    return Finding(
        f"{amount(best)} % at most, of 100 % in Real Job 2",
        40 <= best <= 60,
        f"the best collocation is {amount(best)} %",
    )


def overwhelms(rows: Rows) -> Finding:
    """Return whether COLA's migrations are too much for the system."""
    cola = rows.where(label=COLA)
    load, backlog = cola.most("load"), cola.most("backlog_s")
    index = cola.most("index")
    return Finding(
        f"load index up to {amount(index)} %, mean load up to {amount(load)} %, "
        f"backlog {amount(backlog)} s",
        backlog > 0,
        f"with its migrations COLA's load index stays at {amount(end_of(rows, COLA, 'index'))} %, "
        "but the simulated nodes, half idle at the start, keep up; the paper's did not",
    )


def cola_61(rows: Rows) -> Finding:
    """Return COLA's collocation, over seeds."""
    reached = [
        rows.where(label=label).that(lambda row: float(row["period"] or 0) > 1).mean("collocation")
        for label in rows.words("label")
        if label.startswith(COLA)
    ]
    told = ", ".join(amount(each) for each in reached)
    return Finding(
        f"{told} %",
        all(abs(each - 61) <= 5 for each in reached),
        "COLA's collocation is not within 5 points of 61 %",
    )


def joint_faster(rows: Rows) -> Finding:
    """Return when joint and ALBIC are within 5 % of the best collocation."""
    best = 0.95 * rows.most("collocation")
    when = []
    for label in (JOINT, ALBIC):
        near = rows.where(label=label).that(lambda row: float(row["collocation"] or 0) >= best)
        when.append(near.least("period") if near.rows else float("inf"))
    told = ["never" if each == float("inf") else f"in period {each:.0f}" for each in when]
    distance = end_of(rows, JOINT, "after")
    return Finding(
        f"within 5 % of the best: joint {told[0]}, ALBIC {told[1]}; distance {amount(distance)}",
        when[0] < when[1],
        "joint is not there before ALBIC",
    )


def around_five(rows: Rows) -> Finding:
    """Return the collocation that anybody reaches on Real Job 1."""
    best = {label: rows.where(label=label).most("collocation") for label in rows.words("label")}
    told = "; ".join(f"{label} {amount(value)}" for label, value in best.items())
    albic = best[ALBIC]
    return Finding(
        f"at most: {told} %",
        2 <= albic <= 8,
        f"ALBIC reaches {amount(albic)} % on Real Job 1",
    )


def one_cola(rows: Rows) -> Rows:
    """Return the rows with all runs of COLA under one name."""
    return Rows.of(
        {**row, "label": COLA if str(row["label"]).startswith(COLA) else row["label"]}
        for row in rows.rows
    )


def low_index(rows: Rows) -> Finding:
    """Return load index and load distance of ALBIC at the end."""
    index, distance = end_of(rows, ALBIC, "index"), end_of(rows, ALBIC, "after")
    return Finding(
        f"{amount(index)} %, at {amount(distance)} points",
        index < 90 and distance < 5,
        f"after {rows.where(label=ALBIC).most('period'):.0f} periods the load index is "
        f"{amount(index)} % at a load distance of {amount(distance)} points",
    )
