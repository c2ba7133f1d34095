"""What calls for a round: a loss, an arrival, the end of a period, or a batch that cannot wait."""

import logging

from albic.control.by_hand import ByHand
from albic.control.ports import News, Parts
from albic.control.rounds import ARRIVAL, EARLY, IMBALANCE, LOSS, OVERLOAD, PERIOD, STIR, Rounds
from albic.control.silence import Silence

log = logging.getLogger(__name__)


class Triggers:
    """Hears of every look at the job, and says when it is time to plan.

    ``woken`` is what ended a silence or was asked for, until somebody has written it down.
    """

    def __init__(self, parts: Parts, rounds: Rounds, hand: ByHand, silence: Silence) -> None:
        self._parts = parts
        self._rounds = rounds
        self._hand = hand
        self._silence = silence
        self._began_s = parts.clock.now_s()
        self._batches = 0
        self.woken: str | None = None

    def ran(self, trigger: str) -> None:
        """Note that a round is over; early ones leave the period as it is."""
        if trigger not in EARLY:
            self._new_period()

    def of(self, news: News, *, compiling: bool) -> str | None:
        """Return what calls for a round now, if anything does.

        Nothing is too urgent to wait for a planner that is still being compiled.
        """
        self._batches += news.batches
        woken = self._silence.broken_by(news)
        if lost := self._rounds.membership.unexpected(news.lost):
            log.warning("lost %s; placing its state anew", ", ".join(lost))
            return LOSS
        expected = self._rounds.expected
        if news.joined and expected:
            self._rounds.expected = max(expected - len(news.joined), 0)
        held = self._hand.holds
        if news.joined and expected and not held:
            return ARRIVAL
        if woken is not None and not held:
            self.woken = f"no longer silent: {woken}"
            return STIR
        if self._hand.stirred and news.batches and not held:
            self.woken, self._hand.stirred = f"asked for: {self._hand.stirred}", None
            return STIR
        if self._is_due(news):
            if not (held or self._silence.kept):
                return PERIOD
            # Measurements of a silent period would pile up, and the newest are the ones to keep.
            self._parts.statistics.new_period()
            self._new_period()
        return None if held or compiling else self._early(news)

    def _new_period(self) -> None:
        self._began_s, self._batches = self._parts.clock.now_s(), 0

    def _is_due(self, news: News) -> bool:
        """Return whether the period is over."""
        passed_s = self._parts.clock.now_s() - self._began_s
        # Right after a batch the measurements are whole, and all of the next one is to be won.
        pace = self._rounds.settings.pace
        between = news.batches > 0 or pace.due(passed_s / 2, self._batches)
        return between and pace.due(passed_s, self._batches)

    def _early(self, news: News) -> str | None:
        """Return what cannot wait for the period, or for the end of a silence."""
        # Both are to hear of every batch, whatever the other one says.
        urgency = self._rounds.urgency
        uneven = news.avoidable is not None and urgency.calls(news.avoidable)
        late = news.pace is not None and urgency.hurries(news.pace)
        return OVERLOAD if late else IMBALANCE if uneven else None
