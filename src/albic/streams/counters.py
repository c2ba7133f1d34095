"""What key groups did in a batch, as their workers counted it."""

import json
import threading
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass

from albic.model import InvalidInput

#: Batches that are kept for those who ask late.
KEPT_BATCHES = 1_000


@dataclass(frozen=True, slots=True)
class GroupCounters:
    """One key group in one batch.

    ``python_s`` is the CPU time of its Python worker, unpacking, packing and state included. The
    totals run since the first batch of the checkpoint, over restarts; ``late_rows`` were behind the
    watermark. ``state_bytes`` is the size of the state as it is stored, 0 while there is none; what
    the network notes itself is not in it.
    """

    operator: str
    key_group: int
    rows_in: int
    rows_out: int
    late_rows: int
    state_bytes: int
    python_s: float
    all_in: int
    all_out: int
    all_late: int


@dataclass(frozen=True, slots=True)
class BatchCounters:
    """One batch; key groups that were not called in it are not listed."""

    batch_id: int
    groups: tuple[GroupCounters, ...]


@dataclass(frozen=True, slots=True)
class OperatorTotals:
    """All that an operator did since the first batch of the checkpoint."""

    rows_in: int = 0
    rows_out: int = 0
    late_rows: int = 0


class Counters:
    """Keeps the counters of the last batches; a batch that is repeated counts once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._batches: deque[BatchCounters] = deque(maxlen=KEPT_BATCHES)
        self._last: dict[tuple[str, int], GroupCounters] = {}

    def add(self, batch: BatchCounters) -> None:
        """Take in a batch."""
        with self._lock:
            if self._batches and self._batches[-1].batch_id == batch.batch_id:
                self._batches.pop()
            self._batches.append(batch)
            self._last.update({(each.operator, each.key_group): each for each in batch.groups})

    def batches(self) -> tuple[BatchCounters, ...]:
        """Return the last batches, oldest first."""
        with self._lock:
            return tuple(self._batches)

    def python_s(self, batches: int) -> dict[str, float]:
        """Return the time in Python of each operator, over the last so many batches."""
        with self._lock:
            latest = list(self._batches)[-batches:]
        spent_s: defaultdict[str, float] = defaultdict(float)
        for batch in latest:
            for group in batch.groups:
                spent_s[group.operator] += group.python_s
        return dict(spent_s)

    def totals(self, operator: str) -> OperatorTotals:
        """Return what the key groups of ``operator`` counted so far."""
        with self._lock:
            groups = [each for (name, _), each in self._last.items() if name == operator]
        return OperatorTotals(
            rows_in=sum(each.all_in for each in groups),
            rows_out=sum(each.all_out for each in groups),
            late_rows=sum(each.all_late for each in groups),
        )


def read_counters(
    batch_id: int, operators: tuple[str, ...], rows: Iterable[tuple[int, int, int, int, bytes]]
) -> BatchCounters:
    """Return a batch out of (operator, key group, partition, Spark's partition, payload).

    Spark's partition is -1 where a row was not made in the last stage. If the two differ, the
    checkpoint has another number of partitions, and key groups would not find their state.
    """
    found = []
    for operator, key_group, partition, sparks, payload in rows:
        if sparks not in (-1, partition):
            raise InvalidInput(
                f"operator {operators[operator]!r}, key group {key_group} ran in partition "
                f"{sparks} instead of {partition}: the checkpoint was written with another number "
                f"of partitions; start with a new one"
            )
        found.append(GroupCounters(operators[operator], key_group, **json.loads(bytes(payload))))
    return BatchCounters(batch_id, tuple(sorted(found, key=lambda g: (g.operator, g.key_group))))
