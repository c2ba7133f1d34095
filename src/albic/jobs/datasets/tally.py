"""How many records were read, which were left out, and what was mended in those that stayed."""

from collections import Counter
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc


@dataclass
class Tally:
    """Counts that a loader keeps while it reads; ``skipped`` and ``mended`` go by reason."""

    rows: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    mended: Counter[str] = field(default_factory=Counter)

    def skip(self, reason: str, count: int = 1) -> None:
        """Count records that are left out."""
        if count:
            self.skipped[reason] += count

    def mend(self, reason: str, count: int = 1) -> None:
        """Count values that were replaced in records that stay."""
        if count:
            self.mended[reason] += count

    def add(self, other: "Tally") -> None:
        """Take over the counts of ``other``."""
        self.rows += other.rows
        self.skipped += other.skipped
        self.mended += other.mended

    def keep(self, table: pa.Table, tests: dict[str, pa.ChunkedArray]) -> pa.Table:
        """Return the rows of ``table`` that pass every test; a row fails for its first reason.

        A test is true where a row is good; null counts as false.
        """
        good = None
        for reason, test in tests.items():
            passed = pc.fill_null(test, False)  # noqa: FBT003  pyarrow's own order
            if good is None:
                good, before = passed, table.num_rows
            else:
                before = pc.sum(good).as_py() or 0
                good = pc.and_(good, passed)
            self.skip(reason, before - (pc.sum(good).as_py() or 0))
        kept = table if good is None else table.filter(good)
        self.rows += kept.num_rows
        return kept
