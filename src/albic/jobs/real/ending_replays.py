"""Replays as sources of a network: they end, and say so, so that no window stays open."""

from typing import TYPE_CHECKING

from albic.jobs.datasets.sources import packed_frame
from albic.jobs.real.feeds import Feed
from albic.streams import Source

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: The column that is true in the last row.
LAST = "last"


def ending(spark: "SparkSession", feed: Feed) -> Source:
    """Return a feed as a source that marks its last row."""
    rows, schema = packed_frame(spark, feed.copy, feed.pace, feed.columns)
    return Source(feed.name, rows, event_time="event_time", ends=LAST, packed=schema)
