"""Algorithm 1 of the paper as pure steps; the loop strings them together."""

from collections.abc import Collection

import numpy as np
import scipy.sparse as sp

from albic.control.exclusions import kept_out
from albic.control.journal import MoveRecord, TermsRecord
from albic.control.move_costs import ASSUMED, MoveCost
from albic.control.settings import Settings
from albic.model import (
    Allocation,
    Budget,
    Cluster,
    Node,
    Operator,
    Period,
    Plan,
    PlanRejected,
    PlanRequest,
    Snapshot,
    Throughput,
    Topology,
    metrics,
    violations,
)

#: A node above this load has no time left for anything.
OVERLOADED_PCT = 100.0
#: What a node may use of each resource. Network is a share of an assumed bandwidth and so forbids
#: nothing.
LIMITS_PCT = np.array([100.0, 100.0, np.inf])
#: What a point of load on a node that shall go weighs against one of load distance.
DRAIN_WEIGHT, URGENT_DRAIN_WEIGHT = 1.5, 0.5


def emptied(snapshot: Snapshot, staying: Collection[str] = ()) -> tuple[str, ...]:
    """Return the draining nodes that own nothing any more; Algorithm 1 terminates them.

    Those that are ``staying`` all the same are left out.
    """
    owned = np.bincount(snapshot.allocation.owner, minlength=len(snapshot.cluster.nodes))
    draining = snapshot.cluster.draining()
    return tuple(
        node.id
        for position, node in enumerate(snapshot.cluster.nodes)
        if draining[position] and not owned[position] and node.id not in staying
    )


def request_for(
    snapshot: Snapshot,
    settings: Settings,
    lost: Collection[str] = (),
    cost: MoveCost = ASSUMED,
    *,
    late: bool = False,
) -> PlanRequest:
    """Return what the planner is asked.

    What lies on lost nodes has to move at once, so then the budget is never less than all that has
    to go. Where a node is overloaded or batches are late, helping the busiest comes before
    emptying others that shall go.
    """
    draining = snapshot.cluster.draining()
    leaving = int(draining[snapshot.allocation.owner].sum()) if lost else 0
    busiest_pct = metrics.node_loads(snapshot, snapshot.allocation)[~draining].max()
    urgent = not lost and (late or busiest_pct > OVERLOADED_PCT)
    out = kept_out(snapshot, settings.exclude_operators, settings.exclude_executors)
    return PlanRequest(
        snapshot=snapshot,
        budget=Budget(float(max(settings.max_migrations, leaving))),
        objective=settings.objective,
        cost_per_byte=cost.per_byte_s,
        cost_per_move=cost.per_move_s,
        limits_pct=LIMITS_PCT,
        drain_weight=URGENT_DRAIN_WEIGHT if urgent else DRAIN_WEIGHT,
        time_limit_s=settings.time_limit_s,
        seed=settings.seed,
        fixed=out.fixed,
        shut=out.shut,
    )


def is_late(kept: Throughput) -> bool:
    """Return whether batches take longer than they may."""
    return kept.interval_s is not None and (kept.batch_s or 0.0) > kept.interval_s


def still_owning(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the nodes of a snapshot without our marks that are gone and own something yet."""
    draining = snapshot.cluster.draining()
    owners = np.unique(snapshot.allocation.owner)
    return tuple(snapshot.cluster.nodes[at].id for at in owners if draining[at])


def expect_sound(plan: Plan, request: PlanRequest) -> None:
    """Refuse a plan that the judge finds fault with."""
    if findings := violations(plan, request):
        raise PlanRejected(findings)


def move_records(plan: Plan, snapshot: Snapshot) -> tuple[MoveRecord, ...]:
    """Return the moves of ``plan`` by name."""
    operator_of, offsets = snapshot.topology.operator_of(), snapshot.topology.offsets()
    return tuple(
        MoveRecord(
            operator=snapshot.topology.operators[operator_of[move.key_group]].name,
            partition=int(move.key_group - offsets[operator_of[move.key_group]]),
            source=snapshot.cluster.nodes[move.source].id,
            target=snapshot.cluster.nodes[move.target].id,
            state_bytes=int(snapshot.state_bytes[move.key_group]),
        )
        for move in plan.moves
    )


def terms_record(request: PlanRequest, settings: Settings) -> TermsRecord:
    """Return what was asked of the planner, so that another one can be asked the same."""
    return TermsRecord(
        budget=request.budget.limit,
        budget_unit=request.budget.unit.value,
        cost_per_byte=request.cost_per_byte,
        cost_per_move=request.cost_per_move,
        max_load_distance_pct=request.max_load_distance_pct,
        drain_weight=request.drain_weight,
        time_limit_s=request.time_limit_s,
        seed=request.seed,
        least_gain=settings.least_gain,
        exclude_operators=settings.exclude_operators,
        exclude_executors=settings.exclude_executors,
    )


def rehearsal(settings: Settings) -> PlanRequest:
    """Return a tiny request that makes a planner load and compile what it needs."""
    snapshot = Snapshot(
        period=Period(0.0, 1.0),
        topology=Topology((Operator("rehearsal", 4),)),
        cluster=Cluster((Node("a"), Node("b"))),
        allocation=Allocation(np.array([0, 0, 0, 1])),
        usage=np.array([[10.0, 20.0, 30.0, 5.0], [0.0] * 4, [0.0] * 4]),
        state_bytes=np.ones(4, dtype=np.int64),
        traffic=sp.csr_array((4, 4), dtype=np.float64),
        background=np.zeros(2),
    )
    return request_for(snapshot, settings)
