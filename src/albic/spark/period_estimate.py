"""What observations come to: a snapshot of the period, and how the last batch differs from it."""

from albic.control.change_detection import moved_share
from albic.control.estimator import estimate
from albic.control.samples import Observation
from albic.control.speeds import Learning
from albic.control.urgency import avoidable_share
from albic.model import NotReady, Snapshot, metrics


class Gauge:
    """Remembers how fast nodes are, and the last snapshot that a plan was made for."""

    def __init__(self) -> None:
        self._learning = Learning()
        self._planned: Snapshot | None = None

    def period(self, seen: Observation) -> Snapshot:
        """Return the snapshot of a period, or raise NotReady while something is missing."""
        self._learning.learn(seen)
        self._planned = estimate(self._learning.applied(seen))
        return self._planned

    def newest(self, seen: Observation) -> tuple[float | None, float | None]:
        """Return what the last batches could have saved, and the part of their work that moved.

        Moved is what lies on other key groups than in the last snapshot. Both are None while they
        are not known.
        """
        try:
            now = estimate(self._learning.applied(seen))
        except NotReady:
            return None, None
        before = self._planned
        if before is None or before.topology != now.topology:
            return avoidable_share(now), None
        both = (dict(enumerate(metrics.group_loads(each).tolist())) for each in (now, before))
        return avoidable_share(now), moved_share(*both)
