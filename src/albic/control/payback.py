"""Whether a plan can win anything, and more than its moves cost, in seconds of batches."""

from collections.abc import Callable

import numpy as np

from albic.control.settings import Pace
from albic.control.urgency import avoidable_share
from albic.model import Objective, Plan, PlanRequest, Throughput, metrics

#: The fewest batches that a plan has to pay for itself in: a job that changes faster than that
#: cannot be followed.
LEAST_BATCHES = 8.0


def too_dear(plan: Plan, request: PlanRequest, kept: Throughput, pace: Pace) -> str | None:
    """Return why ``plan`` costs more than it wins before the period is over, or None if not.

    What the moves of ``request`` cost should have been measured. Moves off nodes that go have to
    be, and what traffic that comes together is worth is not known in seconds: both are let pass.
    """
    snapshot = request.snapshot
    leaves = snapshot.cluster.draining()[[move.source for move in plan.moves]].any()
    before, after = (
        metrics.collocation_factor(snapshot.traffic, each)
        for each in (snapshot.allocation, plan.target)
    )
    point_s = metrics.seconds_per_point(request.snapshot, kept.batch_s, kept.beside_s)
    if not plan.moves or leaves or after > before or point_s is None or kept.batch_s is None:
        return None
    batches = batches_in(pace, kept.batch_s)
    now, then = (metrics.makespan(snapshot, each) for each in (snapshot.allocation, plan.target))
    won_s = (now - then) * point_s * batches
    late_s = lateness_s(plan, request, point_s)
    if late_s <= won_s:
        return None
    return (
        f"{len(plan.moves)} moves would make batches {late_s:.2f} s late and win {won_s:.2f} s in "
        f"{batches:.0f} batches; nothing moves for that"
    )


def hopeless(request: PlanRequest, least_gain: float) -> str | None:
    """Return why no plan at all could be worth its moves, or None if one may be.

    What could be won at most is known without a planner, as long as it is the makespan alone that
    counts: no traffic, and no node that has to be emptied.
    """
    snapshot = request.snapshot
    gone = bool(snapshot.cluster.draining().any())
    if request.objective is not Objective.MAKESPAN or snapshot.traffic.nnz or gone:
        return None
    most = avoidable_share(snapshot)
    if most >= least_gain:
        return None
    return (
        f"no placement could win more than {most:.1%} of the makespan; below {least_gain:.1%} "
        f"nothing moves"
    )


def batches_in(pace: Pace, batch_s: float) -> float:
    """Return the batches that a plan has to pay for itself in: those of a period, or a few."""
    if pace.batches is not None:
        return max(float(pace.batches), LEAST_BATCHES)
    return max((pace.seconds or 0.0) / max(batch_s, 1e-3), LEAST_BATCHES)


def lateness_s(plan: Plan, request: PlanRequest, point_s: float) -> float:
    """Return how much longer a batch takes in which all moves are made.

    A node that loads state is late by what that costs, and the batch only as far as it then waits
    for that node. That moves are spread over batches is left out.
    """
    loads = metrics.stage_loads(request.snapshot, plan.target) * point_s
    stage_of = request.snapshot.topology.stage_of()
    slots = np.array([node.slots for node in request.snapshot.cluster.nodes])
    loading = np.zeros_like(loads)
    for move in plan.moves:
        loading[stage_of[move.key_group], move.target] += move.cost / slots[move.target]
    return float(((loads + loading).max(axis=1) - loads.max(axis=1)).sum())


def dearness(request: PlanRequest, kept: Throughput, pace: Pace) -> Callable[[Plan], float] | None:
    """Return what parts of a plan cost, as a share of what batches wait for until it has paid.

    None where nobody measured how long a batch takes.
    """
    point_s = metrics.seconds_per_point(request.snapshot, kept.batch_s, kept.beside_s)
    if not point_s or kept.batch_s is None:
        return None
    now_s = metrics.makespan(request.snapshot, request.snapshot.allocation) * point_s
    waiting_s = now_s * batches_in(pace, kept.batch_s)
    return lambda part: lateness_s(part, request, point_s) / waiting_s
