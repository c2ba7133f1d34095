"""The one interface of stores, and what happens when the database does not answer."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from albic.jobs.stores.table import Row, Table
from albic.model import InvalidInput, StoreGone

Answer = TypeVar("Answer")


class Store(Protocol):
    """A relational database that rows are written to, batch by batch."""

    def create(self, table: Table) -> None:
        """Make ``table`` where it is not there."""
        ...

    def write(self, table: Table, rows: Iterable[Row], *, writer: str, batch: int) -> bool:
        """Write a batch's rows, each over the one of the same key; all of them or none.

        Returns whether anything was done: a batch that this writer wrote before, or one that is
        older, changes nothing. A writer is a query with a checkpoint of its own.
        """
        ...

    def rows(self, table: Table) -> list[Row]:
        """Return all rows by key."""
        ...

    def close(self) -> None:
        """End the connection; safe to call twice."""
        ...


@dataclass(frozen=True)
class Patience:
    """How often a database that does not answer is asked again, and how long between."""

    attempts: int = 6
    first_pause_s: float = 0.1

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.first_pause_s < 0:
            raise InvalidInput("attempts must be at least 1 and first_pause_s not below 0")


def patiently(
    act: Callable[[], Answer],
    passing: Callable[[Exception], bool],
    patience: Patience,
    sleep: Callable[[float], None] = time.sleep,
) -> Answer:
    """Return what ``act`` returns; asked again, after doubling pauses, while its errors may pass.

    Parameters
    ----------
    act
        Done in one transaction, so that it may be done again.
    passing
        Whether an error may pass by itself.
    patience
        How often, and how long to wait.
    """
    pause_s = patience.first_pause_s
    for left in range(patience.attempts - 1, -1, -1):
        try:
            return act()
        except Exception as wrong:
            if not passing(wrong):
                raise
            if not left:
                raise StoreGone(
                    f"the database did not answer {patience.attempts} times: {wrong}; "
                    "the batch is not written and comes again when the query is restarted"
                ) from wrong
        sleep(pause_s)
        pause_s *= 2
    raise AssertionError("unreachable: the last attempt returns or raises")
