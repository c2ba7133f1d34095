"""Algorithm 1 of the paper as pure steps; the loop strings them together."""

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from albic.arrays import Ints, Sparse
from albic.control.journal import MoveRecord, TermsRecord
from albic.control.moving import ASSUMED, MoveCost
from albic.control.settings import Settings
from albic.control.spread import Spread
from albic.model import (
    Allocation,
    Budget,
    Cluster,
    Move,
    Node,
    Objective,
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
#: What a plan that gathers has to win of all traffic, as a part of what it has to win of the
#: objective: bytes are counted where work is timed, and among many operators a pair has few.
LEAST_TRAFFIC = 0.3
#: What as many moves as there are nodes have to win, as a part of what a whole plan has to.
GAIN_PER_NODE_MOVED = 0.8
#: What a point of load on a node that shall go weighs against one of load distance.
DRAIN_WEIGHT, URGENT_DRAIN_WEIGHT = 1.5, 0.5


def emptied(snapshot: Snapshot) -> tuple[str, ...]:
    """Return the draining nodes that own nothing any more; Algorithm 1 terminates them."""
    owned = np.bincount(snapshot.allocation.owner, minlength=len(snapshot.cluster.nodes))
    draining = snapshot.cluster.draining()
    return tuple(
        node.id
        for position, node in enumerate(snapshot.cluster.nodes)
        if draining[position] and not owned[position]
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


def objection(plan: Plan, request: PlanRequest, least_gain: float, *, gathers: bool) -> str | None:
    """Return why ``plan`` is not worth its moves, or None if it is.

    Where a planner ``gathers``, a little traffic that comes together was meant; else it is chance.
    """
    if not plan.moves:
        return plan.reason
    snapshot, draining = request.snapshot, request.snapshot.cluster.draining()
    if any(draining[move.source] for move in plan.moves):
        return None
    before, after = (
        _busiest(snapshot, allocation, request.objective)
        for allocation in (snapshot.allocation, plan.target)
    )
    gain = (before - after) / before if before > 0 else 0.0
    together = metrics.collocation_factor(snapshot.traffic, plan.target)
    together -= metrics.collocation_factor(snapshot.traffic, snapshot.allocation)
    least_together = LEAST_TRAFFIC * least_gain if gathers else least_gain
    if gain >= least_gain or together >= least_together:
        return None
    return (
        f"{len(plan.moves)} moves would win {gain:.1%} of the {request.objective} and "
        f"{together:.1%} of the traffic; below {least_gain:.1%} and {least_together:.1%} "
        f"nothing moves"
    )


def worthwhile(
    plan: Plan,
    request: PlanRequest,
    least_gain: float,
    dearness: Callable[[Plan], float] | None = None,
) -> Plan:
    """Return ``plan`` with the moves that help most first, and without those that hardly help.

    ``dearness`` says what a part of the plan costs, as a share of what a batch waits for; without
    it, and where a move costs next to nothing, a move has a price of its own.

    A planner takes the best that its budget allows, and the last moves win a thousandth each while
    every move makes a key group late. Moves are also spread over several batches, and those between
    should be good ones already: who talks to each other goes together. A plan that empties nodes
    stays whole.
    """
    snapshot, draining = request.snapshot, request.snapshot.cluster.draining()
    left, ordered = list(plan.moves), []
    owner = snapshot.allocation.owner.copy()
    owners, waits = [owner.copy()], [_loss(request, owner)]
    now = metrics.makespan(snapshot, snapshot.allocation) or 1.0
    talk = sp.csr_array(snapshot.traffic + snapshot.traffic.T)
    talk.data /= snapshot.traffic.sum() or 1.0
    spread = Spread(snapshot)
    while left:
        best = min(left, key=lambda move: (_with(spread, now, talk, owner, move), move.key_group))
        left.remove(best)
        ordered.append(best)
        spread.take(best)
        owner[best.key_group] = best.target
        owners.append(owner.copy())
        waits.append(_loss(request, owner))
    price = GAIN_PER_NODE_MOVED * least_gain / len(snapshot.cluster.nodes)
    whole = replace(plan, moves=tuple(ordered))
    prices = price * np.arange(len(waits))
    if dearness is not None:
        parts = [
            replace(plan, moves=tuple(ordered[:count]), target=Allocation(owner))
            for count, owner in enumerate(owners)
        ]
        prices = np.maximum(prices, [dearness(part) for part in parts])
    enough = int(np.argmin(np.array(waits) + prices))
    if not price or enough == len(ordered) or any(draining[move.source] for move in ordered):
        return whole
    fewer = replace(
        plan,
        moves=tuple(ordered[:enough]),
        target=Allocation(owners[enough]),
        reason=f"{plan.reason}; {len(ordered) - enough} of these moves would win too little",
    )
    # What brings pairs together may load a node until the rest of the plan takes something off it.
    return whole if violations(fewer, request) else fewer


def _loss(request: PlanRequest, owner: Ints) -> float:
    """Return what is left to win, as a share of what a batch waits for now and of all traffic."""
    snapshot = request.snapshot
    now = _busiest(snapshot, snapshot.allocation, request.objective)
    then = _busiest(snapshot, Allocation(owner), request.objective)
    together = metrics.collocation_factor(snapshot.traffic, Allocation(owner))
    return (then / now if now > 0 else 1.0) - together


def _with(spread: Spread, now: float, talk: Sparse, owner: Ints, move: Move) -> tuple[float, float]:
    """Return what one more move leaves to win, and how uneven it leaves the nodes.

    ``now`` is the makespan before all moves, ``talk`` what each pair has of all traffic.
    """
    busiest, squares = spread.after(move)
    its = slice(talk.indptr[move.key_group], talk.indptr[move.key_group + 1])
    there, sent = owner[talk.indices[its]], talk.data[its]
    together = sent[there == move.target].sum() - sent[there == owner[move.key_group]].sum()
    return float(busiest / now - together), squares


def _busiest(snapshot: Snapshot, allocation: Allocation, objective: Objective) -> float:
    """Return what a batch waits for; gaps to the mean count on top of the mean."""
    if objective is Objective.MAKESPAN:
        return metrics.makespan(snapshot, allocation)
    return metrics.mean_load(snapshot) + metrics.load_distance(snapshot, allocation)


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
