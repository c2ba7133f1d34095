"""Whether a plan is worth its moves, and which of them are.

A planner takes the best that its budget allows. What moves cost beside what they win is asked here.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from albic.arrays import Floats, Ints, Sparse
from albic.control.stage_loads import Spread
from albic.model import (
    Allocation,
    Move,
    Objective,
    Plan,
    PlanRequest,
    metrics,
    violations,
)

#: What a plan that gathers has to win of all traffic, as a part of what it has to win of the
#: objective: bytes are counted where work is timed, and among many operators a pair has few.
LEAST_TRAFFIC = 0.3
#: What as many moves as there are nodes have to win, as a part of what a whole plan has to.
GAIN_PER_NODE_MOVED = 0.8
#: The part of what a key group sends and gets that makes another one its partner.
PARTNER = 0.3


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
        _busiest(request, allocation) for allocation in (snapshot.allocation, plan.target)
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
    prices = price * parties(ordered, talk)
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


def parties(moves: Sequence[Move], talk: Sparse) -> Ints:
    """Return how many parties the first moves are, from none to all: partners go as one.

    ``talk`` is what each pair of key groups says to each other. Three operators in a row whose
    partners move together are one decision, and would never be worth the price of three.
    """
    all_of: Floats = np.asarray(talk.sum(axis=1)).ravel()
    party: dict[int, int] = {}
    counts, goes_to = [0], {move.key_group: move.target for move in moves}
    for move in moves:
        its = slice(talk.indptr[move.key_group], talk.indptr[move.key_group + 1])
        heavy = talk.data[its] >= PARTNER * all_of[move.key_group]
        joined = {
            party[other]
            for other in talk.indices[its][heavy].tolist()
            if other in party and goes_to[other] == move.target
        }
        party = {group: move.key_group if of in joined else of for group, of in party.items()}
        party[move.key_group] = move.key_group
        counts.append(counts[-1] + 1 - len(joined))
    return np.array(counts)


def _loss(request: PlanRequest, owner: Ints) -> float:
    """Return what is left to win, as a share of what a batch waits for now and of all traffic."""
    snapshot = request.snapshot
    now = _busiest(request, snapshot.allocation)
    then = _busiest(request, Allocation(owner))
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


def _busiest(request: PlanRequest, allocation: Allocation) -> float:
    """Return what a batch waits for; gaps to the mean count on top of the mean."""
    if request.objective is Objective.MAKESPAN:
        return metrics.makespan(request.snapshot, allocation)
    return metrics.mean_load(request.snapshot) + metrics.distance_asked(request, allocation)
