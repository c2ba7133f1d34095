"""Both lemmas of the paper on small random clusters, with every optimum enumerated.

The printed program is solved by trying all allocations. For given loads its variables have a closed
form: with w_1 > 2·w_2 the least d is best, and d_u, d_l take what is left. d, d_u and d_l are not
negative here, the reading that is kinder to the paper (``docs/decisions/003-milp-repairs.md``).
"""

import itertools
import math
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from albic.arrays import Floats, Ints
from albic.experiments.rows import Row
from albic.experiments.runs.methods import MILP, answered
from albic.model import (
    Allocation,
    Budget,
    Cluster,
    Node,
    NodeState,
    Operator,
    Period,
    PlanRequest,
    Resource,
    Snapshot,
    Topology,
)

DISTANCE_WEIGHT, TIGHTNESS_WEIGHT = 1000.0, 1.0
#: Objectives closer than this are equal.
SAME = 1e-9
#: A cluster that is not empty after so many rounds never will be: loads do not change.
ROUNDS = 12


@dataclass(frozen=True, slots=True)
class LemmaPoint:
    """How many random clusters from which seed on, and who plans them."""

    clusters: int
    method: str
    seed: int

    @property
    def name(self) -> str:
        """Return what tells this point from the others."""
        return f"{self.clusters} clusters from seed {self.seed}, {self.method}"


@dataclass(frozen=True, slots=True)
class ExamplePoint:
    """A cluster from the text of our decision, and who plans it; the last node is marked."""

    lemma: int
    loads: tuple[float, ...]
    home: tuple[int, ...]
    nodes: int
    moves: int
    method: str

    @property
    def name(self) -> str:
        """Return what tells this point from the others."""
        return f"counter-example to Lemma {self.lemma}, {self.method}"


def check_lemmas(point: LemmaPoint | ExamplePoint) -> list[Row]:
    """Return how often each lemma was broken."""
    if isinstance(point, ExamplePoint):
        return [_example(point)]
    first = second = literal = 0
    for number in range(point.clusters):
        request = random_request(point.seed + number)
        if point.method == MILP:
            first += forced_onto_marked(request)
            second += not _emptied_as_printed(request)
            literal += least_while_left(request)
        else:
            seen = _rounds(point.method, request)
            first += any(_entering(*both) for both in itertools.pairwise(seen))
            second += bool(_left(seen[-1]))
    return [
        {
            "case": "random",
            "method": point.method,
            "seed": point.seed,
            "clusters": point.clusters,
            "lemma_1_broken": first,
            "lemma_2_broken": second,
            "lemma_2_literally_broken": literal if point.method == MILP else None,
        }
    ]


def random_request(seed: int) -> PlanRequest:
    """Return a small cluster with one or two marked nodes and a budget of one to three moves."""
    rng = np.random.default_rng(seed)
    nodes, groups = int(rng.integers(3, 5)), int(rng.integers(4, 7))
    loads = rng.integers(1, 13, groups).astype(np.float64)
    marked = 1 if nodes == 3 else int(rng.integers(1, 3))
    home = rng.integers(0, nodes, groups)
    # At least one key group has to leave.
    home[0] = nodes - 1
    return small_request(loads, home, nodes, int(rng.integers(1, 4)), marked)


def small_request(
    loads: Floats, home: Ints, nodes: int, moves: int, marked: int = 1
) -> PlanRequest:
    """Return a request whose last nodes are marked for removal."""
    groups = loads.size
    usage = np.zeros((len(Resource), groups))
    usage[Resource.CPU] = loads
    states = [NodeState.ACTIVE] * (nodes - marked) + [NodeState.DRAINING] * marked
    snapshot = Snapshot(
        period=Period(0.0, 60.0),
        topology=Topology((Operator("op", groups),), ()),
        cluster=Cluster(tuple(Node(f"n{at}", state=state) for at, state in enumerate(states))),
        allocation=Allocation(home),
        usage=usage,
        state_bytes=np.ones(groups, dtype=np.int64),
        traffic=sp.csr_array((groups, groups), dtype=np.float64),
        background=np.zeros(nodes),
    )
    return PlanRequest(snapshot, Budget(moves), time_limit_s=0.01)


def printed_optima(request: PlanRequest) -> Ints:
    """Return every optimal allocation of the printed program, a row each; none if infeasible."""
    every, distance, tightness, mean = _enumerated(request)
    cost = DISTANCE_WEIGHT * distance - TIGHTNESS_WEIGHT * tightness
    # (5): d is at most the mean.
    cost[distance > mean + SAME] = np.inf
    optima: Ints = every[(cost <= cost.min() + SAME) & np.isfinite(cost)]
    return optima


def least_while_left(request: PlanRequest) -> bool:
    """Return whether, with any number of moves, the least d is met with load left on a marked node.

    This is Lemma 2 to the letter: "can only be achieved by migrating all key groups".
    """
    ample = replace(request, budget=Budget(request.snapshot.topology.key_groups))
    every, distance, _, _ = _enumerated(ample)
    least = distance <= distance.min() + SAME
    return bool(request.snapshot.cluster.draining()[every[least]].any())


def _enumerated(request: PlanRequest) -> tuple[Ints, Floats, Floats, int]:
    """Return all allocations within the budget with d, d_u + d_l, and the rounded mean."""
    snapshot = request.snapshot
    nodes, home = len(snapshot.cluster.nodes), snapshot.allocation.owner
    loads, stays = snapshot.usage[Resource.CPU], ~snapshot.cluster.draining()
    every: Ints = np.array(list(itertools.product(range(nodes), repeat=home.size)))
    every = every[(every != home).sum(axis=1) <= request.budget.limit]
    carried = np.stack([(every == node) @ loads for node in range(nodes)], axis=1)
    mean = math.ceil(loads.sum() / stays.sum() - SAME)
    most, least = carried.max(axis=1), carried[:, stays].min(axis=1)
    distance = np.maximum(0.0, np.maximum(most - mean, mean - least))
    return every, distance, 2 * distance + least - most, mean


def forced_onto_marked(request: PlanRequest) -> bool:
    """Return whether every optimum of the printed program moves load onto a marked node."""
    optima = printed_optima(request)
    draining, home = request.snapshot.cluster.draining(), request.snapshot.allocation.owner
    onto = (draining[optima] & ~draining[home]).any(axis=1)
    return bool(onto.size and onto.all())


def _emptied_as_printed(request: PlanRequest) -> bool:
    """Return whether the printed program empties the marked nodes in some rounds.

    Among equal optima the one that leaves least there is taken: no solver is luckier.
    """
    draining = request.snapshot.cluster.draining()
    for _ in range(ROUNDS):
        optima = printed_optima(request)
        if not len(optima):
            return False
        left = draining[optima].sum(axis=1)
        best = optima[int(left.argmin())]
        if left.min() == 0:
            return True
        request = replace(request, snapshot=_moved(request.snapshot, best))
    return False


def _rounds(method: str, request: PlanRequest) -> list[Snapshot]:
    """Return the cluster before and after each round of a planner, until nothing is left."""
    seen = [request.snapshot]
    for _ in range(ROUNDS):
        answer = answered(method, replace(request, snapshot=seen[-1]))
        seen.append(_moved(seen[-1], answer.plan.target.owner))
        if not _left(seen[-1]):
            break
    return seen


def _moved(snapshot: Snapshot, owner: Ints) -> Snapshot:
    """Return the cluster with its key groups at their new owners."""
    return replace(snapshot, allocation=Allocation(owner))


def _left(snapshot: Snapshot) -> int:
    """Return how many key groups are on marked nodes."""
    return int(snapshot.cluster.draining()[snapshot.allocation.owner].sum())


def _entering(before: Snapshot, after: Snapshot) -> int:
    """Return how many key groups went from a staying to a marked node."""
    draining = before.cluster.draining()
    return int((draining[after.allocation.owner] & ~draining[before.allocation.owner]).sum())


def _example(point: ExamplePoint) -> Row:
    """Return what a planner makes of a counter-example; the printed program through HiGHS."""
    request = replace(
        small_request(np.array(point.loads), np.array(point.home), point.nodes, point.moves),
        time_limit_s=30.0 if point.method == MILP else 0.05,
    )
    seen = _rounds(point.method, request)
    entered = sum(_entering(before, after) for before, after in itertools.pairwise(seen[:2]))
    return {
        "case": f"example {point.lemma}",
        "method": point.method,
        "lemma_1_broken": int(entered > 0),
        "lemma_2_broken": int(_left(seen[-1]) > 0),
    }
