"""When there is nothing to say: rounds that find nothing to win stop until something changes.

A round costs the same whatever comes of it. Where two in a row found nothing to win and the job
goes on as it is, the third would find the same. So no more rounds are run until a batch tells of a
change. Nodes that are lost and batches that suddenly waste much call for a round as ever.
"""

from collections import deque
from statistics import median

from albic.control.change_detection import MOST_MOVED
from albic.control.journal import RoundRecord, Status
from albic.control.ports import News
from albic.control.settings import Settings

#: Rounds in a row without anything to win before the loop falls silent.
ENOUGH = 2
#: Batches whose times say what is usual.
RECENT = 5
#: How many times as far off one batch has to be as two in a row, to be believed alone.
ALONE = 2.0
#: What the note of a round says with which the loop falls silent.
NO_MORE = "so no more are run until"


class Silence:
    """Says when rounds stop, and what ends that.

    It takes a world that tells how long batches take: without that nobody would notice a change.
    """

    def __init__(self, settings: Settings) -> None:
        self._most_off = settings.urgent_gain
        self._most_waste = settings.least_gain
        self._recent_s: deque[float] = deque(maxlen=RECENT)
        self._futile = 0
        self._avoidable = 0.0
        self._before: tuple[float, float] = 0.0, 0.0
        self._moved_before = 0.0
        self._usual: tuple[float, float] | None = None

    @property
    def kept(self) -> bool:
        """Return whether no rounds are run for now."""
        return self._usual is not None

    def after(self, record: RoundRecord, *, settled: bool) -> str | None:
        """Take in how a round ended; return what to say if the loop falls silent with it.

        ``settled`` says that no node is to come or to go, and that nobody may decide otherwise.
        """
        self._usual = None
        if record.status is not Status.NOT_READY:
            self._futile = self._futile + 1 if record.status is Status.HELD else 0
        if self._futile < ENOUGH or not settled or not self._recent_s:
            return None
        self._usual = median(self._recent_s), self._avoidable
        self._before, self._moved_before = (0.0, 0.0), 0.0
        return (
            f"nothing was to be won in {self._futile} rounds, {NO_MORE} nodes come "
            f"or go, {MOST_MOVED:.0%} of the work lies on other key groups, batches take "
            f"{self._most_off:.0%} more or less than {self._usual[0]:.2f} s, or waste "
            f"{self._most_waste:.0%} more than {self._avoidable:.0%}"
        )

    def broken_by(self, news: News) -> str | None:
        """Take in what happened; return what ends the silence, if there is one and it ends."""
        if news.avoidable is not None:
            self._avoidable = news.avoidable
        told = None if self._usual is None else self._change(news, *self._usual)
        if news.batch_s is not None:
            self._recent_s.append(news.batch_s)
        if told is not None:
            self._usual, self._futile = None, 0
            # What was usual is over.
            self._recent_s = deque([self._recent_s[-1]] if self._recent_s else (), maxlen=RECENT)
        return told

    def _change(self, news: News, usual_s: float, wasted: float) -> str | None:
        """Return what is different from when the loop fell silent."""
        if news.joined:
            return f"{', '.join(news.joined)} joined"
        if news.moved is not None:
            moved, self._moved_before = self._moved_before, news.moved
            # On a busy machine one batch in many looks like another job.
            if max(min(news.moved, moved), news.moved / ALONE) > MOST_MOVED:
                return f"{news.moved:.0%} of the work lies on other key groups"
        off = 0.0 if news.batch_s is None else news.batch_s / usual_s - 1
        waste = 0.0 if news.avoidable is None else news.avoidable - wasted
        off_before, waste_before = self._before
        if news.batch_s is not None:
            self._before = off, waste_before
        if news.avoidable is not None:
            self._before = self._before[0], waste
        # Both batches longer, or both shorter: one of each is an accident.
        if max(min(off, off_before), -max(off, off_before), abs(off) / ALONE) >= self._most_off:
            return f"a batch took {news.batch_s:.2f} s, usual were {usual_s:.2f} s"
        if max(min(waste, waste_before), waste / ALONE) >= self._most_waste:
            return f"{news.avoidable:.0%} of a batch is wasted, it was {wasted:.0%}"
        return None


def is_silent(note: str | None) -> bool:
    """Return whether the loop fell silent with the round of that note."""
    return note is not None and NO_MORE in note
