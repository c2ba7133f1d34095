"""What goes into the record of a round."""

from collections.abc import Mapping
from dataclasses import replace

from albic.control import adaptation
from albic.control.journal import RoundRecord, Status
from albic.control.ports import Effect
from albic.control.settings import Settings
from albic.model import (
    Plan,
    PlanRequest,
    ScalingDecision,
    ScalingRequest,
    Throughput,
    metrics,
)
from albic.model.snapshot_file import snapshot_document


def planned(
    blank: RoundRecord, request: PlanRequest, plan: Plan, settings: Settings
) -> RoundRecord:
    """Return the record of a round that came to a plan."""
    snapshot, before, after = request.snapshot, request.snapshot.allocation, plan.target
    return replace(
        blank,
        generation=snapshot.generation,
        planner=plan.planner,
        objective=request.objective.value,
        outcome=plan.outcome.value,
        makespan_before=metrics.makespan(snapshot, before),
        makespan_after=metrics.makespan(snapshot, after),
        distance_before=metrics.load_distance(snapshot, before),
        distance_after=metrics.load_distance(snapshot, after),
        collocation_before=metrics.collocation_factor(snapshot.traffic, before),
        collocation_after=metrics.collocation_factor(snapshot.traffic, after),
        mean_load_pct=metrics.mean_load(snapshot),
        moves=adaptation.move_records(plan, snapshot),
        cost_s=metrics.migration_cost(plan.moves),
        terms=adaptation.terms_record(request, settings),
        snapshot=snapshot_document(snapshot) if settings.record_snapshots else None,
    )


def kept_up(
    record: RoundRecord, kept: Throughput, impatience: float | None, spark: Mapping[str, str]
) -> RoundRecord:
    """Return the record with how the job kept up, and what it runs in."""
    return replace(
        record,
        interval_s=kept.interval_s,
        beside_s=kept.beside_s,
        arrived_share=kept.arrived_share,
        impatience=impatience,
        spark=dict(spark) or None,
    )


def scaled(record: RoundRecord, asked: ScalingRequest, decision: ScalingDecision) -> RoundRecord:
    """Return the record with the nodes that there were and what was decided about them."""
    return replace(
        record,
        nodes=sum(not gone for gone in asked.snapshot.cluster.draining().tolist()),
        added=decision.add,
        drained=len(decision.drain),
        kept=len(decision.keep),
    )


def ended(record: RoundRecord, effect: Effect, wall_s: float) -> RoundRecord:
    """Return the record with what the batches since the last one showed."""
    return replace(
        record,
        wall_s=wall_s,
        batches=effect.batches,
        batch_s=effect.batch_s,
        read=effect.read,
        judged=effect.judged,
        compliant=effect.compliant,
        cpu_s=effect.cpu_s,
        rows=effect.rows,
        local_bytes=effect.local_bytes,
        remote_bytes=effect.remote_bytes,
        measured_moves=effect.moves,
        busy_s=effect.busy_s,
        wait_s=effect.wait_s,
        task_costs=effect.task_costs,
    )


def stopped(record: RoundRecord, broken: str | None) -> RoundRecord:
    """Return the record with the rule that was ``broken``, if this is where it was."""
    return replace(record, error=broken) if record.status is Status.FAILED else record


def failed(blank: RoundRecord, error: str) -> RoundRecord:
    """Return the record of a round in which something went wrong."""
    return replace(blank, status=Status.FAILED, reason="the present allocation stays", error=error)
