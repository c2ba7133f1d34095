"""The loop: observe, decide, check, act, record.

It runs in a thread of its own beside a job that does not need it. So whatever goes wrong here is
told and written down, and ends here.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import TracebackType

from albic.advice import Finding
from albic.control import adaptation, round_record
from albic.control.advice_evidence import advice
from albic.control.by_hand import ByHand
from albic.control.controls import Controls
from albic.control.error_log import Complaints
from albic.control.journal import RoundRecord, Status
from albic.control.polling import pause_s
from albic.control.ports import Journal, Parts
from albic.control.proposals import Leave
from albic.control.rounds import CHECK, HAND, STOPPED, Rounds
from albic.control.settings import Settings
from albic.control.silence import Silence
from albic.control.triggers import Triggers
from albic.model import NotReady

log = logging.getLogger(__name__)

#: What the newest look weighs in what a look takes.
NEWEST_LOOK = 0.1
#: Looks that may fail in a row, with a longer pause each time, before we leave the job alone.
MOST_FAILURES = 8


class Controller(Controls):
    """Steers a running job until it ends or :meth:`stop` is called."""

    def __init__(self, parts: Parts, settings: Settings) -> None:
        self._rounds = Rounds(parts, settings)
        super().__init__(ByHand(parts, self._rounds, self._written))
        self._parts = parts
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="albic", daemon=True)
        self._rehearsal = threading.Thread(
            target=self._rehearse, name="albic-rehearsal", daemon=True
        )
        self._round = 0
        self._complaints = Complaints()
        self._closings: list[Callable[[], None]] = []
        self._silence = Silence(settings)
        self._triggers = Triggers(parts, self._rounds, self._hand, self._silence)
        self._quiet_s = 0.0
        self._look_s = 0.0
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

    def advice(self) -> tuple[Finding, ...]:
        """Return what placement cannot fix, by the rounds so far."""
        return advice(self.journal.records())

    def start(self) -> None:
        """Begin; returns at once."""
        self._thread.start()

    def stop(self, timeout_s: float = 15.0) -> bool:
        """End the loop and return whether it has ended; the job goes on as it is.

        It returns within ``timeout_s`` whatever happens: the loop cannot hold up the program.
        """
        self._stopping.set()
        self._parts.clock.wake()
        while self._closings:
            self._closings.pop()()
        if self._is_ours():
            return True
        self._thread.join(timeout_s)
        if self._thread.is_alive():
            log.warning("the controller is still busy after %g s and was left behind", timeout_s)
        return not self._thread.is_alive()

    def leave(self) -> None:
        """Leave alone a job that was not steered yet."""
        self._close()

    def take_along(self, closing: Callable[[], None]) -> None:
        """Call ``closing`` when the controller is stopped."""
        self._closings.append(closing)

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
        began_s = self._parts.clock.now_s()
        self._orders.carry_out()
        news = self._parts.statistics.observe()
        if news.over:
            self._stopping.set()
            return
        self._quiet_s = news.quiet_s
        if news.batches:
            self._hand.last_batch_s = self._parts.clock.now_s()
            self._rounds.see_off()
            self._expect_rules()
        else:
            took_s = self._parts.clock.now_s() - began_s
            self._look_s += (took_s - self._look_s) * NEWEST_LOOK
        self._hand.look_after(news)
        trigger = self._triggers.of(news, compiling=self._rehearsal.is_alive())
        if trigger is not None:
            self.run_round(trigger)

    def run_round(
        self, trigger: str, leave: Leave | None = None, by: str | None = None
    ) -> RoundRecord:
        """Run one round of Algorithm 1 and return its record, which is in the journal as well.

        ``leave`` says what it may do without asking; left out, what the settings say.
        """
        self._round += 1
        began_s = self._parts.clock.now_s()
        blank = RoundRecord(self._round, began_s, trigger, Status.FAILED, "", by=by)
        # First, for this plan already reckons with what the moves of the last one cost.
        effect = self._parts.placement.effect()
        self._rounds.learn(effect)
        try:
            record = self._adapted(blank, leave or self._hand.leave(trigger))
        except NotReady as missing:
            record = replace(blank, status=Status.NOT_READY, reason=str(missing))
        except Exception as wrong:  # noqa: BLE001  the job must not notice
            record = round_record.failed(blank, self._complaints.tell(wrong, "round"))
        record = round_record.ended(record, effect, self._parts.clock.now_s() - began_s)
        self._triggers.ran(trigger)
        log.info("round %d (%s): %s: %s", record.number, trigger, record.status, record.reason)
        record = replace(record, note=self._noted(record, effect.notes))
        self._parts.journal.add(record)
        return record

    def _is_ours(self) -> bool:
        """Return whether the caller is the loop itself, or there is none to wait for."""
        return self._thread.ident is None or self._thread is threading.current_thread()

    def _propose(self, by: str, *, act: bool) -> RoundRecord:
        """Run a round that somebody asked for."""
        self._hand.replaced(by)
        return self.run_round(HAND, Leave.ACT if act else Leave.ASK, by)

    def _written(self, record: RoundRecord) -> RoundRecord:
        """Write down what was no round, under the next number."""
        self._round += 1
        record = replace(record, number=self._round)
        trigger = record.trigger
        log.info("round %d (%s): %s: %s", record.number, trigger, record.status, record.reason)
        self._parts.journal.add(record)
        return record

    def _expect_rules(self) -> None:
        """Ask after batches whether all is as it must be; write down if not, which happens once."""
        if self._rounds.acts and self._rounds.acting.broken_meanwhile():
            self._tell(STOPPED, self._rounds.acting.stopped)

    def _noted(self, record: RoundRecord, told: Sequence[str]) -> str | None:
        """Return what people should know beside what a round did, and log it."""
        woken, self._triggers.woken = self._triggers.woken, None
        silent = self._silence.after(record, settled=self._rounds.settled)
        notes = [
            note
            for note in (*told, woken, self._rounds.unknown(), self._rounds.advice(), silent)
            if note
        ]
        for note in notes:
            log.info("round %d: %s", record.number, note)
        return "; ".join(notes) or None

    def _adapted(self, blank: RoundRecord, leave: Leave) -> RoundRecord:
        """Run a round, or say why it is too early for one."""
        if self._rehearsal.is_alive():
            raise NotReady("the planner is being compiled, once after installation")
        return self._rounds.adapt(blank, leave)

    def _run(self) -> None:
        """Look again and again; never let anything out."""
        try:
            self._rehearsal.start()
            failures = 0
            while not self._stopping.is_set():
                failures = 0 if self._guarded_look() else failures + 1
                if failures == MOST_FAILURES:
                    log.error("albic gives up after %d failures; the job goes on", failures)
                    self._tell(f"albic gives up after {failures} failures; the job goes on", None)
                    break
                wait_s = pause_s(self._quiet_s, self._look_s) * 2**failures
                self._parts.clock.sleep_until(self._parts.clock.now_s() + wait_s)
        except BaseException as wrong:
            self._fail(wrong, "loop", "the controller ended; the job goes on as plain Spark")
            raise
        finally:
            self._close()

    def _rehearse(self) -> None:
        """Let the planner load what it needs, while the loop already follows the job."""
        try:
            self._parts.planner.plan(adaptation.rehearsal(self._rounds.settings))
        except Exception as wrong:  # noqa: BLE001  as above
            self._complaints.tell(wrong, "rehearsal")

    def _guarded_look(self) -> bool:
        """Look once and return whether nothing went wrong."""
        began_s = self._parts.clock.now_s()
        try:
            self.look()
        except Exception as wrong:  # noqa: BLE001  as above
            self._fail(wrong, "look", "the job goes on")
            return False
        finally:
            self._worked_s += self._parts.clock.now_s() - began_s
        return True

    def _fail(self, wrong: BaseException, doing: str, reason: str) -> None:
        """Tell of an error; the first time, the journal does so as well."""
        known = self._complaints.knows(wrong)
        said = self._complaints.tell(wrong, doing)
        if not known:
            self._tell(reason, said)

    def _tell(self, reason: str, error: str | None) -> None:
        """Write down what was no round; where the journal is what fails, the log has to do."""
        now_s = self._parts.clock.now_s()
        try:
            self._written(RoundRecord(0, now_s, CHECK, Status.FAILED, reason, error=error))
        except Exception as wrong:  # noqa: BLE001  as above
            self._complaints.tell(wrong, "journal")

    def _close(self) -> None:
        """Leave the job as it would be without us."""
        self._orders.close()
        try:
            self._parts.placement.close()
        except Exception as wrong:  # noqa: BLE001  as above
            self._complaints.tell(wrong, "closing")
