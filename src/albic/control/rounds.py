"""One round of Algorithm 1: observe, decide on nodes and places together, check, act."""

import logging
from collections import deque
from dataclasses import replace

from albic.control import adaptation, move_costs, round_record
from albic.control.acting import Acting
from albic.control.exclusions import strangers
from albic.control.journal import RoundRecord, Status
from albic.control.membership import Membership
from albic.control.payback import dearness, hopeless, too_dear
from albic.control.ports import Effect, Parts
from albic.control.proposals import Leave, Proposal, offered, untaken
from albic.control.settings import Settings
from albic.control.urgency import Urgency
from albic.control.worth import objection, worthwhile
from albic.control.zero_wait import Impatience
from albic.model import (
    NotReady,
    Outcome,
    Plan,
    PlanRequest,
    ScalingDecision,
    SearchReport,
    Snapshot,
    Throughput,
    plan_for,
)

log = logging.getLogger(__name__)

#: How long a planner may think for each key group when a round comes early: the next batch is about
#: to place its tasks.
HASTE_S = 0.001
PERIOD, LOSS, STIR, HAND, CHECK = "period", "loss", "stir", "hand", "check"
ARRIVAL, IMBALANCE, OVERLOAD = "arrival", "imbalance", "overload"
STOPPED = "a rule is broken: nothing is moved any more, and measuring goes on"
#: Who is named as the planner where none was asked.
NOBODY = "none"
#: Rounds before the period is over: they share its moves, and measuring goes on.
EARLY = frozenset({ARRIVAL, IMBALANCE, OVERLOAD})


class Rounds:
    """Runs rounds, and remembers between them what the next one needs.

    ``expected`` counts the nodes that were asked for and have not come yet, ``waiting`` is the
    plan that a person has still to answer, ``seen`` the newest measurement.
    """

    def __init__(self, parts: Parts, settings: Settings) -> None:
        self.membership = Membership()
        self.urgency = Urgency(settings)
        self.expected = 0
        self.waiting: Proposal | None = None
        self.seen: Snapshot | None = None
        self.acting = Acting(parts.placement)
        self._parts = parts
        self._settings = settings
        self._moved: deque[move_costs.MeasuredMove] = deque(maxlen=move_costs.MOST)
        self._impatience = Impatience()
        self._unknown: str | None = None

    @property
    def acts(self) -> bool:
        """Return whether anything is done beside measuring."""
        return self.acting.stopped is None and not self._settings.dry_run

    @property
    def settled(self) -> bool:
        """Return whether no node is to come or to go, and none will be without a reason."""
        fixed = getattr(self._parts.scaling, "fixed", False)
        return fixed and not self.expected and not self.membership.leaving

    def advice(self) -> str | None:
        """Return what the user might do without us, once and only when it was measured."""
        return self._impatience.advice()

    def unknown(self) -> str | None:
        """Return which operators are to be kept out and are none of the job's, once."""
        if self.seen is None or self._unknown is not None:
            return None
        self._unknown = strangers(self.seen, self._settings.exclude_operators) or ""
        return self._unknown or None

    def learn(self, effect: Effect) -> None:
        """Take in what moves cost; the next plan reckons with it."""
        self._moved.extend(effect.moves)

    @property
    def settings(self) -> Settings:
        """Return what rounds are run by."""
        return self._settings

    def change(self, settings: Settings) -> None:
        """Run rounds by other settings from now on."""
        self._settings = settings
        self.urgency.settings = settings
        self._unknown = None
        self._parts.budget_changed(settings.max_migrations)

    def adapt(self, blank: RoundRecord, leave: Leave = Leave.ACT) -> RoundRecord:
        """Observe, decide, check, act as far as there is ``leave`` to."""
        parts = self._parts
        early = blank.trigger in EARLY
        if not early:
            self.urgency.new_period()
            self.acting.new_period()
        fleet = parts.elasticity.fleet()
        snapshot, lost = self._snapshot()
        if self._released(snapshot):
            snapshot, lost = self._snapshot()
        limit_s = self._thinking_s(snapshot.topology.key_groups, early=early)
        kept = parts.statistics.throughput()
        planned = self._plan(snapshot, lost, limit_s, kept, rescue=leave is Leave.RESCUE)
        asked = self.membership.request(parts.clock.now_s(), planned, kept, fleet.coming)
        decision = parts.scaling.decide(asked)
        taken = decision if leave is Leave.ACT else untaken(decision)
        self.membership.remember(asked, taken)
        if taken.changes and self.acts:
            planned = self._resize(taken, kept)
        if leave is Leave.ASK and self.acts:
            offer = offered(blank, asked, decision, self._settings.approve_within_s)
            status, reason, planned = self._ask(offer, early=early)
            blank = replace(blank, proposal=self.waiting.id if self.waiting else None)
        else:
            status, reason = self._act(*planned, kept, early=early)
        if not early:
            parts.statistics.new_period()
        told = "; ".join((decision.reason, *fleet.notes))
        record = round_record.planned(blank, *planned, self._settings)
        record = round_record.kept_up(record, kept, self._impatience.newest(), parts.spark)
        record = round_record.scaled(record, asked, taken)
        record = replace(record, status=status, reason=reason, scaling=told)
        return round_record.stopped(record, self.acting.stopped)

    def _thinking_s(self, key_groups: int, *, early: bool) -> float:
        """Return how long the planner may think."""
        if early:
            return HASTE_S * key_groups
        # One that gathers has more to think about.
        if getattr(self._parts.planner, "gathers", False):
            return self._settings.time_limit_s
        return self._settings.time_per_key_group_s * key_groups

    def see_off(self) -> None:
        """Let nodes go as soon as they are empty: until then they cost, and do nothing."""
        if not (self.membership.leaving and self.acts):
            return
        try:
            self._released(self._snapshot()[0])
        except NotReady:
            return

    def _released(self, snapshot: Snapshot) -> bool:
        """Let nodes go that shall and own nothing any more; return whether there was any."""
        if not self.acts:
            return False
        staying = self.membership.staying(self._settings.exclude_executors)
        gone = self._parts.elasticity.release(adaptation.emptied(snapshot, staying))
        self.membership.released(gone)
        return bool(gone)

    def _snapshot(self) -> tuple[Snapshot, tuple[str, ...]]:
        """Return the measurements with our marks, and the lost nodes that own something yet."""
        measured = self.seen = self._parts.statistics.snapshot()
        marked = self.membership.marked(measured, self._settings.exclude_executors)
        return marked, adaptation.still_owning(measured)

    def _resize(self, decision: ScalingDecision, kept: Throughput) -> tuple[PlanRequest, Plan]:
        """Carry out a scaling decision and plan again with the nodes that there will be.

        New nodes take their time; a round of its own follows when they are there.
        """
        self._take_on(decision)
        return self._plan(*self._snapshot(), self._settings.time_limit_s, kept)

    def _take_on(self, decision: ScalingDecision) -> None:
        """Mark nodes that shall go, and ask for those that shall come."""
        self.membership.take_on(decision)
        if decision.add:
            self._parts.elasticity.grow(decision.add)
            self.expected += decision.add

    def _plan(
        self,
        snapshot: Snapshot,
        lost: tuple[str, ...],
        time_limit_s: float,
        kept: Throughput,
        *,
        rescue: bool = False,
    ) -> tuple[PlanRequest, Plan]:
        """Return the request and a plan that the judge lets pass.

        A ``rescue`` has a budget for what lies on lost nodes and for no more.
        """
        cost = move_costs.fitted(tuple(self._moved))
        allowed = replace(
            self._settings,
            max_migrations=0 if rescue else self.urgency.moves_left,
            time_limit_s=min(time_limit_s, self._settings.time_limit_s),
        )
        late = adaptation.is_late(kept)
        request = adaptation.request_for(snapshot, allowed, lost, cost, late=late)
        # A scaling policy wants to know what a planner would do in any case.
        if self.settled and (why_not := hopeless(request, self._settings.least_gain)):
            report = SearchReport(NOBODY, Outcome.UNCHANGED, why_not)
            return request, plan_for(request, snapshot.allocation, report)
        answer = self._parts.planner.plan(request)
        pace, least = self._settings.pace, self._settings.least_gain
        # What is assumed of moves would keep the first ones from being made, and measured.
        price = dearness(request, kept, pace) if cost.moves else None
        plan = worthwhile(answer, request, least, price)
        if cost.moves and not plan.moves:
            plan = replace(plan, reason=too_dear(answer, request, kept, pace) or plan.reason)
        adaptation.expect_sound(plan, request)
        return request, plan

    def _act(
        self, request: PlanRequest, plan: Plan, kept: Throughput, *, early: bool
    ) -> tuple[Status, str]:
        """Carry out a plan that is worth it; return what was done and why."""
        why_not = self._objection(request, plan, early=early)
        if self.acting.stopped is not None:
            return Status.PROPOSED, f"not carried out, for a rule is broken; {plan.reason}"
        if not (why_not or self._settings.dry_run):
            why_not = self.acting.apply(request, plan, self._settings.max_migrations)
        self.urgency.answered(0 if why_not else len(plan.moves))
        if why_not:
            return self._not_done(why_not)
        if self._settings.dry_run:
            return Status.PROPOSED, plan.reason
        self._impatience.take_in(plan, request, kept, len(self._moved))
        for move in plan.moves:
            log.debug("key group %d: %d -> %d", move.key_group, move.source, move.target)
        return Status.APPLIED, plan.reason

    def _objection(self, request: PlanRequest, plan: Plan, *, early: bool) -> str | None:
        """Return why a plan is not worth its moves, or None if it is."""
        least = self._settings.urgent_gain if early else self._settings.least_gain
        gathers = getattr(self._parts.planner, "gathers", False)
        return objection(plan, request, least, gathers=gathers)

    def _ask(self, offer: Proposal, *, early: bool) -> tuple[Status, str, tuple[PlanRequest, Plan]]:
        """Let a plan wait for a person if it is worth it; return what became of it."""
        request, plan = offer.request, offer.plan
        why_not = self._objection(request, plan, early=early)
        self.urgency.answered(0)
        if why_not is not None:
            if not offer.decision.changes:
                return Status.HELD, why_not, (request, plan)
            # The number of nodes is worth a question, the moves are not.
            report = SearchReport(plan.planner, Outcome.UNCHANGED, why_not)
            plan = plan_for(request, request.snapshot.allocation, report)
        self.waiting = replace(offer, plan=plan)
        return Status.WAITING, plan.reason, (request, plan)

    def carry_out(self, proposal: Proposal) -> tuple[Status, str]:
        """Do what a person agreed to; return what became of it and why."""
        self.waiting = None
        request, plan, decision = proposal.request, proposal.plan, proposal.decision
        why_not = self.acting.apply(request, plan, None)
        self.urgency.answered(0 if why_not else len(plan.moves))
        if why_not:
            return self._not_done(why_not)
        if decision.changes:
            now_s = self._parts.clock.now_s()
            self.membership.remember(replace(proposal.asked, at_s=now_s), decision)
            self._take_on(decision)
        self._impatience.take_in(plan, request, proposal.asked.throughput, len(self._moved))
        return Status.APPLIED, plan.reason

    def _not_done(self, why_not: str) -> tuple[Status, str]:
        """Return what became of a plan that was not carried out, or not as it should be."""
        if self.acting.stopped is None:
            return Status.HELD, why_not
        return Status.FAILED, STOPPED
