"""From the records of rounds to what advice is made from."""

from collections.abc import Sequence
from itertools import pairwise

from albic.advice import Evidence, Finding, advise
from albic.control.journal import RoundRecord, Status
from albic.model import Objective
from albic.model.snapshot_file import snapshot_from

#: Rounds that tell how things are now; what ended before them has ended.
RECENT = 8


def advice(records: Sequence[RoundRecord]) -> tuple[Finding, ...]:
    """Return what placement cannot fix; nothing while no round has measured the job."""
    seen = evidence(records)
    return () if seen is None else advise(seen)


def evidence(records: Sequence[RoundRecord]) -> Evidence | None:
    """Return what the newest rounds show, or None where none holds a snapshot."""
    run = _last_run(records)
    measured = [record for record in run if record.snapshot is not None]
    if not measured:
        return None
    newest, recent = measured[-1], run[-RECENT:]
    timed = [record.batch_s for record in run if record.batch_s is not None]
    costs = [record.task_costs for record in recent if record.task_costs]
    # Stages of several queries run side by side, and no sum over them is the time of a batch.
    in_turn = newest.objective == Objective.MAKESPAN
    return Evidence(
        snapshot=snapshot_from(newest.snapshot),
        batch_s=timed[-1] if timed and in_turn else None,
        beside_s=newest.beside_s,
        interval_s=newest.interval_s,
        arrived_share=newest.arrived_share,
        busy_s=sum(record.busy_s for record in recent),
        wait_s=sum(record.wait_s for record in recent),
        judged=sum(record.judged for record in recent),
        compliant=sum(record.compliant for record in recent),
        wandering=_wandering(recent),
        impatience=tuple(r.impatience for r in run if r.impatience is not None),
        task_costs=costs[-1] if costs else (),
        settings=newest.spark or {},
    )


def _last_run(records: Sequence[RoundRecord]) -> Sequence[RoundRecord]:
    """Return the rounds of the last controller: each counts its own from 1."""
    starts = [at for at, record in enumerate(records) if record.number == 1]
    return records[starts[-1] :] if starts else records


def _wandering(records: Sequence[RoundRecord]) -> float:
    """Return the share of key groups that change their node from round to round by themselves."""
    if any(record.status is Status.APPLIED for record in records):
        return 0.0
    places = [_places(record) for record in records if record.snapshot is not None]
    changes = [
        sum(before != after for before, after in zip(one, other, strict=True)) / len(one)
        for one, other in pairwise(places)
        if len(one) == len(other)
    ]
    return sum(changes) / len(changes) if changes else 0.0


def _places(record: RoundRecord) -> list[str]:
    """Return the node of each key group."""
    snapshot = snapshot_from(record.snapshot)
    nodes = [node.id for node in snapshot.cluster.nodes]
    return [nodes[owner] for owner in snapshot.allocation.owner.tolist()]
