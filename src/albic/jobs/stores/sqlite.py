"""A store in a file: SQLite, which is part of Python."""

import sqlite3
import threading
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from albic.jobs.stores import table as sql
from albic.jobs.stores.store import Patience, patiently
from albic.jobs.stores.table import Kind, Row, Table
from albic.model import InvalidInput

_TYPES: dict[Kind, str] = {
    "text": "TEXT",
    "integer": "INTEGER",
    "real": "REAL",
    "boolean": "INTEGER",
    "timestamp": "TEXT",
}
_BUSY_S = 10.0


class SqliteStore:
    """A database in one file; see :class:`albic.jobs.stores.Store`."""

    def __init__(self, path: Path, patience: Patience | None = None) -> None:
        self._path = path
        self._patience = patience or Patience()
        # Spark calls from a thread of its own for each query.
        self._lock = threading.Lock()
        try:
            self._connection: sqlite3.Connection | None = sqlite3.connect(
                path, timeout=_BUSY_S, check_same_thread=False, isolation_level=None
            )
            # Readers go on while a batch is written.
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute(sql.books_statement())
        except sqlite3.Error as wrong:
            raise self._refusal(wrong) from None

    def create(self, table: Table) -> None:
        """Make ``table`` where it is not there."""
        with self._lock:
            self._do([(sql.create_statement(table, _TYPES), [()])])

    def write(self, table: Table, rows: Iterable[Row], *, writer: str, batch: int) -> bool:
        """Write a batch's rows, each over the one of the same key; all of them or none."""
        plain = [tuple(_plain(value) for value in row) for row in rows]
        with self._lock:
            return self._do(
                [
                    (sql.book_statement("?"), [(writer, table.name, batch)]),
                    (sql.upsert_statement(table, "?"), plain),
                ]
            )

    def rows(self, table: Table) -> list[Row]:
        """Return all rows by key."""
        with self._lock:
            try:
                found = self._open().execute(sql.select_statement(table)).fetchall()
            except sqlite3.Error as wrong:
                raise self._refusal(wrong) from None
        readers = [_READERS.get(column.kind) for column in table.columns]
        return [
            tuple(
                value if read is None or value is None else read(value)
                for read, value in zip(readers, row, strict=True)
            )
            for row in found
        ]

    def close(self) -> None:
        """End the connection; safe to call twice."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> sqlite3.Connection:
        """Return the connection."""
        if self._connection is None:
            raise InvalidInput(f"the store {str(self._path)!r} is closed; open another")
        return self._connection

    def _do(self, steps: list[tuple[str, list[Row]]]) -> bool:
        """Do all steps in one transaction; if the first of several changes nothing, do none."""
        connection = self._open()

        def act() -> bool:
            connection.execute("BEGIN IMMEDIATE")
            try:
                for number, (statement, rows) in enumerate(steps):
                    changed = connection.executemany(statement, rows).rowcount
                    if number == 0 and len(steps) > 1 and changed == 0:
                        connection.execute("ROLLBACK")
                        return False
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return True

        try:
            return patiently(act, _passes, self._patience)
        except sqlite3.Error as wrong:
            raise self._refusal(wrong) from None

    def _refusal(self, wrong: Exception) -> InvalidInput:
        """Return what the user can do about an error."""
        return InvalidInput(
            f"the store {str(self._path)!r} cannot be used: {wrong}; "
            "name another file, or one whose tables have the same columns"
        )


def _passes(wrong: Exception) -> bool:
    """Return whether somebody else is writing just now."""
    return isinstance(wrong, sqlite3.OperationalError) and "locked" in str(wrong)


def _plain(value: object) -> object:
    """Return a value as SQLite keeps it."""
    if isinstance(value, datetime):
        moment = value if value.tzinfo else value.replace(tzinfo=UTC)
        return moment.astimezone(UTC).isoformat()
    return value.isoformat() if isinstance(value, date) else value


_READERS: dict[Kind, Callable[[Any], object]] = {
    "boolean": bool,
    "timestamp": datetime.fromisoformat,
}
