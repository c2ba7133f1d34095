"""Real Job 1 with the power of two choices (PoTC) instead of a planner.

Every cell has two key groups that may count it. Who sends an edit picks the one of the two to
which it has sent less. So counts come in two parts, and one more operator has to merge them.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import pyarrow as pa

from albic.arrays import Ints
from albic.jobs.real import articles
from albic.jobs.real.articles import ARTICLE, EDITS, GEOHASH, GLOBAL, PLACED, TOPS, K
from albic.jobs.real.job import Inputs, RealJob
from albic.jobs.real.sums import summed
from albic.jobs.real.windows import most
from albic.streams import Operator, Rows, State
from albic.streams.hashing import key_hash

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

COUNT, MERGE = "partial-count", "merge-top-k"
CELL = ("window_start", "geohash", *ARTICLE)


class Sender:
    """Places edits and picks who counts them; what it has sent is in its state."""

    def __init__(self, key_groups: int) -> None:
        self._key_groups = key_groups

    def __call__(self, state: State, rows: Rows) -> pa.Table:
        """Return the edits with the address of the key group that shall count each."""
        placed = articles.place(state, rows)
        sent = np.array(state.get("sent") or [0] * self._key_groups)
        chosen = picked(placed, candidates(placed, self._key_groups), sent)
        state["sent"] = sent.tolist()
        return placed.append_column("address", pa.array(addresses(self._key_groups)[chosen]))


def candidates(placed: pa.Table, key_groups: int) -> Ints:
    """Return the two key groups that may count each edit, by two hashes of its cell."""
    hashes = [key_hash(placed, ["geohash"] * times) for times in (1, 2)]
    two: Ints = (np.stack(hashes) % np.uint64(key_groups)).astype(np.int64)
    return two


def picked(placed: pa.Table, two: Ints, sent: Ints) -> Ints:
    """Return which key group each edit goes to; ``sent`` is how many went to each, and grows.

    Edits of a cell are dealt together: as many to each candidate as if they had come one by one.
    """
    chosen: Ints = two[0].copy()
    cells: pd.DataFrame = placed.select(["geohash"]).to_pandas()
    for rows in cells.groupby("geohash").indices.values():
        first, second = two[:, rows[0]]
        if first != second:
            ahead = sent[second] - sent[first]
            share = int(np.clip((len(rows) + ahead + 1) // 2, 0, len(rows)))
            chosen[rows[share:]] = second
        np.add.at(sent, chosen[rows], 1)
    return chosen


@lru_cache(maxsize=8)
def addresses(key_groups: int) -> Ints:
    """Return for each key group the smallest number whose hash leads there."""
    found = np.full(key_groups, -1)
    size = 8 * key_groups
    while (found < 0).any():
        numbers = np.arange(size)
        group = key_hash(pa.table({"address": numbers}), ["address"]) % np.uint64(key_groups)
        # Backwards, so that the smallest number is written last and stays.
        found[group[::-1].astype(np.int64)] = numbers[::-1]
        size *= 2
    return found


def count(state: State, rows: Rows) -> pa.Table:
    """Return the edits that were counted here, of the minutes that are over."""
    return articles.timed(articles.over(state, articles.per_minute(rows.table()), rows, CELL))


def merge(state: State, rows: Rows) -> pa.Table:
    """Return the most edited articles of each cell, out of the parts of the counts."""
    done = articles.over(state, summed(rows.table(), CELL, ["edits"]), rows, CELL)
    ranked = most(done, ["window_start", "geohash"], "edits", ARTICLE, K)
    return articles.timed(ranked.drop_columns(["rank"]))


def operators(key_groups: int) -> list[Operator]:
    """Return the four operators."""
    placed, when = f"{PLACED}, address bigint", "event_time"
    return [
        Operator(GEOHASH, EDITS, "sequence", key_groups, placed, Sender(key_groups), when),
        Operator(COUNT, GEOHASH, "address", key_groups, TOPS, count, when, windowed=True),
        Operator(MERGE, COUNT, "geohash", key_groups, TOPS, merge, when, windowed=True),
        articles.last_operator(key_groups, MERGE),
    ]


def twin(spark: "SparkSession", inputs: Inputs) -> Mapping[str, "DataFrame"]:
    """Return what Job 1 returns: who counts an edit changes no result."""
    return articles.twin(spark, inputs)


JOB = RealJob(
    name="job1-potc",
    title="Real Job 1 with the power of two choices: each edit to the less loaded of two.",
    feeds=articles.feeds,
    operators=lambda inputs: operators(inputs.key_groups),
    twin=twin,
    tables={GLOBAL: articles.TABLE},
    worst_start=False,
    rows=articles.JOB.rows,
)
