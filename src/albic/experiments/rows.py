"""Measured rows: plain values under names, as they are kept in JSON."""

import math
import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

Value = str | int | float | bool | None
Row = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a figure, to ask for numbers by name."""

    rows: tuple[Row, ...]

    @classmethod
    def of(cls, rows: Iterable[Row]) -> "Rows":
        """Return the rows as one value."""
        return cls(tuple(rows))

    def where(self, **wanted: Value) -> "Rows":
        """Return the rows that have these values."""
        return self.that(lambda row: all(row.get(name) == value for name, value in wanted.items()))

    def that(self, fits: Callable[[Row], bool]) -> "Rows":
        """Return the rows that fit."""
        return Rows(tuple(row for row in self.rows if fits(row)))

    def distinct(self, name: str) -> list[Value]:
        """Return the values under a name, each once, in order of appearance."""
        return list(dict.fromkeys(row[name] for row in self.rows if name in row))

    def words(self, name: str) -> list[str]:
        """Return the distinct values under a name as text."""
        return [str(value) for value in self.distinct(name)]

    def amounts(self, name: str) -> list[float]:
        """Return the distinct numbers under a name, in rising order."""
        return sorted(set(self.numbers(name)))

    def numbers(self, name: str) -> list[float]:
        """Return the numbers under a name; rows without one are left out."""
        found = (row.get(name) for row in self.rows)
        return [float(value) for value in found if isinstance(value, int | float)]

    def mean(self, name: str) -> float:
        """Return the mean of the numbers under a name; NaN where there are none."""
        numbers = self.numbers(name)
        return statistics.fmean(numbers) if numbers else math.nan

    def most(self, name: str) -> float:
        """Return the greatest number under a name; NaN where there are none."""
        return max(self.numbers(name), default=math.nan)

    def least(self, name: str) -> float:
        """Return the smallest number under a name; NaN where there are none."""
        return min(self.numbers(name), default=math.nan)

    def total(self, name: str) -> float:
        """Return the sum of the numbers under a name."""
        return math.fsum(self.numbers(name))

    def curve(self, over: str, value: str) -> tuple[list[float], list[float]]:
        """Return the mean of ``value`` at each number of ``over``, in rising order."""
        at = self.amounts(over)
        return at, [self.where(**{over: x}).mean(value) for x in at]


def amount(value: float) -> str:
    """Return a number as people read it: three digits that count."""
    if math.isnan(value):
        return "not measured"
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    text = f"{value:.{min(digits, 4)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
