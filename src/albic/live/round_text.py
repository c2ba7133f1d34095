"""One round as people read it: why, what was promised, and what came of it."""

from dataclasses import dataclass, replace

from albic.control.journal import RoundRecord, Status
from albic.live.redacting import without_secrets
from albic.model import Objective

#: The most moves of a round that are listed.
MOST_MOVES = 200


@dataclass(frozen=True, slots=True)
class Move:
    """One key group that moves."""

    operator: str
    partition: int
    source: str
    target: str
    state_bytes: int


@dataclass(frozen=True, slots=True)
class Tale:
    """One round, or what was done by hand.

    ``measured`` is the objective before the round, ``promised`` what the plan makes of it, and
    ``came`` what was measured in the next round that measured anything; all in points of load.
    ``position`` counts the records of a journal, over all controllers that wrote it: numbers of
    rounds start again with each.
    """

    position: int
    number: int
    at_s: float
    trigger: str
    status: str
    reason: str
    note: str | None
    error: str | None
    by: str | None
    proposal: str | None
    planner: str | None
    objective: str | None
    measured: float | None
    promised: float | None
    came: float | None
    distance_before: float | None
    distance_after: float | None
    collocation_before: float | None
    collocation_after: float | None
    moves: int
    cost_s: float | None
    nodes: int | None
    scaling: str | None
    batches: int
    batch_s: float | None
    compliance: float | None
    wall_s: float


def tale_of(record: RoundRecord, position: int = 0) -> Tale:
    """Return what a record tells; what came of it is not known yet."""
    before, after = objective_of(record)
    return Tale(
        position=position,
        number=record.number,
        at_s=record.at_s,
        trigger=record.trigger,
        status=record.status.value,
        reason=without_secrets(record.reason),
        note=_clean(record.note),
        error=_clean(record.error),
        by=record.by,
        proposal=record.proposal,
        planner=record.planner,
        objective=record.objective,
        measured=before,
        promised=after if record.moves else None,
        came=None,
        distance_before=record.distance_before,
        distance_after=record.distance_after,
        collocation_before=record.collocation_before,
        collocation_after=record.collocation_after,
        moves=len(record.moves),
        cost_s=record.cost_s,
        nodes=record.nodes,
        scaling=_clean(record.scaling),
        batches=record.batches,
        batch_s=record.batch_s,
        compliance=record.compliance,
        wall_s=record.wall_s,
    )


def _clean(text: str | None) -> str | None:
    return None if text is None else without_secrets(text)


def came_of(tale: Tale, later: RoundRecord) -> Tale:
    """Return a round that was carried out with what the next one measured, if it is that."""
    before, _ = objective_of(later)
    if before is None or tale.status != Status.APPLIED or tale.objective != later.objective:
        return tale
    return replace(tale, came=before)


def moves_of(record: RoundRecord) -> tuple[Move, ...]:
    """Return the first moves of a round."""
    return tuple(
        Move(move.operator, move.partition, move.source, move.target, move.state_bytes)
        for move in record.moves[:MOST_MOVES]
    )


def objective_of(record: RoundRecord) -> tuple[float | None, float | None]:
    """Return what a round made small, as measured and as planned."""
    if record.objective == Objective.MAKESPAN:
        return record.makespan_before, record.makespan_after
    return record.distance_before, record.distance_after
