"""What was wanted, what was measured, and whether that is enough."""

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

#: One line of a result: column to value.
Row = Mapping[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True)
class Goal:
    """One promise about speed or quality.

    Parameters
    ----------
    wanted
        The greatest (or, with ``least``, the smallest) value that keeps the promise.
    note
        What else a reader should know about the measured value, such as the worst of an average.
    """

    what: str
    wanted: float
    measured: float
    unit: str = ""
    least: bool = False
    note: str = ""

    @property
    def holds(self) -> bool:
        """Return whether the promise is kept; what is not a number keeps none."""
        if self.least:
            return self.measured >= self.wanted
        return self.measured <= self.wanted

    @property
    def wanted_text(self) -> str:
        """Return what is wanted, in words."""
        return f"{'≥' if self.least else '≤'} {amount(self.wanted)} {self.unit}".rstrip()

    @property
    def measured_text(self) -> str:
        """Return what was measured, in words."""
        text = f"{amount(self.measured)} {self.unit}".rstrip()
        return f"{text} ({self.note})" if self.note else text


@dataclass(frozen=True, slots=True)
class Result:
    """What one section of the bench found out.

    ``rows`` is every single measurement, ``summary`` what people look at. ``commit`` is that of
    a section which may be older than the rest.
    """

    goals: tuple[Goal, ...]
    rows: tuple[Row, ...]
    summary: tuple[Row, ...]
    seconds: float = 0.0
    commit: str | None = None


def timed(section: Callable[[], Result]) -> Result:
    """Return the section's result with the seconds that it took."""
    began_s = time.perf_counter()
    result = section()
    return replace(result, seconds=time.perf_counter() - began_s)


def amount(value: float) -> str:
    """Return a number as people read it: three digits, and no exponent."""
    if isinstance(value, int) or value == 0 or abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4f}" if abs(value) < 0.01 else f"{value:.3g}"


def column(rows: Iterable[Row], name: str) -> list[float]:
    """Return the numbers of one column; rows without one are left out."""
    return [float(row[name]) for row in rows if row.get(name) is not None]  # type: ignore[arg-type]


def number(row: Row, name: str) -> float:
    """Return a cell as a number; an empty one keeps no promise."""
    value = row[name]
    return float("nan") if value is None else float(value)


def mean(values: Sequence[float]) -> float:
    """Return the mean; of nothing, what keeps no promise."""
    return statistics.fmean(values) if values else float("nan")


def most(values: Sequence[float]) -> float:
    """Return the greatest value; of nothing, what keeps no promise."""
    return max(values, default=float("nan"))
