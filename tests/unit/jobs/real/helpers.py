"""Real jobs without Spark: their operators are fed by hand, a key group and a batch at a time."""

from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema

from albic.streams import Network, Rows, Sink, Source
from tests.unit.streams.without_spark import Hand

US = pa.timestamp("us", tz="UTC")


def rows(table: pa.Table | dict[str, pa.Table], watermark: str | None = None) -> Rows:
    """Return what an operator is given; one input needs no name."""
    tables = table if isinstance(table, dict) else {"input": table}
    return Rows(tables, 0, None if watermark is None else pd.Timestamp(watermark, tz="UTC"))


def lines(table: pa.Table, *columns: str) -> list[tuple]:
    """Return the rows of a table as tuples, in order of size."""
    chosen = table.select(columns) if columns else table
    return sorted(tuple(line.values()) for line in chosen.to_pylist())


def replayed(
    tables: dict[str, pa.Table], operators: list, sinks: list[str], batches: int
) -> tuple[dict[str, pd.DataFrame], Hand]:
    """Run a network over tables in order of time, cut into ``batches`` and started again between.

    Returns all that the sinks got, and the network.
    """
    marked = {name: table.append_column("last", _last(table)) for name, table in tables.items()}
    sources = [
        Source(
            name,
            SimpleNamespace(schema=from_arrow_schema(table.schema)),
            event_time="event_time",
            ends="last",
        )
        for name, table in marked.items()
    ]
    network = Network(
        "by-hand", sources, operators, [Sink(name, lambda *_: None) for name in sinks]
    )
    hand, out = Hand(network), {name: [] for name in sinks}
    for batch in range(batches):
        given = {}
        for name, table in marked.items():
            first, end = (table.num_rows * at // batches for at in (batch, batch + 1))
            half = (first + end) // 2
            parts = [table.slice(first, half - first), table.slice(half, end - half)]
            given[name] = [part.to_pandas() for part in parts]
        for name, frame in hand.batch(given).items():
            out[name].append(frame)
        hand.restart()
    return {name: pd.concat(frames) for name, frames in out.items()}, hand


def _last(table: pa.Table) -> pa.Array:
    return pa.array([at == table.num_rows - 1 for at in range(table.num_rows)])
