"""A mixed-integer linear program as plain arrays, and a draft to write one in."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from albic.arrays import Bools, Floats, Ints, Sparse


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """Minimise ``offset + cost @ x`` with ``row_low <= rows @ x <= row_high`` and bounds on x.

    Columns marked ``integer`` take whole values only. Infinite bounds mean that there is none.
    """

    cost: Floats
    rows: Sparse
    row_low: Floats
    row_high: Floats
    col_low: Floats
    col_high: Floats
    integer: Bools
    offset: float = 0.0

    def __post_init__(self) -> None:
        rows, columns = self.rows.shape
        for name, size in (
            ("cost", columns),
            ("row_low", rows),
            ("row_high", rows),
            ("col_low", columns),
            ("col_high", columns),
            ("integer", columns),
        ):
            array: npt.NDArray[np.generic] = getattr(self, name)
            if array.shape != (size,):
                raise ValueError(f"{name} has shape {array.shape}, expected ({size},)")

    def value(self, x: Floats) -> float:
        """Return the objective at ``x``."""
        return self.offset + float(self.cost @ x)

    def allows(self, x: Floats, tolerance: float = 1e-6) -> bool:
        """Return whether ``x`` keeps every row and bound and is whole where it must be."""
        activity: Floats = np.asarray(self.rows @ x)
        whole = x[self.integer]
        return bool(
            (activity >= self.row_low - tolerance).all()
            and (activity <= self.row_high + tolerance).all()
            and (x >= self.col_low - tolerance).all()
            and (x <= self.col_high + tolerance).all()
            and (np.abs(whole - np.round(whole)) <= tolerance).all()
        )


class Draft:
    """A program under way: blocks of columns, blocks of rows, and terms that join them."""

    def __init__(self) -> None:
        self._columns: list[tuple[Floats, Floats, Floats, Bools]] = []
        self._rows: list[tuple[Floats, Floats]] = []
        self._terms: list[tuple[Ints, Ints, Floats]] = []
        self._column_count = 0
        self._row_count = 0

    def columns(
        self,
        count: int,
        *,
        cost: npt.ArrayLike = 0.0,
        low: npt.ArrayLike = 0.0,
        high: npt.ArrayLike = np.inf,
        integer: bool = False,
    ) -> Ints:
        """Add ``count`` columns and return their positions."""
        self._columns.append(
            (
                _filled(cost, count),
                _filled(low, count),
                _filled(high, count),
                np.full(count, integer),
            )
        )
        first, self._column_count = self._column_count, self._column_count + count
        return np.arange(first, self._column_count)

    def rows(
        self, count: int, *, low: npt.ArrayLike = -np.inf, high: npt.ArrayLike = np.inf
    ) -> Ints:
        """Add ``count`` empty rows and return their positions."""
        self._rows.append((_filled(low, count), _filled(high, count)))
        first, self._row_count = self._row_count, self._row_count + count
        return np.arange(first, self._row_count)

    def put(self, rows: Ints, columns: Ints, values: npt.ArrayLike) -> None:
        """Add ``values`` times the columns to the rows; the three are broadcast together."""
        row, column, value = np.broadcast_arrays(rows, columns, np.asarray(values, np.float64))
        self._terms.append((row.ravel(), column.ravel(), value.ravel()))

    def program(self, offset: float = 0.0) -> Program:
        """Return the program; terms at the same place are summed."""
        cost, col_low, col_high, integer = (
            np.concatenate(p) for p in zip(*self._columns, strict=True)
        )
        row_low, row_high = (np.concatenate(p) for p in zip(*self._rows, strict=True))
        row, column, value = (np.concatenate(p) for p in zip(*self._terms, strict=True))
        matrix = sp.coo_array(
            (value, (row, column)), shape=(self._row_count, self._column_count)
        ).tocsr()
        matrix.eliminate_zeros()
        return Program(cost, matrix, row_low, row_high, col_low, col_high, integer, offset)


def _filled(values: npt.ArrayLike, count: int) -> Floats:
    """Return ``values`` as one number for each of ``count``."""
    return np.array(np.broadcast_to(np.asarray(values, np.float64), count))
