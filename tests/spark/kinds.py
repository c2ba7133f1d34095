"""Every kind of operator with state that Spark has, over files; loads without what is missing."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn

from tests.spark.exactness import NEVER, WHEN, Case, at

#: One file a batch; the last one only lets the watermark pass all that came before it.
FILES = 6
ROWS, ROW_S = 600, 0.05
#: The number of the row that lets the watermark pass.
LAST = 1_000_000
LIMIT = 300
BALANCE = "key long, n long, amount long, balance long"
EVENTS = pa.schema({"time": WHEN, "n": pa.int64(), "key": pa.int64(), "amount": pa.int64()})
NEAR = "o.n = e.n AND o.time BETWEEN e.time AND e.time + INTERVAL 1 SECOND"


@dataclass(frozen=True)
class Kind:
    """An operator; ``needs`` is the method that a version of PySpark may lack.

    ``settings`` are those that its query begins with.
    """

    case: Case
    needs: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)


def events(rng: np.random.Generator) -> list[list[tuple]]:
    """Return rows in the order of their time, file by file."""
    rows = [
        (at(n * ROW_S), n, int(rng.integers(0, 30)), int(rng.integers(-100, 100)))
        for n in range(ROWS)
    ]
    size = ROWS // (FILES - 1)
    files = [rows[first : first + size] for first in range(0, ROWS, size)]
    return [*files, [(NEVER, LAST, 0, 0)]]


def one_input(rng: np.random.Generator) -> dict[str, list[list[tuple]]]:
    return {"events": events(rng)}


def two_inputs(rng: np.random.Generator) -> dict[str, list[list[tuple]]]:
    """Return the events, and others that come half a second after some of them."""
    left = events(rng)
    right = [
        [(at(n * ROW_S + 0.5), n, key, amount) for _, n, key, amount in rows if n % 3]
        for rows in left[:-1]
    ]
    return {"events": left, "others": [*right, [(NEVER, LAST + 1, 0, 0)]]}


def real(frame: DataFrame) -> DataFrame:
    """Return the rows that are not there for the watermark alone."""
    return frame.where(f"n < {LAST}")


def totals(frame: DataFrame) -> DataFrame:
    return frame.groupBy("key").agg(fn.count("*").alias("rows"), fn.sum("amount").alias("amount"))


def windows(frame: DataFrame) -> DataFrame:
    late = frame.withWatermark("time", "1 second")
    return late.groupBy(fn.window("time", "2 seconds"), "key").count()


def sessions(frame: DataFrame) -> DataFrame:
    late = frame.withWatermark("time", "1 second")
    return late.groupBy(fn.session_window("time", "1 second"), "key").count()


def halves(frame: DataFrame) -> DataFrame:
    return frame.selectExpr("time", "n DIV 2 AS half")


def distinct(frame: DataFrame) -> DataFrame:
    return halves(frame).dropDuplicates(["half"]).select("half")


def distinct_for_a_while(frame: DataFrame) -> DataFrame:
    late = halves(frame).withWatermark("time", "10 seconds")
    return late.dropDuplicatesWithinWatermark(["half"]).select("half")


def joined(how: str) -> Callable[[DataFrame, DataFrame], DataFrame]:
    def join(left: DataFrame, right: DataFrame) -> DataFrame:
        one = left.withWatermark("time", "1 second").alias("e")
        other = right.withWatermark("time", "1 second").alias("o")
        columns = "e.n", "e.key", "e.time", "o.n AS other"
        return one.join(other, fn.expr(NEAR), how).selectExpr(*columns)

    return join


def joined_windows(left: DataFrame, right: DataFrame) -> DataFrame:
    return joined("inner")(left, right).groupBy(fn.window("time", "2 seconds"), "key").count()


def once_in_windows(frame: DataFrame) -> DataFrame:
    late = frame.withWatermark("time", "1 second").dropDuplicates(["n", "time"])
    return late.groupBy(fn.window("time", "2 seconds"), "key").count()


def some(frame: DataFrame) -> DataFrame:
    """Return as many rows as the limit says, whichever."""
    return frame.limit(LIMIT).selectExpr("1L AS row")


def balances_in_sql(frame: DataFrame) -> DataFrame:
    so_far = "SUM(amount) OVER (PARTITION BY key ORDER BY n) AS balance"
    return frame.selectExpr("key", "n", "amount", so_far)


def older_balances(frame: DataFrame) -> DataFrame:
    def add(key, frames, state) -> Iterator[pd.DataFrame]:  # noqa: ARG001  Spark's order
        rows = pd.concat(frames).sort_values("n")
        (before,) = state.get if state.exists else (0,)
        rows["balance"] = before + rows["amount"].cumsum()
        state.update((int(rows["balance"].iloc[-1]),))
        yield rows[["key", "n", "amount", "balance"]]

    return frame.groupBy("key").applyInPandasWithState(
        add, BALANCE, "balance long", "append", "NoTimeout"
    )


def processor(grouped: str, summed: str, total: str, *, timers: bool) -> object:
    """Return a sum of a column by group; where there are timers, state may expire as well."""
    from pyspark.sql.streaming.stateful_processor import StatefulProcessor  # noqa: PLC0415

    class Sum(StatefulProcessor):
        def init(self, handle) -> None:
            self._handle = handle
            self._sum = handle.getValueState("sum", "sum long")
            if timers:
                self._seen = handle.getMapState("seen", "n long", "at long", ttlDurationMs=600_000)

        def handleInputRows(self, key, rows, timerValues):  # noqa: N802, N803  Spark's
            found = pd.concat(rows).sort_values("n")
            (before,) = self._sum.get() or (0,)
            found[total] = before + found[summed].cumsum()
            self._sum.update((int(found[total].iloc[-1]),))
            if timers:
                now_ms = timerValues.getCurrentProcessingTimeInMs()
                self._seen.updateValue((int(found["n"].iloc[-1]) % 7,), (now_ms,))
                self._handle.registerTimer(now_ms + 600_000)
            found[grouped] = key[0]
            yield found

        def close(self) -> None:
            """Nothing is open."""

    return Sum()


def balances(frame: DataFrame) -> DataFrame:
    adds = processor("key", "amount", "balance", timers=True)
    rows = frame.select("key", "n", "amount").groupBy("key")
    return rows.transformWithStateInPandas(adds, BALANCE, "Append", "ProcessingTime")


def sums_of_balances(frame: DataFrame) -> DataFrame:
    first = processor("key", "amount", "balance", timers=False)
    rows = frame.select("key", "n", "amount").groupBy("key")
    made = rows.transformWithStateInPandas(first, BALANCE, "Append", "none")
    second = processor("last", "balance", "total", timers=False)
    by_last = made.selectExpr("n % 7 AS last", "n", "balance").groupBy("last")
    columns = "last long, n long, balance long, total long"
    return by_last.transformWithStateInPandas(second, columns, "Append", "none")


def sums_of_balances_in_sql(frame: DataFrame) -> DataFrame:
    so_far = "SUM(balance) OVER (PARTITION BY n % 7 ORDER BY n) AS total"
    return balances_in_sql(frame).selectExpr("n % 7 AS last", "n", "balance", so_far)


def _case(name: str, query: Callable, batch: Callable, mode: str = "append") -> Case:
    return Case(_table(name), {"events": EVENTS}, one_input, query, batch, mode)


def _join(name: str, query: Callable) -> Case:
    inputs = {"events": EVENTS, "others": EVENTS}
    return Case(
        _table(name), inputs, two_inputs, query, lambda left, right: query(real(left), right)
    )


def _table(name: str) -> str:
    return "kind_" + name.replace(" ", "_")


PYTHON = "transformWithStateInPandas"
#: Where state expires by the clock, Spark would run empty batches for ever to see whether it has.
ONLY_WITH_ROWS = {"spark.sql.streaming.noDataMicroBatches.enabled": "false"}
KINDS = {
    "aggregate": Kind(_case("aggregate", totals, totals, "complete")),
    "windows with a watermark": Kind(
        _case("windows", windows, lambda rows: windows(real(rows))),
    ),
    "session window": Kind(_case("sessions", sessions, lambda rows: sessions(real(rows)))),
    "dropDuplicates": Kind(_case("distinct", distinct, distinct)),
    "dropDuplicatesWithinWatermark": Kind(_case("distinct within", distinct_for_a_while, distinct)),
    "inner join": Kind(_join("inner join", joined("inner"))),
    "outer join": Kind(_join("outer join", joined("left"))),
    "join then aggregate": Kind(_join("join then windows", joined_windows)),
    "dropDuplicates then aggregate": Kind(
        _case("distinct in windows", once_in_windows, lambda rows: windows(real(rows)))
    ),
    "limit": Kind(_case("some", some, some)),
    "applyInPandasWithState": Kind(_case("apply", older_balances, balances_in_sql)),
    "transformWithStateInPandas with timers and TTL": Kind(
        _case("transform", balances, balances_in_sql), PYTHON, ONLY_WITH_ROWS
    ),
    "chained transformWithStateInPandas": Kind(
        _case("transform twice", sums_of_balances, sums_of_balances_in_sql), PYTHON
    ),
}
