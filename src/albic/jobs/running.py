"""One run of a job for so many batches, observed from the outside."""

import time
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from albic.control.batches import BatchRecord
from albic.spark.recording import BatchRecorder

POLL_S = 0.1


def started(frame: DataFrame, checkpoint: Path) -> StreamingQuery:
    """Return a query that keeps the state of ``frame`` and writes its result nowhere."""
    writer = frame.writeStream.format("noop").outputMode("update")
    return writer.option("checkpointLocation", str(checkpoint)).start()


def batches(query: StreamingQuery, count: int) -> Iterator[BatchRecord]:
    """Yield the first ``count`` batches of a query as they end."""
    recorder = BatchRecorder(query)
    seen = -1
    while seen < count - 1:
        for record in recorder.new():
            seen = record.batch
            if seen < count:
                yield record
        time.sleep(POLL_S)
