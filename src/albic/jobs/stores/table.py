"""What a store keeps: tables with a key, and the SQL that both databases understand."""

import re
from dataclasses import dataclass
from typing import Literal

from albic.model import InvalidInput

Kind = Literal["text", "integer", "real", "boolean", "timestamp"]
Row = tuple[object, ...]

_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
#: Which batches were written, by whom and to which table.
BOOKS = "albic_batches"


@dataclass(frozen=True)
class Column:
    """A name and what kind of value it holds."""

    name: str
    kind: Kind


@dataclass(frozen=True)
class Table:
    """A table; one row for each value of its key."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        for name in (self.name, *names):
            # The names go into SQL as they are.
            if not _NAME.fullmatch(name):
                raise InvalidInput(
                    f"{name!r} is no name for a table or column: small letters, digits and "
                    "underscores, a letter first, at most 63"
                )
        if len(set(names)) < len(names):
            raise InvalidInput(f"table {self.name!r} has a column twice")
        if not self.key or not set(self.key) <= set(names):
            raise InvalidInput(f"the key of table {self.name!r} must be some of its columns")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the columns."""
        return tuple(column.name for column in self.columns)


def create_statement(table: Table, types: dict[Kind, str]) -> str:
    """Return the SQL that makes ``table`` where it is not there."""
    columns = [f'"{column.name}" {types[column.kind]}' for column in table.columns]
    columns.append(f"PRIMARY KEY ({_listed(table.key)})")
    return f'CREATE TABLE IF NOT EXISTS "{table.name}" ({", ".join(columns)})'


def books_statement() -> str:
    """Return the SQL that makes the books of written batches where they are not there."""
    return (
        f"CREATE TABLE IF NOT EXISTS {BOOKS} "
        "(writer TEXT NOT NULL, target TEXT NOT NULL, batch BIGINT NOT NULL, "
        "PRIMARY KEY (writer, target))"
    )


def upsert_statement(table: Table, mark: str) -> str:
    """Return the SQL that writes one row over the one of the same key; ``mark`` is a value."""
    marks = ", ".join(mark for _ in table.columns)
    others = [f'"{name}" = excluded."{name}"' for name in table.names if name not in table.key]
    action = f"UPDATE SET {', '.join(others)}" if others else "NOTHING"
    return (
        f'INSERT INTO "{table.name}" ({_listed(table.names)}) VALUES ({marks}) '  # noqa: S608  checked names
        f"ON CONFLICT ({_listed(table.key)}) DO {action}"
    )


def book_statement(mark: str) -> str:
    """Return the SQL that notes a batch, and nothing if that or a later one is noted."""
    return (
        f"INSERT INTO {BOOKS} (writer, target, batch) VALUES ({mark}, {mark}, {mark}) "  # noqa: S608
        "ON CONFLICT (writer, target) DO UPDATE SET batch = excluded.batch "
        f"WHERE {BOOKS}.batch < excluded.batch"
    )


def select_statement(table: Table) -> str:
    """Return the SQL that reads all rows by key."""
    return f'SELECT {_listed(table.names)} FROM "{table.name}" ORDER BY {_listed(table.key)}'  # noqa: S608


def _listed(names: tuple[str, ...]) -> str:
    """Return names as SQL lists them."""
    return ", ".join(f'"{name}"' for name in names)
