"""Lines of the real jobs as one number a seed: with which costs, at the end, and when."""

import math
from collections.abc import Callable

from albic.experiments.experiment import Finding
from albic.experiments.rows import Rows
from albic.experiments.runs.jobs import PAPER
from albic.experiments.seed_statistics import Judgement, Spread, spread

#: The last periods, whose mean counts as the end.
END = 48
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
