"""The recorded rounds once more: what another planner would have made of each.

A round is planned from what was measured then. What the other planner did in the round before does
not show in it, for nobody knows what would have been measured after that.
"""

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace

import numpy as np

from albic.control import adaptation
from albic.control.exclusions import kept_out
from albic.control.journal import RoundRecord, Status, TermsRecord
from albic.control.ports import Planner
from albic.control.settings import Settings
from albic.control.worth import objection
from albic.model import (
    Allocation,
    Budget,
    BudgetUnit,
    InvalidInput,
    Objective,
    Plan,
    PlanRequest,
    Snapshot,
    metrics,
    violations,
)
from albic.model.snapshot_file import snapshot_from


@dataclass(frozen=True, slots=True)
class Changes:
    """What to ask otherwise than recorded; None leaves it as it was."""

    budget: Budget | None = None
    objective: Objective | None = None
    max_load_distance_pct: float | None = None
    time_limit_s: float | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """How good an allocation is; loads in points, ``collocation`` from 0 to 1."""

    makespan: float
    distance: float
    collocation: float

    def of(self, objective: Objective) -> float:
        """Return what ``objective`` makes small."""
        return self.makespan if objective is Objective.MAKESPAN else self.distance


@dataclass(frozen=True, slots=True, eq=False)
class Replay:
    """One round: as measured, after what was recorded, and after what the other planner says.

    ``status`` is what the loop would have done with the other plan, which would be FAILED if the
    judge refuses it. A plan that is not carried out leaves everything as measured.
    """

    record: RoundRecord
    request: PlanRequest
    plan: Plan
    status: Status
    reason: str
    measured: Standing
    recorded: Standing
    replayed: Standing

    @property
    def objective(self) -> Objective:
        """Return what both are compared by."""
        return self.request.objective

    @property
    def recorded_moves(self) -> int:
        """Return how many key groups moved, or would have in a dry run."""
        return len(self.record.moves) if _acted(self.record.status) else 0

    @property
    def replayed_moves(self) -> int:
        """Return how many key groups the other planner would have moved."""
        return len(self.plan.moves) if _acted(self.status) else 0


@dataclass(frozen=True, slots=True)
class Totals:
    """All rounds together: means of the standings, sums of the moves."""

    measured: Standing
    recorded: Standing
    replayed: Standing
    recorded_moves: int
    replayed_moves: int


def totals(replays: Sequence[Replay]) -> Totals:
    """Return all rounds together; there must be one at least."""
    return Totals(
        measured=_mean([each.measured for each in replays]),
        recorded=_mean([each.recorded for each in replays]),
        replayed=_mean([each.replayed for each in replays]),
        recorded_moves=sum(each.recorded_moves for each in replays),
        replayed_moves=sum(each.replayed_moves for each in replays),
    )


def replayable(records: Sequence[RoundRecord], changes: Changes) -> tuple[RoundRecord, ...]:
    """Return the rounds that came to a plan; refuse a journal that has none to compare."""
    found = tuple(record for record in records if record.snapshot is not None)
    if not found:
        raise InvalidInput(
            f"none of its {len(records)} rounds holds a snapshot, so there is nothing to plan again"
        )
    objectives = sorted({str(record.objective) for record in found})
    if changes.objective is None and len(objectives) > 1:
        raise InvalidInput(
            f"its rounds have different objectives, {' and '.join(objectives)}; "
            f"choose one for all with --objective"
        )
    return found


def replay(record: RoundRecord, planner: Planner, changes: Changes) -> Replay:
    """Return what ``planner`` would have made of a recorded round."""
    request = asked_again(record, changes)
    snapshot = request.snapshot
    plan = planner.plan(request)
    gathers = getattr(planner, "gathers", False)
    status, reason = _verdict(plan, request, record.terms, gathers=gathers)
    measured = _standing(snapshot, snapshot.allocation)
    target = plan.target if _acted(status) else snapshot.allocation
    return Replay(
        record=record,
        request=request,
        plan=plan,
        status=status,
        reason=reason,
        measured=measured,
        recorded=_standing(snapshot, _recorded_target(record, snapshot)),
        replayed=_standing(snapshot, target),
    )


def asked_again(record: RoundRecord, changes: Changes) -> PlanRequest:
    """Return the question of a recorded round, with ``changes``."""
    try:
        request = _as_recorded(record, snapshot_from(record.snapshot), changes)
        return replace(
            request,
            **{
                name: value
                for name in ("objective", "max_load_distance_pct", "time_limit_s", "seed")
                if (value := getattr(changes, name)) is not None
            },
        )
    except InvalidInput as wrong:
        raise InvalidInput(f"round {record.number}: {wrong}") from None


def _as_recorded(record: RoundRecord, snapshot: Snapshot, changes: Changes) -> PlanRequest:
    """Return what the planner was asked in a round."""
    terms = record.terms
    if record.objective not in {each.value for each in Objective}:
        raise InvalidInput(f"its objective is {record.objective!r}; it must be one that is known")
    objective = Objective(record.objective)
    if terms is None:
        if changes.budget is None:
            raise InvalidInput("its budget is not recorded; give --max-migrations")
        return PlanRequest(snapshot, changes.budget, objective)
    if terms.budget_unit not in {each.value for each in BudgetUnit}:
        raise InvalidInput(f"its budget counts {terms.budget_unit!r}; known are moves and cost")
    out = kept_out(snapshot, terms.exclude_operators, terms.exclude_executors)
    return PlanRequest(
        snapshot=snapshot,
        budget=changes.budget or Budget(terms.budget, BudgetUnit(terms.budget_unit)),
        objective=objective,
        cost_per_byte=terms.cost_per_byte,
        cost_per_move=terms.cost_per_move,
        limits_pct=adaptation.LIMITS_PCT,
        max_load_distance_pct=terms.max_load_distance_pct,
        drain_weight=terms.drain_weight,
        time_limit_s=terms.time_limit_s,
        seed=terms.seed,
        fixed=out.fixed,
        shut=out.shut,
    )


def _verdict(
    plan: Plan, request: PlanRequest, terms: TermsRecord | None, *, gathers: bool
) -> tuple[Status, str]:
    """Return what the loop does with a plan, and why."""
    if findings := violations(plan, request):
        return Status.FAILED, str(findings[0])
    least_gain = Settings().least_gain if terms is None else terms.least_gain
    if why_not := objection(plan, request, least_gain, gathers=gathers):
        return Status.HELD, why_not
    return Status.APPLIED, plan.reason


def _recorded_target(record: RoundRecord, snapshot: Snapshot) -> Allocation:
    """Return the allocation that the recorded moves lead to."""
    owner = snapshot.allocation.owner.copy()
    if not _acted(record.status):
        return snapshot.allocation
    node = {each.id: position for position, each in enumerate(snapshot.cluster.nodes)}
    operators, offsets = snapshot.topology.operators, snapshot.topology.offsets().tolist()
    spans = {
        operator.name: range(first, first + operator.key_groups)
        for operator, first in zip(operators, offsets, strict=False)
    }
    for move in record.moves:
        span = spans.get(move.operator, range(0))
        if move.partition not in range(len(span)) or move.target not in node:
            raise InvalidInput(
                f"round {record.number}: {move.operator!r} {move.partition} moves to "
                f"{move.target!r}, which the snapshot does not have"
            )
        owner[span[move.partition]] = node[move.target]
    return Allocation(owner)


def _acted(status: Status) -> bool:
    """Return whether a plan was carried out, or proposed by a run that carries out none."""
    return status in {Status.APPLIED, Status.PROPOSED}


def _standing(snapshot: Snapshot, allocation: Allocation) -> Standing:
    return Standing(
        makespan=metrics.makespan(snapshot, allocation),
        distance=metrics.load_distance(snapshot, allocation),
        collocation=metrics.collocation_factor(snapshot.traffic, allocation),
    )


def _mean(standings: Sequence[Standing]) -> Standing:
    columns = zip(*(astuple(each) for each in standings), strict=True)
    return Standing(*(float(np.mean(column)) for column in columns))
