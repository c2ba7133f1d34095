"""The loop: observe, decide, check, act, record.

It runs in a thread of its own beside a job that does not need it. So whatever goes wrong here is
told and written down, and ends here.
"""

import logging
import threading
from collections import deque
from dataclasses import dataclass, replace
from types import TracebackType

from albic.control import adaptation, moving, recording
from albic.control.complaints import Complaints
from albic.control.journal import RoundRecord, Status
from albic.control.membership import Membership
from albic.control.ports import (
    Clock,
    Elasticity,
    Journal,
    News,
    Placement,
    Planner,
    ScalingPolicy,
    StatisticsSource,
)
from albic.control.settings import Settings
from albic.control.urgency import Urgency
from albic.model import NotReady, Plan, PlanRejected, PlanRequest, ScalingDecision, Snapshot

log = logging.getLogger(__name__)
moves_log = logging.getLogger(f"{__name__}.moves")

#: How often we look for ended batches and lost nodes. A look takes a few milliseconds.
LOOK_EVERY_S = 0.1
#: Looks that may fail in a row, with a longer pause each time, before we leave the job alone.
MOST_FAILURES = 8
PERIOD, LOSS, ARRIVAL, IMBALANCE = "period", "loss", "arrival", "imbalance"


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything that the loop is put together from."""

    statistics: StatisticsSource
    placement: Placement
    elasticity: Elasticity
    planner: Planner
    scaling: ScalingPolicy
    clock: Clock
    journal: Journal


class Controller:
    """Steers a running job until it ends or :meth:`stop` is called."""

    def __init__(self, parts: Parts, settings: Settings) -> None:
        self._parts = parts
        self._settings = settings
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="albic", daemon=True)
        self._rehearsal = threading.Thread(
            target=self._rehearse, name="albic-rehearsal", daemon=True
        )
        self._round = 0
        self._began_s = parts.clock.now_s()
        self._batches = 0
        self._complaints = Complaints()
        self._moved: deque[moving.MeasuredMove] = deque(maxlen=moving.MOST)
        self._membership = Membership()
        self._urgency = Urgency(settings)
        self._expected = 0
        self._worked_s = 0.0

    @property
    def journal(self) -> Journal:
        """Return the journal of this controller."""
        return self._parts.journal

    @property
    def running(self) -> bool:
        """Return whether the loop is at work."""
        return self._thread.is_alive()

    @property
    def worked_s(self) -> float:
        """Return how long the loop worked so far, its waits for answers of the job included."""
        return self._worked_s

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self, timeout_s: float = 15.0) -> bool:
        """End the loop and return whether it has ended; the job goes on as it is.

        It returns within ``timeout_s`` whatever happens: the loop cannot hold up the program.
        """
        self._stopping.set()
        self._parts.clock.wake()
        if self._thread.ident is None or self._thread is threading.current_thread():
            return True
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            log.warning("the controller is still busy after %g s and was left behind", timeout_s)
        return not self._thread.is_alive()

    def __enter__(self) -> "Controller":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def look(self) -> None:
        """Look once at the job, and plan if it is time or a node was lost."""
        news = self._parts.statistics.observe()
        if news.over:
            self._stopping.set()
            return
        self._batches += news.batches
        trigger = self._trigger(news)
        if trigger is not None:
            self.run_round(trigger)

    def run_round(self, trigger: str) -> RoundRecord:
        """Run one round of Algorithm 1 and return its record, which is in the journal as well."""
        self._round += 1
        began_s = self._parts.clock.now_s()
        blank = RoundRecord(self._round, began_s, trigger, Status.FAILED, "")
        try:
            record = self._adapt(blank)
        except NotReady as missing:
            record = replace(blank, status=Status.NOT_READY, reason=str(missing))
        except Exception as wrong:  # noqa: BLE001  the job must not notice
            record = recording.failed(blank, self._complaints.tell(wrong, "round"))
        effect = self._parts.placement.effect()
        self._moved.extend(effect.moves)
        now_s = self._parts.clock.now_s()
        record = recording.ended(record, effect, now_s - began_s)
        if trigger != IMBALANCE:
            self._began_s, self._batches = now_s, 0
        log.info("round %d (%s): %s: %s", record.number, trigger, record.status, record.reason)
        self._parts.journal.add(record)
        return record

    def _trigger(self, news: News) -> str | None:
        """Return what calls for a round now, if anything does."""
        if lost := self._membership.unexpected(news.lost):
            log.warning("lost %s; placing its state anew", ", ".join(lost))
            return LOSS
        if news.joined and self._expected:
            self._expected = max(self._expected - len(news.joined), 0)
            return ARRIVAL
        passed_s = self._parts.clock.now_s() - self._began_s
        # Right after a batch the measurements are whole, and all of the next one is to be won.
        between = news.batches > 0 or self._settings.pace.due(passed_s / 2, self._batches)
        if between and self._settings.pace.due(passed_s, self._batches):
            return PERIOD
        early = news.avoidable is not None and self._urgency.calls(news.avoidable)
        return IMBALANCE if early and not self._rehearsal.is_alive() else None

    def _adapt(self, blank: RoundRecord) -> RoundRecord:
        """Observe, decide, check, act."""
        parts = self._parts
        if self._rehearsal.is_alive():
            raise NotReady("the planner is being compiled, once after installation")
        early = blank.trigger == IMBALANCE
        if not early:
            self._urgency.new_period()
        fleet = parts.elasticity.fleet()
        snapshot, lost = self._snapshot()
        if gone := parts.elasticity.release(adaptation.emptied(snapshot)):
            self._membership.released(gone)
            snapshot, lost = self._snapshot()
        planned = self._plan(snapshot, lost)
        asked = self._membership.request(
            parts.clock.now_s(), planned, parts.statistics.throughput(), fleet.coming
        )
        decision = parts.scaling.decide(asked)
        self._membership.remember(asked, decision)
        if decision.changes and not self._settings.dry_run:
            planned = self._resize(decision)
        status, reason = self._act(*planned, early=early)
        if not early:
            parts.statistics.new_period()
        told = "; ".join((decision.reason, *fleet.notes))
        record = recording.planned(blank, *planned, self._settings)
        return replace(record, status=status, reason=reason, scaling=told)

    def _snapshot(self) -> tuple[Snapshot, tuple[str, ...]]:
        """Return the measurements with our marks, and the lost nodes that own something yet."""
        measured = self._parts.statistics.snapshot()
        return self._membership.marked(measured), adaptation.still_owning(measured)

    def _resize(self, decision: ScalingDecision) -> tuple[PlanRequest, Plan]:
        """Carry out a scaling decision and plan again with the nodes that there will be.

        New nodes take their time; a round of its own follows when they are there.
        """
        self._membership.take_on(decision)
        if decision.add:
            self._parts.elasticity.grow(decision.add)
            self._expected += decision.add
        return self._plan(*self._snapshot())

    def _plan(self, snapshot: Snapshot, lost: tuple[str, ...]) -> tuple[PlanRequest, Plan]:
        """Return the request and a plan that the judge lets pass."""
        cost = moving.fitted(tuple(self._moved))
        allowed = replace(self._settings, max_migrations=self._urgency.moves_left)
        request = adaptation.request_for(snapshot, allowed, lost, cost)
        answer = self._parts.planner.plan(request)
        plan = adaptation.worthwhile(answer, request, self._settings.least_gain)
        adaptation.expect_sound(plan, request)
        return request, plan

    def _act(self, request: PlanRequest, plan: Plan, *, early: bool) -> tuple[Status, str]:
        """Carry out a plan that is worth it; return what was done and why."""
        least = self._settings.urgent_gain if early else self._settings.least_gain
        why_not = adaptation.objection(plan, request, least)
        if not (why_not or self._settings.dry_run):
            why_not = self._apply(request, plan)
        self._urgency.answered(0 if why_not else len(plan.moves))
        if why_not:
            return Status.HELD, why_not
        if self._settings.dry_run:
            return Status.PROPOSED, plan.reason
        for move in plan.moves:
            moves_log.debug("key group %d: %d -> %d", move.key_group, move.source, move.target)
        return Status.APPLIED, plan.reason

    def _apply(self, request: PlanRequest, plan: Plan) -> str | None:
        """Move key groups; return why that was too late, if it was.

        Nodes that come or go while a plan is made are no error: the next look tells of them.
        """
        try:
            self._parts.placement.apply(plan, request.snapshot)
        except PlanRejected as stale:
            return str(stale)
        return None

    def _run(self) -> None:
        """Look again and again; never let anything out."""
        try:
            self._rehearsal.start()
            failures = 0
            while not self._stopping.is_set():
                failures = 0 if self._guarded_look() else failures + 1
                if failures == MOST_FAILURES:
                    log.error("albic gives up after %d failures; the job goes on", failures)
                    break
                pause_s = LOOK_EVERY_S * 2**failures
                self._parts.clock.sleep_until(self._parts.clock.now_s() + pause_s)
        finally:
            self._close()

    def _rehearse(self) -> None:
        """Let the planner load what it needs, while the loop already follows the job."""
        try:
            self._parts.planner.plan(adaptation.rehearsal(self._settings))
        except Exception as wrong:  # noqa: BLE001  as above
            self._complaints.tell(wrong, "rehearsal")

    def _guarded_look(self) -> bool:
        """Look once and return whether nothing went wrong."""
        began_s = self._parts.clock.now_s()
        try:
            self.look()
        except Exception as wrong:  # noqa: BLE001  as above
            self._complaints.tell(wrong, "look")
            return False
        finally:
            self._worked_s += self._parts.clock.now_s() - began_s
        return True

    def _close(self) -> None:
        """Leave the job as it would be without us."""
        try:
            self._parts.placement.close()
        except Exception as wrong:  # noqa: BLE001  as above
            self._complaints.tell(wrong, "closing")
