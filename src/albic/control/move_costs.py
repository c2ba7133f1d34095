"""What moves cost: measured one by one, and the cost of the next ones fitted to that.

Paper: mc_k = α·|σ_k|, with α "chosen such that mc_k is the time to serialize the state". Here the
time is how late the key group was in the batch in which its new owner loaded it.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

#: The fewest moves that a cost is fitted to, and the most that are remembered.
ENOUGH, MOST = 5, 64
#: What batches pay of the time in which a node loads a copy beside them: it has less of its
#: processor and of its link for them. With 14 loads at a time on nodes that work all the while,
#: batches were late by six tenths of what the loads on one node took.
BESIDE = 0.6
#: Sizes that differ by less than this, as a factor, do not tell what a byte costs.
LEAST_SPREAD = 2.0


@dataclass(frozen=True, slots=True)
class MeasuredMove:
    """One migration as it went.

    ``loaded_bytes`` is what the new owner had to load: the newest snapshot of the state and the
    changes after it. ``late_s`` is how much longer the key group took in that batch than its own
    median; below zero if it was faster. Where the new owner loaded it beside the batches before,
    that took ``prepared_s``.
    """

    operator: str
    partition: int
    source: str
    target: str
    loaded_bytes: int
    late_s: float
    prepared_s: float | None = None

    @property
    def paid_s(self) -> float:
        """Return what batches paid for it, as far as that is known."""
        return self.late_s + BESIDE * (self.prepared_s or 0.0)


@dataclass(frozen=True, slots=True)
class MoveCost:
    """What a move costs in seconds of lateness; ``moves`` is how many that was fitted to."""

    per_byte_s: float
    per_move_s: float = 0.0
    moves: int = 0


#: Before anything has moved: 100 MB/s from the checkpoint, about what one disk or one stream from
#: an object store gives.
ASSUMED = MoveCost(per_byte_s=1e-8)


def fitted(moves: Sequence[MeasuredMove], assumed: MoveCost = ASSUMED) -> MoveCost:
    """Return the cost that ``moves`` suggest, or ``assumed`` before the first.

    While they are few, the cheapest of them says what a move costs at least: the first ones wake up
    what later ones find awake, and a price that is too high would never be measured again.

    α is the median slope over all pairs of moves whose sizes differ (Theil and Sen), so a few
    moves that waited for something else do not bend it. Where all sizes are alike it stays as
    assumed. What a median move takes beyond that is the cost per move. Neither is below 0.
    """
    # Large state is moved prepared where that works, so that is what the next move will cost.
    moves = [move for move in moves if move.prepared_s is not None] or moves
    if not moves:
        return assumed
    if len(moves) < ENOUGH:
        least_s = min(move.paid_s - assumed.per_byte_s * move.loaded_bytes for move in moves)
        return MoveCost(assumed.per_byte_s, max(least_s, 0.0), len(moves))
    slopes = [
        (a.paid_s - b.paid_s) / (a.loaded_bytes - b.loaded_bytes)
        for a, b in combinations(moves, 2)
        if _differ(a.loaded_bytes, b.loaded_bytes)
    ]
    # As many pairs as there would be if half of the moves were large and half small.
    telling = len(slopes) >= len(moves) ** 2 // 5
    per_byte_s = max(statistics.median(slopes), 0.0) if telling else assumed.per_byte_s
    beyond_s = statistics.median(move.paid_s - per_byte_s * move.loaded_bytes for move in moves)
    return MoveCost(per_byte_s, max(beyond_s, 0.0), len(moves))


def late_s(busy_s: float, usually_s: Sequence[float]) -> float | None:
    """Return how late a key group was; None if nobody knows what it usually takes."""
    return busy_s - statistics.median(usually_s) if usually_s else None


def _differ(one: int, other: int) -> bool:
    """Return whether two sizes are far enough apart."""
    return max(one, other) >= LEAST_SPREAD * max(min(one, other), 1)
