"""What an experiment is: points to measure, claims to check, charts to draw."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from albic.experiments.rows import Row, Rows, Value
from albic.figures import Chart, Table


class Point(Protocol):
    """One unit of work: a frozen dataclass of plain values."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def name(self) -> str:
        """Return what tells this point from the others."""
        ...


Measured = TypeVar("Measured", bound=Point)
NOT_MEASURED = "not measured"


@dataclass(frozen=True, slots=True)
class Finding:
    """What came out for a claim; one that does not hold says why in a sentence."""

    measured: str
    holds: bool
    remark: str = ""

    def __post_init__(self) -> None:
        if not self.holds and not self.remark:
            raise ValueError(f"a claim that does not hold needs a sentence: {self.measured}")

    @classmethod
    def missing(cls, why: str) -> "Finding":
        """Return that this run has no rows to check a claim by."""
        return cls(NOT_MEASURED, holds=False, remark=why)

    @property
    def is_missing(self) -> bool:
        """Return whether there was nothing to check."""
        return self.measured == NOT_MEASURED

    def told(self) -> str:
        """Return whether it holds, and if not, why."""
        if self.holds:
            return "yes"
        return self.remark if self.is_missing else f"no: {self.remark}"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that the measured rows bear out or not.

    ``paper`` is the paper's number, or "no number" where it gives none. ``ours`` marks what we say
    of our own planners; the paper does not claim it.
    """

    statement: str
    paper: str
    check: Callable[[Rows], Finding]
    ours: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Experiment(Generic[Measured]):
    """A figure of the paper as one value.

    Parameters
    ----------
    figure
        Where it stands in the paper.
    notes
        What we decided, scaled or could not do as the paper did.
    points, quick
        What is measured, and the small selection for a quick look.
    measure
        Measures one point; a function of a module, so that another process can be asked.
    alone
        Whether its points are measured one at a time, because other work would spoil their times.
    guests
        Planners of somebody else that take part. Their points are measured anew in every run, for
        nobody tells us when their code changes.
    trace
        A recorded trace in place of the seeded ones, if any; measured anew likewise.
    """

    name: str
    figure: str
    question: str
    notes: str
    points: tuple[Measured, ...]
    quick: tuple[Measured, ...]
    measure: Callable[[Measured], list[Row]]
    claims: tuple[Claim, ...]
    charts: Callable[[Rows], tuple[Chart, ...]]
    tables: Callable[[Rows], tuple[Table, ...]]
    alone: bool = False
    guests: tuple[str, ...] = ()
    trace: str = ""

    def chosen(self, *, quick: bool) -> tuple[Measured, ...]:
        """Return the points of a quick or a whole run."""
        return self.quick if quick else self.points

    def kept(self, point: Point) -> bool:
        """Return whether what a point gave may be used again."""
        return not self.trace and getattr(point, "method", None) not in self.guests


def parameters(points: tuple[Point, ...]) -> dict[str, list[Value]]:
    """Return every parameter with the values that it takes, seeds included."""
    taken: dict[str, dict[Value, None]] = {}
    for point in points:
        for field in fields(point):
            taken.setdefault(field.name, {})[_plain(getattr(point, field.name))] = None
    return {name: list(values) for name, values in taken.items()}


def _plain(value: object) -> Value:
    """Return a parameter's value; a tuple is told as text."""
    if isinstance(value, str | int | float | bool) or value is None:
        return value
    return str(value)
