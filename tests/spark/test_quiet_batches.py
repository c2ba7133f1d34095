"""What a batch writes and reads where a large state does not change: next to nothing.

The sizes are those of Spark's own change logs in the checkpoint, and of what RocksDB says it read.
"""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from albic.streams import Network, Operator, Source

#: The first test starts the cluster.
pytestmark = pytest.mark.timeout(300)

START = pd.Timestamp("2024-05-01", tz="UTC")
GROUPS, STATE_BYTES, LITTLE_BYTES = 4, 1_000_000, 10_000
DEVICES = [f"d{number}" for number in range(16)]
#: The devices of each file, and whether their key groups are to change their state.
FIRST, ONE_DEVICE, UNCHANGED = range(3)
FILES = [(DEVICES, 1), (DEVICES[:1], 1), (DEVICES, 0)]


@dataclass
class Quiet:
    """What a run wrote: bytes of change log, by batch and partition, and what it read by batch."""

    written: list[list[int]]
    read: list[int]
    counted: list[dict[int, int]]


def process():
    def keep(state, rows):
        if rows.frame()["change"].any():
            # Noise, for it cannot be packed: what is written of it is as large as it is.
            state["noise"] = pd.DataFrame({"noise": [os.urandom(STATE_BYTES)]})

    return keep


@pytest.fixture(scope="module")
def quiet(spark, tmp_path_factory) -> Quiet:
    folder = tmp_path_factory.mktemp("quiet")
    (folder / "in").mkdir()
    for number, (devices, change) in enumerate(FILES):
        at = START + pd.Timedelta(minutes=number)
        rows = pd.DataFrame({"device": devices, "at": at, "change": change})
        file = folder / "in" / f"{number}.json"
        rows.to_json(file, orient="records", lines=True, date_format="iso")
        os.utime(file, (0, START.timestamp() + number))
    columns = "device string, at timestamp, change int"
    reader = spark.readStream.schema(columns).option("maxFilesPerTrigger", 1)
    network = Network(
        "quiet",
        [Source("readings", reader.json(str(folder / "in")), "at")],
        [Operator("keep", "readings", "device", GROUPS, "device string", process())],
    )
    running = network.start(folder / "checkpoint", all_there_is=True)
    running.query.awaitTermination()
    state = folder / "checkpoint" / "state" / "0"
    read = [
        each["stateOperators"][0]["customMetrics"]["rocksdbTotalBytesRead"]
        for each in running.query.recentProgress
        if each["batchId"] < len(FILES) and each["numInputRows"]
    ]
    counted = [
        {group.key_group: group.state_bytes for group in batch.groups}
        for batch in running.batches()
    ]
    return Quiet([_written(state, batch) for batch in range(len(FILES))], read, counted)


def _written(state: Path, batch: int) -> list[int]:
    return [
        (state / str(partition) / f"{batch + 1}.changelog").stat().st_size
        for partition in range(GROUPS)
    ]


def test_a_state_that_changes_is_written_whole(quiet) -> None:
    assert min(quiet.written[FIRST]) > STATE_BYTES


def test_where_only_the_watermark_moves_the_state_is_neither_read_nor_written(quiet) -> None:
    with_rows, *others = np.argsort(quiet.written[ONE_DEVICE])[::-1]
    assert quiet.written[ONE_DEVICE][with_rows] > STATE_BYTES
    assert all(0 < quiet.written[ONE_DEVICE][at] < LITTLE_BYTES for at in others)
    # That of the one that has rows is read for its processor, and once more to be replaced.
    assert quiet.read[ONE_DEVICE] < 2 * STATE_BYTES + LITTLE_BYTES * GROUPS


def test_where_rows_come_and_the_state_stays_it_is_not_written_again(quiet) -> None:
    assert max(quiet.written[UNCHANGED]) < LITTLE_BYTES
    assert quiet.read[UNCHANGED] > GROUPS * STATE_BYTES


def test_the_size_of_a_state_is_told_although_it_was_not_read(quiet) -> None:
    for batch in quiet.counted:
        assert sorted(batch) == list(range(GROUPS))
        assert all(STATE_BYTES < size < STATE_BYTES + LITTLE_BYTES for size in batch.values())
