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
    """What came out for a claim; one that does not hold says why in a sentence.

    ``remark`` is that sentence. ``note`` is what to know of a claim that does hold. ``seeds`` tells
    with how many of the seeds it holds.
    """

    measured: str
    holds: bool
    remark: str = ""
    note: str = ""
    seeds: str = ""

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
        """Return whether it holds, with what to know; and if not, why."""
        if self.holds:
            return f"yes: {self.note}" if self.note else "yes"
        return self.remark if self.is_missing else f"no: {self.remark}"


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement that the measured rows bear out or not.

    Parameters
    ----------
    paper
        The paper's number, or "no number" where it gives none.
    ours
        Whether we say it of our own planners; the paper does not claim it.
    from_scratch
        Whether it holds a statement of the paper against HiGHS without a start, which says
        something of the solver. It is counted apart from the same statement about the method.
    other_costs
        Whether it asks the same of figures whose costs are not set from the paper; counted apart
        likewise.
    lemma
        Whether it is said of every cluster, so that one counter-example makes it false as stated.
    """

    statement: str
    paper: str
    check: Callable[[Rows], Finding]
    ours: bool = False
    from_scratch: bool = False
    other_costs: bool = False
    lemma: bool = False

    @property
    def of_paper(self) -> bool:
        """Return whether it counts as one of the paper's statements."""
        return not (self.ours or self.from_scratch or self.other_costs)


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
    trace, edits
        A trace, or edits, in place of what comes with albic, if any. Files are measured anew
        likewise.
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
    edits: str = ""

    def chosen(self, *, quick: bool) -> tuple[Measured, ...]:
        """Return the points of a quick or a whole run."""
        return self.quick if quick else self.points

    def kept(self, point: Point) -> bool:
        """Return whether what a point gave may be used again."""
        foreign = self.edits or self.trace not in ("", "seed")
        return not foreign and getattr(point, "method", None) not in self.guests


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
