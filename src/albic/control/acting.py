"""The one place where plans are carried out, for as long as every rule holds."""

import logging
from collections.abc import Sequence

from albic.control.invariants import Ground, Invariants, overtaken
from albic.control.ports import Placement
from albic.model import Plan, PlanRejected, PlanRequest, Violation

log = logging.getLogger(__name__)


class Acting:
    """Carries out plans, and stops for good when a rule is broken.

    ``stopped`` is the rule and how it was broken, None as long as all hold. The job is then left as
    it would be without us, and only measured.
    """

    def __init__(self, placement: Placement) -> None:
        self.stopped: str | None = None
        self._placement = placement
        self._rules = Invariants()

    def new_period(self) -> None:
        """Begin another period, with all of its moves."""
        self._rules.new_period()

    def apply(self, request: PlanRequest, plan: Plan, most_moves: int | None) -> str | None:
        """Move key groups; return why that was too late, if it was.

        Nodes that come or go while a plan is made are no error: the next look tells of them.
        ``most_moves`` is what a period has; with None a person agreed to just this plan.
        """
        ground = self._placement.ground()
        if most_moves is None and (why_not := overtaken(request.snapshot, ground)):
            return why_not
        if self._broken(self._rules.before(plan, request, ground, most_moves)):
            return self.stopped
        try:
            self._placement.apply(plan, request.snapshot)
        except PlanRejected as stale:
            return str(stale)
        self._broken(self._rules.after(plan, request, self._placement.ground()))
        return self.stopped

    def broken_meanwhile(self) -> bool:
        """Return whether the batches since broke a rule that held until then."""
        if self.stopped is not None:
            return False
        ground: Ground = self._placement.ground()
        return self._broken(self._rules.between(ground))

    def _broken(self, found: Sequence[Violation]) -> bool:
        """Stop acting if there is anything wrong, and say so; return whether there was."""
        if not found:
            return False
        self.stopped = "; ".join(str(each) for each in found)
        log.error(
            "albic moves nothing any more and goes on measuring, for a rule is broken: %s; the "
            "job goes on as plain Spark",
            self.stopped,
        )
        self._placement.close()
        return True
