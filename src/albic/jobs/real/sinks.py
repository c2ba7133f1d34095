"""Where results go: a sink for each operator that has a table of the store, written in batches."""

from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from albic.jobs.stores import Table, opened
from albic.streams import Sink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

#: Where Spark tells the tasks of a batch which query they belong to.
QUERY_ID = "sql.streaming.queryId"


def sinks(tables: Mapping[str, Table], database: str) -> list[Sink]:
    """Return a sink for each operator that has a table."""
    return [_sink(operator, table, database) for operator, table in tables.items()]


def _sink(operator: str, table: Table, database: str) -> Sink:
    """Return a sink that writes an operator's rows to a table."""

    def write(frame: "DataFrame", batch_id: int) -> None:
        # As Arrow, where times have a zone.
        rows = frame.select(*table.names).toArrow()
        # The name of the checkpoint: a new one begins again at batch 0.
        writer = frame.sparkSession.sparkContext.getLocalProperty(QUERY_ID)
        if writer is None:
            raise RuntimeError("a sink is called by a running query, and this is none")
        with closing(opened(database)) as store:
            store.create(table)
            lines = zip(*(column.to_pylist() for column in rows.columns), strict=True)
            store.write(table, lines, writer=writer, batch=batch_id)

    return Sink(operator, write)
