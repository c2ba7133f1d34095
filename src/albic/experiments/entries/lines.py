"""From rows to lines and tables, the way all figures do it."""

from collections.abc import Iterable, Sequence

from albic.experiments.rows import Rows, amount
from albic.figures import Kind, Series, Table


def lines(rows: Rows, by: str, over: str, value: str) -> tuple[Series, ...]:
    """Return a line for each value of ``by``, with means where several rows meet."""
    return tuple(
        Series(word, *rows.where(**{by: word}).curve(over, value)) for word in rows.words(by)
    )


def bars(rows: Rows, by: str, over: str, value: str) -> tuple[Series, ...]:
    """Return bars for each value of ``by`` over the words of ``over``."""
    words = rows.words(over)
    return tuple(
        Series(
            label,
            words,
            [rows.where(**{by: label, over: word}).mean(value) for word in words],
            Kind.BARS,
        )
        for label in rows.words(by)
    )


def table(columns: Sequence[str], cells: Iterable[Sequence[object]]) -> Table:
    """Return a table with numbers as people read them."""
    return Table(
        tuple(columns),
        tuple(
            tuple(amount(cell) if isinstance(cell, int | float) else str(cell) for cell in row)
            for row in cells
        ),
    )
