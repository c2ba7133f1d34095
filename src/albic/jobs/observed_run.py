"""One run of a job for so many batches, observed from the outside."""

import time
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from albic.control.batches import BatchRecord
from albic.spark.batch_recorder import BatchRecorder

POLL_S = 0.1


def started(
    frame: DataFrame, checkpoint: Path, interval_s: float | None = None, mode: str = "update"
) -> StreamingQuery:
    """Return a query that keeps the state of ``frame`` and writes its result nowhere.

    A batch starts every ``interval_s``, or without that as soon as the one before it has ended.
    """
    writer = frame.writeStream.format("noop").outputMode(mode)
    if interval_s is not None:
        writer = writer.trigger(processingTime=f"{round(interval_s * 1e3)} milliseconds")
    return writer.option("checkpointLocation", str(checkpoint)).start()


def batches(query: StreamingQuery, count: int | None = None) -> Iterator[BatchRecord]:
    """Yield the first ``count`` batches of a query as they end; without a count, all of them."""
    recorder = BatchRecorder(query)
    while True:
        for record in recorder.new():
            yield record
            if count is not None and record.batch >= count - 1:
                return
        time.sleep(POLL_S)
