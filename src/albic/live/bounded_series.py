"""Series of any length in a bounded space: the longer they get, the coarser."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

#: The most points that are kept; a screen is not much wider.
MOST_POINTS = 1024


@dataclass(frozen=True, slots=True)
class _Point:
    """The sums and counts of the rounds that share a point, by column."""

    at_s: float
    rounds: int
    sums: tuple[float, ...]
    counts: tuple[int, ...]

    def with_(self, other: "_Point") -> "_Point":
        """Return both as one, at the time of the later."""
        return _Point(
            other.at_s,
            self.rounds + other.rounds,
            tuple(a + b for a, b in zip(self.sums, other.sums, strict=True)),
            tuple(a + b for a, b in zip(self.counts, other.counts, strict=True)),
        )


class Thinned:
    """Columns of numbers over time; where a column has no number in a round, none counts.

    When there are too many points, neighbours are averaged and from then on twice as many rounds
    share a point. So the whole run stays in sight, in the same space.
    """

    def __init__(self, columns: Sequence[str], most_points: int = MOST_POINTS) -> None:
        if most_points < 2:
            raise ValueError("a series needs room for two points")
        self.columns = tuple(columns)
        self._most = most_points
        self._width = 1
        self._points: list[_Point] = []

    def add(self, at_s: float, values: Mapping[str, float | None]) -> None:
        """Take in the numbers of one round."""
        told = [values.get(column) for column in self.columns]
        one = _Point(
            at_s,
            1,
            tuple(0.0 if value is None else float(value) for value in told),
            tuple(0 if value is None else 1 for value in told),
        )
        if self._points and self._points[-1].rounds < self._width:
            self._points[-1] = self._points[-1].with_(one)
            return
        if len(self._points) == self._most:
            self._halve()
            self.add(at_s, values)
            return
        self._points.append(one)

    def times(self) -> list[float]:
        """Return the time of each point, in seconds since the epoch."""
        return [point.at_s for point in self._points]

    def values(self, column: str) -> list[float | None]:
        """Return the mean of each point; None where no round had a number."""
        at = self.columns.index(column)
        return [
            point.sums[at] / point.counts[at] if point.counts[at] else None
            for point in self._points
        ]

    def _halve(self) -> None:
        """Let neighbours share a point; an odd one at the end waits for its neighbour."""
        points = self._points
        pairs = [points[at].with_(points[at + 1]) for at in range(0, len(points) - 1, 2)]
        self._points = pairs + points[len(pairs) * 2 :]
        self._width *= 2
