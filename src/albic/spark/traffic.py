"""Bytes between key groups, from the sizes of shuffle blocks that Spark notes for each map task."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from albic.arrays import Floats, sealed
from albic.spark.bridge import Bridge

#: Spark keeps a block's size as its logarithm to this base, in one byte: at most 10 % off.
SIZE_BASE = 1.1


@dataclass(frozen=True, slots=True, eq=False)
class StreamTraffic:
    """What the partitions of one stage (rows) sent to those of the next (columns) in a batch."""

    upstream: int
    downstream: int
    sent_bytes: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "sent_bytes", sealed(self.sent_bytes, np.float64))


def read_traffic(
    bridge: Bridge,
    streams: Sequence[tuple[int, int]],
    writers: Sequence[frozenset[int]],
    after: int,
) -> tuple[tuple[StreamTraffic, ...], int]:
    """Return the traffic of ``streams`` and the last shuffle that was looked at.

    Parameters
    ----------
    streams
        (upstream, downstream) stages with one shuffle between them.
    writers
        The ids of each stage's tasks; a shuffle belongs to the stage whose tasks wrote it.
    after
        Shuffles up to this id were seen before.
    """
    found: list[StreamTraffic] = []
    if not streams:
        return (), after
    last = after
    # Newest first: those of batches that nobody read are of no use, and each is a question.
    for shuffle_id in reversed(bridge.shuffle_ids()):
        if shuffle_id <= after or len(found) == len(streams):
            break
        written_by = bridge.first_map_task(shuffle_id)
        stream = next((s for s in streams if written_by in writers[s[0]]), None)
        if stream is None:
            continue
        last = max(last, shuffle_id)
        sizes = block_sizes(bridge.map_outputs(shuffle_id))
        if sizes is not None:
            found.insert(0, StreamTraffic(*stream, sizes))
    return tuple(found), last


def block_sizes(outputs: Sequence[Any]) -> Floats | None:
    """Return bytes by map task and reduce partition, or None where Spark keeps averages only."""
    if not outputs or any(output is None or "compressedSizes" not in output for output in outputs):
        return None
    logs = np.array(
        [np.frombuffer(base64.b64decode(o["compressedSizes"]), dtype=np.uint8) for o in outputs],
        dtype=np.float64,
    )
    sizes: Floats = np.where(logs > 0, np.floor(SIZE_BASE**logs), 0.0)
    return sizes
