"""Keys find the same key group for ever, and each key group has a partition of its own."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albic.streams.hashing import key_groups, key_hash, labels, partition_of

KEYS = pa.table(
    {
        "text": ["N14228", "N24211", None, ""],
        "number": pa.array([1, -1, None, 2**40], pa.int64()),
        "day": pa.array([0, 1, 2, None], pa.date32()),
    }
)
#: Written down once. If one of these changes, checkpoints of running networks are lost.
TEXT = [
    8735394355961040598,
    7058131613354629878,
    7960286522194355700,
    10010316351606608150,
]
NUMBER = [
    6791897765849424158,
    6755974106381971767,
    7960286522194355700,
    3686752072253880996,
]
TEXT_AND_DAY = [
    6640933428740103753,
    16283550649320427437,
    13016799346078658216,
    17094019698759113761,
]
PROGRAM = """if True:
    import pyarrow as pa
    from albic.streams.hashing import key_hash
    print(key_hash(pa.table({"text": ["N14228", "N24211", None, ""]}), ["text"]).tolist())
"""


@given(st.integers(1, 600))
def test_every_partition_has_one_label(partitions) -> None:
    found = np.array(labels(partitions))
    assert partition_of(found, partitions).tolist() == list(range(partitions))
    assert (found >= 0).all()


def test_a_label_is_the_smallest_that_leads_there() -> None:
    everything = partition_of(np.arange(max(labels(7)) + 1), 7).tolist()
    assert [everything.index(partition) for partition in range(7)] == list(labels(7))


def test_partitions_are_those_of_spark() -> None:
    # SELECT hash(0), hash(1), hash(2)
    sparks = [933211791, -559580957, 1765031574]
    assert partition_of(np.arange(3), 2**31 - 1).tolist() == [h % (2**31 - 1) for h in sparks]


def test_hashes_are_the_same_as_ever() -> None:
    assert key_hash(KEYS, ["text"]).tolist() == TEXT
    assert key_hash(KEYS, ["number"]).tolist() == NUMBER
    assert key_hash(KEYS, ["text", "day"]).tolist() == TEXT_AND_DAY


@pytest.mark.parametrize("seed", ["1", "2"])
def test_hashes_do_not_depend_on_pythons_seed(seed) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
    )
    assert done.stdout.strip() == str(TEXT)


@given(st.lists(st.one_of(st.none(), st.text()), min_size=1), st.integers(1, 50))
def test_a_key_has_one_group_whatever_is_around_it(keys, groups) -> None:
    alone = [
        key_groups(pa.table({"key": pa.array([key], pa.string())}), ["key"], groups)[0]
        for key in keys
    ]
    together = pa.table({"key": pa.array(keys, pa.string())})
    cut = pa.concat_tables([together.slice(0, 1), together.slice(1)])
    assert key_groups(together, ["key"], groups).tolist() == alone
    assert key_groups(cut, ["key"], groups).tolist() == alone
    assert max(alone) < groups


@given(st.lists(st.integers(-(2**31), 2**31 - 1), min_size=1))
def test_a_whole_number_has_one_hash_in_every_width(numbers) -> None:
    hashes = [
        key_hash(pa.table([pa.array(numbers, kind)], ["n"]), ["n"]).tolist()
        for kind in (pa.int32(), pa.int64())
    ]
    assert hashes[0] == hashes[1]


def test_neighbours_are_spread() -> None:
    groups = key_groups(pa.table({"n": np.arange(10_000)}), ["n"], 10)
    counts = np.bincount(groups, minlength=10)
    assert counts.min() > 850
    assert counts.max() < 1150
