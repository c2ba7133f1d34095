"""On which level each part of a network runs, so that as few partitions as can be are idle.

All stages have as many partitions as the widest has key groups. A part has to come after what feeds
it and before what it feeds; where that leaves a choice, it goes to where the widest stage becomes
narrower. The number of stages stays that of the longest path: one more would let all rows for later
stages pass through one exchange more.
"""

from collections.abc import Sequence
from functools import lru_cache

#: What a stream from a source has instead of a part; sources are on level 0.
SOURCE = -1
#: Layouts are tried out one part at a time, and so many times at the most.
MOST_STEPS = 20_000

Streams = Sequence[tuple[int, int]]


def longest_paths(parts: int, streams: Streams) -> tuple[int, ...]:
    """Return the earliest level of each part: its longest path from a source."""
    found = [1] * parts
    for _ in range(parts):
        for up, down in streams:
            if up != SOURCE:
                found[down] = max(found[down], found[up] + 1)
    return tuple(found)


def widest(widths: Sequence[int], levels: Sequence[int]) -> int:
    """Return how many key groups the widest level has."""
    used = [0] * (max(levels) + 1)
    for width, level in zip(widths, levels, strict=True):
        used[level] += width
    return max(used)


@lru_cache(maxsize=64)
def fewest_idle(widths: tuple[int, ...], streams: tuple[tuple[int, int], ...]) -> tuple[int, ...]:
    """Return the level of each part, from 1 up; ``widths`` are their key groups.

    Longest paths if nothing is better. Of layouts with as few idle partitions it is one in which
    rows pass through the fewest stages. A network so large that not all layouts can be tried out
    gets the best of those that were.
    """
    return _Search(widths, streams).best


class _Search:
    """Tries out layouts, part after part from the sources down, and keeps the best."""

    def __init__(self, widths: Sequence[int], streams: Streams) -> None:
        parts = len(widths)
        self._widths = widths
        self._feeding: list[list[int]] = [[] for _ in widths]
        for up, down in streams:
            self._feeding[down].append(up)
        earliest = longest_paths(parts, streams)
        self._depth = max(earliest)
        turned = [(down, up) for up, down in streams if up != SOURCE]
        self._latest = [self._depth + 1 - back for back in longest_paths(parts, turned)]
        self._order = sorted(range(parts), key=lambda part: (earliest[part], part))
        self.best = earliest
        # Nothing that is only as narrow replaces the longest paths.
        self._key = (widest(widths, earliest), -1)
        self._levels = [0] * parts
        self._used = [0] * (self._depth + 1)
        self._steps = 0
        if self._key[0] > max(*widths, -(-sum(widths) // self._depth)):
            # A fair layout at once, for a network that is too large for all of them.
            self._try(0, 0, greedy=True)
            self._try(0, 0)

    def _try(self, at: int, passed: int, *, greedy: bool = False) -> None:
        """Place the part number ``at`` of the order wherever it may be, and all after it.

        ``greedy`` tries the narrowest level alone.
        """
        if at == len(self._order):
            self._key, self.best = (max(self._used), passed), tuple(self._levels)
            return
        part = self._order[at]
        above = [0 if up == SOURCE else self._levels[up] for up in self._feeding[part]]
        choices = range(1 + max(above, default=0), self._latest[part] + 1)
        for level in [min(choices, key=self._used.__getitem__)] if greedy else choices:
            self._steps += 1
            if self._steps > MOST_STEPS:
                return
            through = passed + sum(level - 1 - each for each in above)
            self._used[level] += self._widths[part]
            if (max(self._used), through) < self._key:
                self._levels[part] = level
                self._try(at + 1, through, greedy=greedy)
            self._used[level] -= self._widths[part]
