"""A store on a server: PostgreSQL, through psycopg (the extra ``postgres``)."""

import threading
from collections.abc import Callable, Iterable

import psycopg
from psycopg import errors

from albic.jobs.stores import table as sql
from albic.jobs.stores.store import Answer, Patience, patiently
from albic.jobs.stores.table import Kind, Row, Table
from albic.model import InvalidInput

_TYPES: dict[Kind, str] = {
    "text": "TEXT",
    "integer": "BIGINT",
    "real": "DOUBLE PRECISION",
    "boolean": "BOOLEAN",
    "timestamp": "TIMESTAMPTZ",
}
_CONNECT_S = 5
#: What a server says while it comes up or goes down.
_PASSING = (
    *("starting up", "shutting down", "not yet accepting", "in recovery", "too many clients"),
    "terminating connection",
)


class PostgresStore:
    """A database behind a URL; see :class:`albic.jobs.stores.Store`."""

    def __init__(self, url: str, patience: Patience | None = None) -> None:
        self._url = url
        self._patience = patience or Patience()
        # Spark calls from a thread of its own for each query; a connection serves one at a time.
        self._lock = threading.Lock()
        self._connection: psycopg.Connection[Row] | None = None
        self._closed = False
        try:
            info = psycopg.conninfo.conninfo_to_dict(url)
        except psycopg.Error as wrong:
            raise InvalidInput(f"{url!r} is no address of a PostgreSQL database: {wrong}") from None
        if not str(info.get("port", "1")).isdigit():
            raise InvalidInput(f"{url!r} is no address: its port is not a number")
        # Without the password, for messages.
        self._name = f"{info.get('dbname', '')} at {info.get('host', 'this machine')}"
        try:
            self._do([(sql.books_statement(), [()])])
        except BaseException:
            self.close()
            raise

    def create(self, table: Table) -> None:
        """Make ``table`` where it is not there."""
        with self._lock:
            self._do([(sql.create_statement(table, _TYPES), [()])])

    def write(self, table: Table, rows: Iterable[Row], *, writer: str, batch: int) -> bool:
        """Write a batch's rows, each over the one of the same key; all of them or none."""
        at = [table.names.index(name) for name in table.key]
        # In the order of keys, so that two writers never wait for each other in a circle.
        plain = sorted(rows, key=lambda row: [str(row[position]) for position in at])
        with self._lock:
            return self._do(
                [
                    (sql.book_statement("%s"), [(writer, table.name, batch)]),
                    (sql.upsert_statement(table, "%s"), plain),
                ]
            )

    def rows(self, table: Table) -> list[Row]:
        """Return all rows by key."""

        def act() -> list[Row]:
            with self._open().transaction(), self._open().cursor() as cursor:
                return cursor.execute(sql.select_statement(table).encode()).fetchall()

        with self._lock:
            return self._asked(act)

    def close(self) -> None:
        """End the connection; safe to call twice."""
        with self._lock:
            self._closed = True
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _open(self) -> "psycopg.Connection[Row]":
        """Return a connection; a new one where the old one broke."""
        if self._closed:
            raise InvalidInput(f"the store {self._name} is closed; open another")
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(
                self._url, autocommit=True, connect_timeout=_CONNECT_S, application_name="albic"
            )
        return self._connection

    def _do(self, steps: list[tuple[str, list[Row]]]) -> bool:
        """Do all steps in one transaction; if the first of several changes nothing, do none."""

        def act() -> bool:
            connection = self._open()
            with connection.transaction(), connection.cursor() as cursor:
                for number, (statement, rows) in enumerate(steps):
                    if not rows:
                        continue
                    cursor.executemany(statement.encode(), rows)
                    if number == 0 and len(steps) > 1 and cursor.rowcount == 0:
                        return False
            return True

        return self._asked(act)

    def _asked(self, act: Callable[[], Answer]) -> Answer:
        """Return what ``act`` returns, or say what the user can do."""
        try:
            return patiently(act, _passes, self._patience)
        except errors.InsufficientPrivilege as wrong:
            raise InvalidInput(
                f"the database {self._name} gives no permission: {wrong}; "
                "use a role that may create tables and write to them"
            ) from None
        except psycopg.Error as wrong:
            raise InvalidInput(f"the database {self._name} refuses: {wrong}") from None


def _passes(wrong: Exception) -> bool:
    """Return whether an error may pass by itself: a server that is away, not one that says no."""
    if isinstance(wrong, errors.DeadlockDetected | errors.SerializationFailure):
        return True
    if not isinstance(wrong, psycopg.OperationalError | psycopg.InterfaceError):
        return False
    said = str(wrong)
    # "FATAL" is a server's answer: no such database, role or password.
    return any(word in said for word in _PASSING) or "FATAL" not in said
