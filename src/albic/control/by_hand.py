"""What a person does to a controller at work: hold it, ask it, answer it, set it anew.

All of it runs in the loop's thread, between two looks, and leaves a line in the journal that says
what was asked and by whom.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from albic.control import adaptation, round_record
from albic.control.exclusions import expect_drainable, strangers
from albic.control.journal import RoundRecord, Status
from albic.control.planner_choice import named, planner_name, replaceable
from albic.control.ports import News, Parts, Planner
from albic.control.proposals import Leave, Proposal
from albic.control.rounds import HAND, LOSS, Rounds
from albic.control.settings import Pace, Settings
from albic.control.status import ControllerStatus
from albic.model import InvalidInput, NotReady, Snapshot

#: The most letters that the name of somebody who asks may have.
LONGEST_NAME = 60
PAUSED, STILL_PAUSED = "paused: nothing is planned until resumed", "paused, as it was already"
Write = Callable[[RoundRecord], RoundRecord]


class ByHand:
    """Keeps whether the loop is paused, and answers proposals.

    ``last_batch_s`` is when the end of a batch was noticed last. ``stirred`` is what was asked for
    and takes a round that does not wait for the period.
    """

    def __init__(self, parts: Parts, rounds: Rounds, write: Write) -> None:
        self.paused = False
        self.last_batch_s: float | None = None
        self.stirred: str | None = None
        self._no_until_s = -math.inf
        self._parts = parts
        self._rounds = rounds
        self._write = write

    @property
    def proposal(self) -> Proposal | None:
        """Return the plan that waits for an answer, if one does."""
        return self._rounds.waiting

    @property
    def seen(self) -> Snapshot | None:
        """Return the newest measurement."""
        return self._rounds.seen

    @property
    def holds(self) -> bool:
        """Return whether no rounds are run for now: paused, or a plan waits for its answer.

        A second plan while one waits would take it away from whoever is about to answer, and the
        same plan again after a no would be the same question every period.
        """
        waiting = self._rounds.waiting is not None
        return self.paused or waiting or self._parts.clock.now_s() < self._no_until_s

    def leave(self, trigger: str) -> Leave:
        """Return what a round may do that nobody asked for by hand."""
        approve = self._rounds.settings.approve
        if trigger == LOSS and (self.paused or approve):
            return Leave.RESCUE
        return Leave.ASK if approve else Leave.ACT

    def pause(self, by: str) -> RoundRecord:
        """Run no more rounds until :meth:`resume`, but for rescues."""
        told = STILL_PAUSED if self.paused else PAUSED
        self.paused = True
        return self._write(replace(self._blank(Status.TOLD, told, by), paused=True))

    def resume(self, by: str) -> RoundRecord:
        """Run rounds again."""
        told = "resumed" if self.paused else "was not paused"
        self.paused = False
        self._no_until_s = -math.inf
        return self._write(replace(self._blank(Status.TOLD, told, by), paused=False))

    def stop_moves(self, by: str) -> RoundRecord:
        """Drop the moves that are still to come, and run no more rounds until resumed."""
        dropped = self._parts.placement.drop()
        moves = "1 move" if dropped == 1 else f"{dropped} moves"
        told = f"stopped: {moves} still to come will not be made; {PAUSED}"
        self.paused = True
        return self._write(replace(self._blank(Status.TOLD, told, by), paused=True))

    def drain(self, node_id: str, by: str) -> RoundRecord:
        """Empty a node, a period's moves at a time, and keep it empty until :meth:`release`."""
        if self.seen is None:
            raise NotReady("nothing was measured yet, so nobody knows the executors; ask again")
        membership = self._rounds.membership
        expect_drainable(self.seen, node_id, membership.aside)
        membership.set_aside(node_id)
        self._overtake(by)
        told = f"executor {node_id} is to be emptied, and stays empty until it is released"
        return self._stir(told, by)

    def release(self, node_id: str, by: str) -> RoundRecord:
        """Let a node that was drained have key groups again."""
        membership = self._rounds.membership
        if node_id not in membership.aside:
            named = ", ".join(membership.aside) or "none"
            raise InvalidInput(f"executor {node_id!r} is not drained; {named} is")
        membership.take_back(node_id)
        self._overtake(by)
        return self._stir(f"executor {node_id} may have key groups again", by)

    def accept(self, asked: str | None, by: str) -> RoundRecord:
        """Carry out the plan that waits."""
        proposal = self._waiting(asked)
        if self._rounds.settings.dry_run:
            raise InvalidInput("this is a dry run, which moves nothing; attach without dry_run")
        if (broken := self._rounds.acting.stopped) is not None:
            raise InvalidInput(f"albic moves nothing any more, for a rule is broken: {broken}")
        status, reason = self._rounds.carry_out(proposal)
        blank = self._blank(status, reason, by, proposal.id)
        # The snapshot stands in the record of the round that made the plan.
        lean = replace(self._rounds.settings, record_snapshots=False)
        record = round_record.planned(blank, proposal.request, proposal.plan, lean)
        decision = proposal.decision
        if status is Status.APPLIED:
            record = replace(record, added=decision.add, drained=len(decision.drain))
        record = round_record.stopped(record, self._rounds.acting.stopped)
        return self._write(replace(record, scaling=decision.reason))

    def reject(self, asked: str | None, by: str) -> RoundRecord:
        """Drop the plan that waits; where plans need approval, ask for none for a while."""
        proposal = self._waiting(asked)
        self._rounds.waiting = None
        if self._rounds.settings.approve:
            self._no_until_s = self._parts.clock.now_s() + self._rounds.settings.approve_within_s
        return self._tell(Status.REJECTED, "the plan was not wanted", by, proposal.id)

    def look_after(self, news: News) -> None:
        """Drop a plan that waited too long, or that nodes have overtaken."""
        proposal = self._rounds.waiting
        if proposal is None:
            return
        if news.joined or self._rounds.membership.unexpected(news.lost):
            why = "nodes came or went since the plan was made"
        elif self._parts.clock.now_s() >= proposal.lapses_s:
            why = f"nobody answered within {proposal.lapses_s - proposal.made_s:g} s"
        else:
            return
        self._rounds.waiting = None
        self._tell(Status.LAPSED, why, None, proposal.id)

    def replaced(self, by: str | None, why: str = "a newer plan was asked for") -> None:
        """Drop the plan that waits, for a newer one is about to be made."""
        if (proposal := self._rounds.waiting) is not None:
            self._rounds.waiting = None
            self._tell(Status.LAPSED, why, by, proposal.id)

    def _overtake(self, by: str) -> None:
        """Drop what was planned and is not done yet: it does not know what was asked for now."""
        self._parts.placement.drop()
        self.replaced(by, "what plans may do has changed since it was made")

    def change(
        self, settings: Settings, chosen: tuple[str, Planner] | None, by: str
    ) -> RoundRecord:
        """Go on with other settings, and with another planner if one was ``chosen``."""
        before = self._rounds.settings
        told = before.changes(settings)
        if chosen is not None:
            told.append(f"planner {planner_name(self._parts.planner)} → {chosen[0]}")
            replaceable(self._parts.planner).use(*chosen)
        self._rounds.change(settings)
        if not told:
            return self._tell(Status.TOLD, "settings stay as they are", by)
        if before.excluded != settings.excluded:
            self._overtake(by)
        return self._stir("; ".join(told), by)

    def settings_with(self, period: str | float | Pace | None, **asked: Any) -> Settings:  # noqa: ANN401  fields of Settings
        """Return the settings with what was asked for; None leaves a thing as it is."""
        settings = self._rounds.settings
        given = {name: value for name, value in asked.items() if value is not None}
        pace = settings.pace if period is None else Pace.of(period)
        changed = replace(settings, pace=pace, **given)
        unknown = self.seen and strangers(self.seen, given.get("exclude_operators", ()))
        if unknown:
            raise InvalidInput(unknown)
        return changed

    def rehearsed(self, asked: str | Planner) -> tuple[str, Planner]:
        """Return the planner that ``asked`` names, and its name, with all that it needs loaded."""
        found = replaceable(self._parts.planner).found(asked)
        found.plan(adaptation.rehearsal(self._rounds.settings))
        return asked if isinstance(asked, str) else named(asked), found

    def status(self, *, running: bool, worked_s: float) -> ControllerStatus:
        """Return where the controller stands."""
        settings, proposal = self._rounds.settings, self._rounds.waiting
        return ControllerStatus(
            running=running,
            paused=self.paused,
            approve=settings.approve,
            dry_run=settings.dry_run,
            stopped=self._rounds.acting.stopped,
            period=str(settings.pace),
            max_migrations=settings.max_migrations,
            planner=planner_name(self._parts.planner),
            objective=settings.objective.value,
            worked_s=worked_s,
            last_batch_s=self.last_batch_s,
            proposal=None if proposal is None else proposal.id,
            proposal_moves=0 if proposal is None else len(proposal.plan.moves),
            lapses_s=None if proposal is None else proposal.lapses_s,
            exclude_operators=settings.exclude_operators,
            exclude_executors=settings.exclude_executors,
            drained=self._rounds.membership.aside,
        )

    def _waiting(self, asked: str | None) -> Proposal:
        """Return the plan that waits, if it is the one that was asked for."""
        proposal = self._rounds.waiting
        if proposal is None:
            raise InvalidInput("no plan waits for an answer; ask for one with propose()")
        if asked is not None and asked != proposal.id:
            raise InvalidInput(
                f"proposal {asked!r} does not wait any more; {proposal.id!r} does, look at it first"
            )
        return proposal

    def _stir(self, told: str, by: str) -> RoundRecord:
        """Write down what was asked for, and have a round soon, whatever the period says."""
        self.stirred = told
        return self._tell(Status.TOLD, told, by)

    def _blank(
        self, status: Status, reason: str, by: str | None, proposal: str | None = None
    ) -> RoundRecord:
        """Return a record of something that happened now."""
        at_s = self._parts.clock.now_s()
        return RoundRecord(0, at_s, HAND, status, reason, by=by, proposal=proposal)

    def _tell(
        self, status: Status, reason: str, by: str | None, proposal: str | None = None
    ) -> RoundRecord:
        return self._write(self._blank(status, reason, by, proposal))


def named_by(by: str) -> str:
    """Return the name of somebody who asks, fit to be written down."""
    plain = "".join(letter if letter.isprintable() else " " for letter in by).strip()
    return plain[:LONGEST_NAME] or "somebody"
