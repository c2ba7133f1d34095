"""Operators in a row with one-to-one traffic: the benchmarks of collocation run it.

All that a key group of an operator sends goes to one key group of the next. So a pair of them that
lies on two nodes sends all of its rows over the network, and one that lies together sends none.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as fn
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from albic.jobs.drifting import Drift, arriving
from albic.model import InvalidInput

ROWS = "key long, note binary"
COUNTS = "key long, rows long"
#: The noise that rows are pieces of, in rows.
NOISE_ROWS = 256
#: Even rows, 40 MB of them with a KiB each.
LOAD = Drift(key_groups=8, events=40_000, wait_ms=0, keys=1, skew=0.0, sources=2)


@dataclass(frozen=True, slots=True)
class Chain:
    """What comes, how large it is, and what each operator does with it.

    Parameters
    ----------
    load
        The rows of a batch and which key groups are hot; a key group has one key.
    kib
        Size of a row.
    operators
        How many there are in a row.
    work
        What a row costs the processor in each operator: so many rounds of hashing.
    """

    load: Drift = LOAD
    kib: int = 1
    operators: int = 2
    work: int = 0

    def __post_init__(self) -> None:
        if self.operators < 2 or self.kib < 1 or self.work < 0:
            raise InvalidInput(
                "a chain has 2 operators or more, rows of 1 KiB or more, no less work"
            )

    @property
    def key_groups(self) -> int:
        """Return the key groups of each operator."""
        return self.load.key_groups


class Pass(StatefulProcessor):
    """Counts the rows of a key group, works on each, and hands them on."""

    def __init__(self, work: int) -> None:
        self._work = work

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Open the state."""
        self._seen = handle.getValueState("seen", "rows long")

    def handleInputRows(  # noqa: N802  Spark's name
        self,
        key: Any,  # noqa: ANN401, ARG002  Spark's
        rows: Iterator[pd.DataFrame],
        timerValues: Any,  # noqa: ANN401, ARG002, N803  Spark's
    ) -> Iterator[pd.DataFrame]:
        """Yield what came in."""
        before, seen = self._seen.get(), 0
        for frame in rows:
            seen += len(frame)
            if self._work:
                for note in frame["note"]:
                    hashlib.pbkdf2_hmac("sha256", note, b"albic", self._work)
            yield frame
        self._seen.update((seen + (before[0] if before else 0),))

    def close(self) -> None:
        """Have nothing to close."""


class Count(Pass):
    """Counts the rows of a key group, works on each, and hands on the count alone."""

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:  # noqa: ANN401, N802, N803
        """Yield one row."""
        seen = sum(len(frame) for frame in super().handleInputRows(key, rows, timerValues))
        yield pd.DataFrame({"key": [key[0]], "rows": [seen]})


def chained(spark: SparkSession, chain: Chain) -> DataFrame:
    """Return the operators; a key is a key group, and the same one in all."""
    size = chain.kib * 1024
    # A piece of the same noise for each row: it cannot be pressed together, and costs no work.
    noise = np.random.default_rng(chain.load.seed).bytes(NOISE_ROWS * size)
    first = fn.pmod(fn.xxhash64("value"), fn.lit((NOISE_ROWS - 1) * size)) + 1
    note = fn.substring(fn.lit(noise), first.cast("int"), fn.lit(size))
    frame = arriving(spark, chain.load).select("key", note.alias("note"))
    for _ in range(chain.operators - 1):
        frame = frame.groupBy("key").transformWithStateInPandas(
            Pass(chain.work), ROWS, "Append", "None"
        )
    return frame.groupBy("key").transformWithStateInPandas(
        Count(chain.work), COUNTS, "Append", "None"
    )
