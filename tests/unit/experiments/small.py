"""A figure that takes no time, to see how figures are run and told."""

from dataclasses import dataclass

from albic.experiments.experiment import Claim, Experiment, Finding
from albic.experiments.rows import Rows
from albic.figures import Chart, Series, Table


@dataclass(frozen=True, slots=True)
class Number:
    value: int
    seed: int = 1

    @property
    def name(self):
        return f"number {self.value}"


def square(point):
    return [{"value": point.value, "square": point.value**2}]


def small(measure=square, numbers=(1, 2, 3), least=9):
    """Return an experiment that claims that the largest square is at least some number."""
    return Experiment(
        name="small",
        figure="Figure 0",
        question="How large are squares?",
        notes="Nothing was left out.",
        points=tuple(Number(value) for value in numbers),
        quick=(Number(numbers[0]),),
        measure=measure,
        claims=(
            Claim(
                f"squares reach {least}",
                str(least),
                lambda rows: Finding(
                    f"{rows.most('square'):g}", rows.most("square") >= least, "they are too small"
                ),
            ),
            Claim("there are rows", "", lambda rows: Finding("some", bool(rows.rows), "none")),
        ),
        charts=lambda rows: (
            Chart("Squares", "value", "square", (Series("s", *rows.curve("value", "square")),)),
        ),
        tables=lambda rows: (Table(("value",), tuple((str(v),) for v in rows.distinct("value"))),),
    )


def rows_of(*rows):
    return Rows.of(rows)
