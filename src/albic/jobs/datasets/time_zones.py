"""Local times become instants: the sources print the clock on the airport's wall."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

_HOUR_US = 3_600_000_000
_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001  local times have no zone yet


def instants(
    local_us: pa.ChunkedArray, places: pa.ChunkedArray, zones: Mapping[str, str]
) -> tuple[pa.Array, int]:
    """Return the instants of local times at places, and how many places have no known zone.

    Those are taken to be at UTC. An hour that summer time skips is read as if it had not, one
    that comes twice is its first coming.
    """
    local = local_us.to_numpy()
    coded = pa.chunked_array(places).combine_chunks().dictionary_encode()
    names = [zones.get(name) for name in coded.dictionary.to_pylist()]
    codes = coded.indices.to_numpy(zero_copy_only=False)
    known = np.array([name is not None for name in names], bool)
    offsets = np.zeros(len(local), np.int64)
    for code, name in enumerate(names):
        if name is not None:
            here = codes == code
            offsets[here] = _offsets_us(local[here] // _HOUR_US, name)
    found = pa.array(local - offsets, pa.timestamp("us")).cast(pa.timestamp("us", tz="UTC"))
    return found, int(len(codes) - np.count_nonzero(known[codes])) if len(codes) else 0


def _offsets_us(hours: np.ndarray, zone: str) -> np.ndarray:
    """Return what to take from local hours (since 1970) in ``zone`` to get UTC."""
    unique, position = np.unique(hours, return_inverse=True)
    return np.array([_offset_us(int(hour), zone) for hour in unique], np.int64)[position]


@lru_cache(maxsize=1 << 16)
def _offset_us(hour: int, zone: str) -> int:
    """Return the offset from UTC in one local hour."""
    local = (_EPOCH + timedelta(hours=hour)).replace(tzinfo=ZoneInfo(zone))
    offset = local.utcoffset() or timedelta(0)
    return round(offset.total_seconds() * 1e6)


def utc_day_us(day: str) -> int:
    """Return the instant at which an ISO ``day`` begins at UTC, in microseconds since 1970."""
    return round(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp() * 1e6)
