"""When not to wait for the period: a job that changed, or nodes that stand idle.

A period is long enough to measure well. A job whose hot keys changed right after a round would be
slow for all of it. So every batch is looked at: how much of its time would go away if the load
were spread evenly? Where that is much, a round is run at once, within the moves that the period
has left.
"""

import numpy as np

from albic.control.settings import Settings
from albic.model import Snapshot, metrics

#: How many times as much as is urgent one batch has to waste to be believed alone. Batches of the
#: same job differ by a few hundredths.
VERY_MUCH = 1.5


def avoidable_share(snapshot: Snapshot) -> float:
    """Return the share of the makespan that no placement could need; 0 says that all is well.

    It is more than any plan can win: a stage lasts at least as long as all of its work on all
    nodes that stay, and at least as long as its largest key group.
    """
    present = metrics.makespan(snapshot, snapshot.allocation)
    if present <= 0:
        return 0.0
    least = np.maximum(metrics.stage_shares(snapshot), metrics.stage_floors(snapshot)).sum()
    return float(max(1 - least / present, 0.0))


class Urgency:
    """Says after each batch whether a round should come early, and counts a period's moves.

    One batch may be slow by accident. So it takes a batch that wastes very much, or two in a row
    that waste much. A round that found nothing to win is not asked for again before the waste has
    grown, or the period is over. Batches that are about to be late call once a period.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._last = 0.0
        self._futile: float | None = None
        self._spent = 0
        self._pace = 0.0
        self._hurried = False

    @property
    def moves_left(self) -> int:
        """Return how many key groups may still move in this period."""
        return max(self.settings.max_migrations - self._spent, 0)

    def calls(self, avoidable: float) -> bool:
        """Take in what a batch could have saved; return whether a round should come now."""
        much, before = self.settings.urgent_gain, self._last
        self._last = avoidable
        if self._futile is not None and avoidable < self._futile + much / 2:
            return False
        at_once = avoidable >= VERY_MUCH * much or min(avoidable, before) >= much
        return self.moves_left > 0 and at_once

    def hurries(self, pace: float) -> bool:
        """Take in the share of its interval that a batch took; return whether that is too much."""
        much, before, self._pace = self.settings.urgent_pace, self._pace, pace
        if much is None or self._hurried or min(before, pace) < much:
            return False
        self._hurried = True
        return True

    def new_period(self) -> None:
        """Begin another period with all of its moves."""
        self._spent, self._futile, self._hurried = 0, None, False

    def answered(self, moves: int) -> None:
        """Take in how many moves a round made; none means that there was nothing to win."""
        self._spent += moves
        self._futile = None if moves else self._last
