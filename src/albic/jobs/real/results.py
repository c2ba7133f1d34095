"""Results of real jobs: what lies in the store, and what plain Spark SQL says of the same rows."""

from contextlib import closing
from typing import TYPE_CHECKING

from albic.jobs.real.job import Inputs, RealJob
from albic.jobs.stores import Row, opened

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def results(job: RealJob, inputs: Inputs) -> dict[str, list[Row]]:
    """Return the rows of each sink as they are in the store now, by key; times are in UTC."""
    inputs.folder.mkdir(parents=True, exist_ok=True)
    with closing(opened(inputs.database())) as store:
        found = {}
        for operator, table in job.tables.items():
            store.create(table)
            found[operator] = store.rows(table)
        return found


def expected(job: RealJob, spark: "SparkSession", inputs: Inputs) -> dict[str, list[Row]]:
    """Return the rows that each sink should come to, in any order: what plain Spark SQL says."""
    found = {}
    for operator, frame in job.twin(spark, inputs).items():
        columns = frame.select(*job.tables[operator].names).toArrow().columns
        found[operator] = list(zip(*(column.to_pylist() for column in columns), strict=True))
    return found
