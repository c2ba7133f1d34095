"""Which store an address means."""

from pathlib import Path

from albic.extras import lacking
from albic.jobs.stores.sqlite import SqliteStore
from albic.jobs.stores.store import Patience, Store
from albic.model import InvalidInput

_POSTGRES = ("postgresql://", "postgres://")


def opened(where: str | Path, patience: Patience | None = None) -> Store:
    """Return the store at ``where``: a PostgreSQL URL, or the path of an SQLite file."""
    text = str(where)
    if text.startswith(_POSTGRES):
        try:
            from albic.jobs.stores.postgres import PostgresStore  # noqa: PLC0415
        except ModuleNotFoundError as missing:
            raise InvalidInput(str(lacking("a PostgreSQL store", missing))) from None
        return PostgresStore(text, patience)
    if "://" in text:
        raise InvalidInput(
            f"{text!r} is no store: name a file for SQLite, or postgresql://user@host/database"
        )
    return SqliteStore(Path(where), patience)
