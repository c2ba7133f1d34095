"""What several seeds say together: the middle, the quartiles, and how many of them agree.

A seed is judged for itself first: whatever a figure shows of one run is one number a seed. What is
told is the median of these numbers, with the quartiles beside it; a claim is judged on medians.
"""

import math
import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from albic.experiments.experiment import Finding
from albic.experiments.rows import Rows, Value, amount

#: Below this there are no quartiles to speak of, and no band is drawn.
FEW = 3


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of some seeds between its quartiles; NaN where there is no seed at all."""

    low: float
    median: float
    high: float
    seeds: int

    @classmethod
    def of(cls, values: Iterable[float]) -> "Spread":
        """Return the spread of one number a seed; what is no number is left out."""
        good = sorted(value for value in values if not math.isnan(value))
        if not good:
            return cls(math.nan, math.nan, math.nan, 0)
        low, median, high = (_between(good, part) for part in (0.25, 0.5, 0.75))
        return cls(low, median, high, len(good))

    def __str__(self) -> str:
        """Return the median and, of enough seeds that differ, the quartiles."""
        told = amount(self.median)
        low, high = amount(self.low), amount(self.high)
        return told if self.seeds < FEW or low == high else f"{told} ({low} to {high})"


def _between(rising: Sequence[float], part: float) -> float:
    """Return the number that has so large a part of the others below it.

    Never may be among them as infinity, which the statistics of Python make no number of.
    """
    whole, rest = divmod((len(rising) - 1) * part, 1)
    below = rising[int(whole)]
    above = rising[math.ceil(whole + rest)]
    return below if below == above or not rest else below + rest * (above - below)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What came out for a claim: the spread of each of its numbers, and whether it holds.

    ``holds`` is judged on the medians; ``agreeing`` of ``seeds`` bear the claim out by themselves.
    """

    spreads: tuple[Spread, ...]
    holds: bool
    agreeing: int
    seeds: int

    @property
    def medians(self) -> tuple[float, ...]:
        """Return the middle of each number."""
        return tuple(spread.median for spread in self.spreads)

    @property
    def told(self) -> str:
        """Return with how many of the seeds it holds, for the report."""
        return f"{self.agreeing} of {self.seeds}"

    def finding(self, measured: str, remark: str, note: str = "") -> Finding:
        """Return what the report says of the claim."""
        if not self.seeds:
            return Finding.missing("this run leaves out a line that it needs")
        return Finding(measured, self.holds, remark, note, self.told)


def each_seed(rows: Rows) -> list[Rows]:
    """Return the rows of every seed; rows that know no seeds are one run."""
    seeds = rows.distinct("seed")
    return [rows.where(seed=seed) for seed in seeds] if seeds else [rows]


def spread(rows: Rows, number: Callable[[Rows], float]) -> Spread:
    """Return the spread of what ``number`` makes of the rows of each seed."""
    return Spread.of(number(some) for some in each_seed(rows))


def mean_spread(rows: Rows, name: str) -> Spread:
    """Return the spread of each seed's mean of the numbers under a name."""
    return spread(rows, lambda some: some.mean(name))


def judge(
    rows: Rows,
    numbers: Callable[[Rows], Sequence[float]],
    holds: Callable[[Sequence[float]], bool],
) -> Judgement:
    """Return whether a claim holds on the medians of its numbers, and with how many seeds.

    ``numbers`` makes as many numbers of the rows of any seed. A seed that lacks one of them, for a
    line was not run with it, does not count.
    """
    found = [tuple(numbers(some)) for some in each_seed(rows)]
    whole = [some for some in found if some and not any(map(math.isnan, some))]
    spreads = tuple(Spread.of(column) for column in zip(*(whole or found), strict=True))
    return Judgement(
        spreads,
        bool(whole) and holds([each.median for each in spreads]),
        sum(bool(holds(some)) for some in whole),
        len(whole),
    )


def curve(rows: Rows, over: str, value: str) -> tuple[list[float | str], list[Spread]]:
    """Return what ``over`` is, numbers in rising order, and the spread of ``value`` at each."""
    at: dict[float | str, dict[Value, list[float]]] = {}
    for row in rows.rows:
        place, number = row.get(over), row.get(value)
        if place is not None and isinstance(number, int | float):
            at.setdefault(place, {}).setdefault(row.get("seed"), []).append(float(number))
    if not any(isinstance(place, str) for place in at):
        at = dict(sorted(at.items()))
    means = ([statistics.fmean(one) for one in seeds.values()] for seeds in at.values())
    return list(at), [Spread.of(some) for some in means]
