"""A first batch without rows that puts state where a network will look for it.

Spark takes initial state in batch 0 of a new checkpoint and never again. So a query of the same
stages as the network's runs that one batch, and the network goes on after it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as fn
from pyspark.sql.streaming.stateful_processor import (
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from albic.streams.layout import Layout
from albic.streams.packed_rows import WIRE
from albic.streams.stage import ABOUT, STATE, opened


class Primer(StatefulProcessor):
    """Stands in for a stage, with the same values, and only takes what it is given."""

    def __init__(self, slots: int) -> None:
        self._slots = slots

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state as the stage does."""
        self._states = opened(handle, STATE, self._slots)
        self._noted = opened(handle, ABOUT, self._slots)

    def handleInitialState(  # noqa: N802  Spark's name
        self,
        key: Any,  # noqa: ANN401, ARG002  Spark's, a tuple
        initialState: pd.DataFrame,  # noqa: N803  Spark's name
        timerValues: TimerValues,  # noqa: ARG002, N803
    ) -> None:
        """Keep what a key group was given."""
        given = initialState[["slot", "about", "content"]]
        for slot, about, content in given.itertuples(index=False, name=None):
            self._noted[int(slot)].update((about,))
            if content is not None:
                self._states[int(slot)].update((content,))

    def handleInputRows(  # noqa: N802
        self,
        key: Any,  # noqa: ANN401, ARG002
        rows: Iterator[pd.DataFrame],
        timerValues: TimerValues,  # noqa: ARG002, N803
    ) -> Iterator[pd.DataFrame]:
        """Pass nothing on: no row comes."""
        for _ in rows:
            yield pd.DataFrame()

    def close(self) -> None:
        """Have nothing to close."""


def prime(layout: Layout, taken: DataFrame, checkpoint: Path, quiet: Path) -> None:
    """Run the one batch.

    Parameters
    ----------
    taken
        The memories with their addresses.
    checkpoint
        The new one, a folder that is not there.
    quiet
        A folder with one file, for a batch needs something to begin with.
    """
    frame = taken.sparkSession.readStream.text(str(quiet)).mapInArrow(_nothing, WIRE)
    for level in range(1, layout.depth + 1):
        here = taken.where(fn.col("level") == level).select("label", "slot", "about", "content")
        longest = max(
            len(chain) for chain in layout.chains if layout.places[chain[0]].level == level
        )
        frame = frame.groupBy("label").transformWithStateInPandas(
            statefulProcessor=Primer(longest),
            outputStructType=WIRE,
            outputMode="Append",
            timeMode="None",
            initialState=here.groupBy("label"),
        )
    writer = frame.writeStream.format("noop").outputMode("append")
    query = writer.option("checkpointLocation", str(checkpoint)).trigger(availableNow=True).start()
    try:
        query.awaitTermination()
    finally:
        query.stop()


def _nothing(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for _ in batches:
        yield from ()
