"""Which batches still tell about now.

To average batches from before and after a change describes a job that never was. So the batches
that count are the newest one and those before it as far back as the work is spread alike.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import TypeVar

from albic.control.samples import RawBatch

Key = TypeVar("Key", bound=Hashable)

#: Two batches tell of different jobs if so much of the work is elsewhere. Measuring the same job
#: twice, each key group one tenth off, comes to 0.06; new hot keys come to 0.2 and more.
MOST_MOVED = 0.12
#: Less than this part of the work in common says nothing.
LEAST_COMMON = 0.5


def since_change(batches: Iterable[RawBatch]) -> tuple[RawBatch, ...]:
    """Return the batches that are like the newer ones of their query, oldest first."""
    kept: list[RawBatch] = []
    queries: list[_Query] = []
    for batch in sorted(batches, key=lambda batch: batch.ended_s, reverse=True):
        mine = {sample.key_group for sample in batch.groups}
        query = next((each for each in queries if mine & each.groups), None)
        if query is None:
            query = _Query(mine)
            queries.append(query)
        if query.takes(batch):
            kept.append(batch)
    return tuple(reversed(kept))


class _Query:
    """The newest batches of one query, newest first, up to a change."""

    def __init__(self, groups: set[int]) -> None:
        self.groups = groups
        self._open = True
        self._busy_s: defaultdict[int, list[float]] = defaultdict(list)

    def takes(self, batch: RawBatch) -> bool:
        """Take in an older batch if it is like the mean of the newer ones; return whether."""
        older = {s.key_group: s.busy_s for s in batch.groups if not s.loaded}
        newer = {group: fmean(busy_s) for group, busy_s in self._busy_s.items()}
        self._open = self._open and moved_share(newer, older) <= MOST_MOVED
        if self._open:
            for group, busy_s in older.items():
                self._busy_s[group].append(busy_s)
        return self._open


def moved_share(now: Mapping[int, float], before: Mapping[int, float]) -> float:
    """Return the part of the work that lies on other key groups than before; 0 if too few tell."""
    common = now.keys() & before.keys()
    here, there = (sum(busy[group] for group in common) for busy in (now, before))
    if here < LEAST_COMMON * sum(now.values()) or min(here, there) <= 0:
        return 0.0
    return sum(abs(now[group] / here - before[group] / there) for group in common) / 2


def growth(busy_s: Sequence[Mapping[Key, float]]) -> float:
    """Return what the last two batches had to do beside the mean one, at least 1.

    ``busy_s`` is how long each key group worked, batch by batch, without those that were loaded.
    Of the two the lighter one counts, for one batch may be heavy by accident.
    """
    if len(busy_s) < 3:
        return 1.0
    every: defaultdict[Key, list[float]] = defaultdict(list)
    for batch in busy_s:
        for group, spent_s in batch.items():
            every[group].append(spent_s)
    shares = []
    for batch in busy_s[-2:]:
        usual_s = sum(fmean(every[group]) for group in batch)
        shares.append(sum(batch.values()) / usual_s if usual_s > 0 else 1.0)
    return max(min(shares), 1.0)
