"""From rows to lines and tables, the way all figures do it."""

from collections.abc import Iterable, Sequence

from albic.experiments.rows import Rows, amount
from albic.experiments.seed_statistics import FEW, Spread, curve, mean_spread
from albic.figures import Kind, Series, Table


def line(label: str, rows: Rows, over: str, value: str) -> Series:
    """Return the median over seeds of ``value``, with the quartiles as its band."""
    at, spreads = curve(rows, over, value)
    return Series(label, at, [each.median for each in spreads], band=_band(spreads))


def lines(rows: Rows, by: str, over: str, value: str) -> tuple[Series, ...]:
    """Return a line for each value of ``by``."""
    return tuple(line(word, rows.where(**{by: word}), over, value) for word in rows.words(by))


def bars(rows: Rows, by: str, over: str, value: str) -> tuple[Series, ...]:
    """Return bars for each value of ``by`` over the words of ``over``."""
    words = rows.words(over)
    every = []
    for label in rows.words(by):
        mine = [mean_spread(rows.where(**{by: label, over: word}), value) for word in words]
        medians = [each.median for each in mine]
        every.append(Series(label, words, medians, Kind.BARS, _band(mine)))
    return tuple(every)


def _band(spreads: Sequence[Spread]) -> tuple[list[float], list[float]] | None:
    """Return the quartiles where there are seeds enough for any."""
    if all(each.seeds < FEW for each in spreads):
        return None
    return [each.low for each in spreads], [each.high for each in spreads]


def table(columns: Sequence[str], cells: Iterable[Sequence[object]]) -> Table:
    """Return a table with numbers as people read them."""
    return Table(
        tuple(columns),
        tuple(
            tuple(amount(cell) if isinstance(cell, int | float) else str(cell) for cell in row)
            for row in cells
        ),
    )
