"""Keys become key groups, and key groups become partitions; the same today and after a restart.

A key's hash depends on its value alone: not on Python's hash seed, the order of rows, the machine
or the number of key groups. Spark sends a row to the partition ``pmod(hash(label), partitions)``;
labels are chosen so that each partition has exactly one.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

Hashes = npt.NDArray[np.uint64]

#: The hash of a key that is not there.
MISSING = np.uint64(0x9E3779B97F4A7C15)
#: Spark's seed for the hash that picks partitions.
SPARK_SEED = 42


def is_hashable(kind: pa.DataType) -> bool:
    """Return whether a column of this type can be a key; equal floats may differ in their bits."""
    return _is_text(kind) or bool(
        pa.types.is_integer(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_date(kind)
        or pa.types.is_timestamp(kind)
    )


def key_groups(table: pa.Table, columns: Sequence[str], groups: int) -> npt.NDArray[np.uint16]:
    """Return the key group of each row, from 0 up to ``groups``."""
    if groups == 1:
        return np.zeros(table.num_rows, dtype=np.uint16)
    return (key_hash(table, columns) % np.uint64(groups)).astype(np.uint16)


def key_hash(table: pa.Table, columns: Sequence[str]) -> Hashes:
    """Return the hash of each row's key."""
    combined = np.zeros(table.num_rows, dtype=np.uint64)
    for name in columns:
        combined = _mixed(combined * np.uint64(31) + _column_hash(table.column(name)))
    return combined


@lru_cache(maxsize=64)
def labels(partitions: int) -> tuple[int, ...]:
    """Return a label for each partition: the smallest number that Spark sends there."""
    found = np.full(partitions, -1, dtype=np.int64)
    size = 4 * partitions
    while (found < 0).any():
        candidates = np.arange(size)
        goes_to = partition_of(candidates, partitions)
        # Backwards, so that the smallest candidate is written last and stays.
        found[goes_to[::-1]] = candidates[::-1]
        size *= 2
    return tuple(found.tolist())


def partition_of(values: npt.NDArray[np.int64], partitions: int) -> npt.NDArray[np.int64]:
    """Return the partition that Spark sends each 32-bit number to: Murmur3, then pmod."""
    with np.errstate(over="ignore"):
        mixed = values.astype(np.uint32) * np.uint32(0xCC9E2D51)
        mixed = _rotated(mixed, 15) * np.uint32(0x1B873593)
        state = _rotated(np.uint32(SPARK_SEED) ^ mixed, 13) * np.uint32(5) + np.uint32(0xE6546B64)
        state ^= np.uint32(4)
        state = (state ^ (state >> np.uint32(16))) * np.uint32(0x85EBCA6B)
        state = (state ^ (state >> np.uint32(13))) * np.uint32(0xC2B2AE35)
        state ^= state >> np.uint32(16)
    return state.view(np.int32).astype(np.int64) % partitions


def _rotated(values: npt.NDArray[np.uint32], by: int) -> npt.NDArray[np.uint32]:
    return (values << np.uint32(by)) | (values >> np.uint32(32 - by))


def _column_hash(column: pa.ChunkedArray) -> Hashes:
    """Return the hash of each value of one column."""
    values = column.combine_chunks()
    if isinstance(values, pa.ChunkedArray):
        values = pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], column.type)
    if _is_text(values.type):
        coded = values.dictionary_encode()
        of_value = pd.util.hash_array(
            np.asarray(coded.dictionary.to_pylist(), dtype=object), categorize=False
        )
        # One more for what is missing, so that no value has to be looked at twice.
        of_value = np.append(of_value, MISSING)
        found: Hashes = of_value[coded.indices.fill_null(len(of_value) - 1).to_numpy()]
        return found
    hashes = _mixed(_numbers(values).view(np.uint64))
    if values.null_count:
        hashes = np.where(pc.is_null(values).to_numpy(zero_copy_only=False), MISSING, hashes)
    return hashes


def _numbers(values: pa.Array) -> npt.NDArray[np.int64]:
    """Return whole numbers of any width, dates and times as 64-bit numbers, 0 where missing."""
    if pa.types.is_date32(values.type):
        values = values.cast(pa.int32())
    elif pa.types.is_timestamp(values.type):
        values = values.cast(pa.timestamp("us", values.type.tz))
    numbers: npt.NDArray[np.int64] = values.cast(pa.int64()).fill_null(0).to_numpy()
    return numbers


def _mixed(values: Hashes) -> Hashes:
    """Return well spread bits; neighbours such as 1, 2, 3 must not end up in one key group."""
    with np.errstate(over="ignore"):
        values = values + np.uint64(0x9E3779B97F4A7C15)
        values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return values ^ (values >> np.uint64(31))


def _is_text(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_binary(kind)
    )
