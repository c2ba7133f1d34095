"""What a running query says about itself: how often it starts batches, and which have ended."""

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.bridge.call_chains import chained
from albic.spark.bridge.progress import EndedBatch, ended_by
from albic.spark.bridge.status_store import Books


class Reports(Books):
    """Asks the queries of one classic Spark session, beside its books."""

    def __init__(self, spark: SparkSession) -> None:
        super().__init__(spark)
        self._executions: WeakKeyDictionary[StreamingQuery, Any] = WeakKeyDictionary()
        self._reported: WeakKeyDictionary[StreamingQuery, Callable[[], str]] = WeakKeyDictionary()
        #: The start of the last report of a query, and the batch that had ended by then.
        self._last_ended: WeakKeyDictionary[StreamingQuery, tuple[str, EndedBatch]] = (
            WeakKeyDictionary()
        )

    def trigger(self, query: StreamingQuery) -> str:
        """Return the class name of a query's trigger."""
        return str(self._execution(query).trigger().getClass().getSimpleName()).rstrip("$")

    def interval_s(self, query: StreamingQuery) -> float | None:
        """Return how often batches shall start; None where they follow each other at once."""
        if self.trigger(query) != "ProcessingTimeTrigger":
            return None
        return int(self._execution(query).trigger().intervalMs()) / 1000 or None

    def last_batch(self, query: StreamingQuery) -> int:
        """Return the last batch that this run of the query ended, or -1."""
        ended = self.last_ended(query)
        return -1 if ended is None else ended.batch_id

    def last_ended(self, query: StreamingQuery) -> EndedBatch | None:
        """Return the last batch that this run of the query ended, if there is one.

        A query without new rows reports progress of the batch that it would run next.
        """
        # Asked many times a batch: until another report is there, what is known is kept.
        known = self._last_ended.get(query)
        if known is not None and self._reported[query]() == known[0]:
            return known[1]
        execution = self._execution(query)
        last = execution.lastProgress()
        if last is None or execution.lastExecution() is None:
            return None
        told = str(last.timestamp())
        ended = ended_by(told, int(last.batchId()), str(last.durationMs().toString()))
        if known is None:
            row = chained(self._gateway, execution, "lastProgress", "timestamp")
            self._reported[query] = row
        elif known[1].batch_id == ended.batch_id and ended.batch_s is None:
            ended = known[1]
        self._last_ended[query] = told, ended
        return ended

    def rates(self, query: StreamingQuery) -> tuple[float, float]:
        """Return how many rows a second arrived and were processed, by the last report."""
        last = self._execution(query).lastProgress()
        if last is None:
            return 0.0, 0.0
        return float(last.inputRowsPerSecond()), float(last.processedRowsPerSecond())

    def _execution(self, query: StreamingQuery) -> Any:  # noqa: ANN401  as above
        found = self._executions.get(query)
        if found is None:
            found = self._executions[query] = query._jsq.streamingQuery()
        return found
