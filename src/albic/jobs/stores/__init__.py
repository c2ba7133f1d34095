"""Where jobs write their results: a relational database, written so that a batch may come twice."""

from albic.jobs.stores.opening import opened
from albic.jobs.stores.store import Patience, Store
from albic.jobs.stores.table import Column, Row, Table

__all__ = ["Column", "Patience", "Row", "Store", "Table", "opened"]
