"""Results of real jobs: tables of a store, written batch by batch."""

from collections.abc import Mapping
from contextlib import closing

from pyspark.sql import DataFrame, SparkSession

from albic.jobs.real.job import Inputs, RealJob
from albic.jobs.stores import Row, Table, opened
from albic.streams import Sink

#: Where Spark tells the tasks of a batch which query they belong to.
QUERY_ID = "sql.streaming.queryId"


def sinks(tables: Mapping[str, Table], inputs: Inputs) -> list[Sink]:
    """Return a sink for each operator that has a table."""
    inputs.folder.mkdir(parents=True, exist_ok=True)
    return [_sink(operator, table, inputs.database()) for operator, table in tables.items()]


def results(job: RealJob, inputs: Inputs) -> dict[str, list[Row]]:
    """Return the rows of each sink as they are in the store now, by key; times are in UTC."""
    inputs.folder.mkdir(parents=True, exist_ok=True)
    with closing(opened(inputs.database())) as store:
        found = {}
        for operator, table in job.tables.items():
            store.create(table)
            found[operator] = store.rows(table)
        return found


def expected(job: RealJob, spark: SparkSession, inputs: Inputs) -> dict[str, list[Row]]:
    """Return the rows that each sink should come to, in any order: what plain Spark SQL says."""
    found = {}
    for operator, frame in job.twin(spark, inputs).items():
        columns = frame.select(*job.tables[operator].names).toArrow().columns
        found[operator] = list(zip(*(column.to_pylist() for column in columns), strict=True))
    return found


def _sink(operator: str, table: Table, database: str) -> Sink:
    """Return a sink that writes an operator's rows to a table."""

    def write(frame: DataFrame, batch_id: int) -> None:
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
