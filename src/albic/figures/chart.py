"""What a chart shows, as plain values; drawing it is another file's duty."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """How a series is drawn."""

    LINE = "line"
    STEP = "step"
    POINTS = "points"
    BARS = "bars"


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a chart.

    ``band`` holds a low and a high value for each point; ``faint`` is for what is only there to
    compare with.
    """

    label: str
    x: Sequence[float | str]
    y: Sequence[float]
    kind: Kind = Kind.LINE
    band: tuple[Sequence[float], Sequence[float]] | None = None
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """One pair of axes with their names and units.

    ``marks`` are moments on the x axis with a word each; ``levels`` values on the y axis likewise.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    from_zero: bool = True
    marks: tuple[tuple[float, str], ...] = ()
    levels: tuple[tuple[float, str], ...] = ()
