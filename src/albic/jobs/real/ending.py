"""Replays as sources of a network: they end, and say so, so that no window stays open."""

from collections.abc import Sequence

from pyspark.sql import SparkSession

from albic.jobs.datasets import Pace
from albic.jobs.datasets.prepared import Prepared
from albic.jobs.datasets.sources import packed_frame
from albic.streams import Source

#: The column that is true in the last row.
LAST = "last"


def ending(
    name: str, spark: SparkSession, copy: Prepared, pace: Pace, columns: Sequence[str]
) -> Source:
    """Return an ordered copy as a source that marks its last row.

    Parameters
    ----------
    name
        What operators call it.
    copy
        The rows, in the order of time; they are never late.
    pace
        How many come in a batch.
    columns
        Those of use; the fewer, the less is sent.
    """
    rows, schema = packed_frame(spark, copy, pace, columns)
    return Source(name, rows, event_time="event_time", ends=LAST, packed=schema)
