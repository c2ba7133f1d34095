"""The clusters that are planned, and one way to plan and judge them."""

import itertools
import time
from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from albic.model import (
    Allocation,
    Budget,
    Cluster,
    Node,
    Operator,
    Period,
    Plan,
    PlanRequest,
    Resource,
    Snapshot,
    Topology,
    metrics,
    violations,
)
from albic.planners import Planner
from albic.sim.workload import AVERAGE_LOAD_PCT, synthetic

#: Nodes, key groups and operators of the paper's three clusters.
PAPER_SIZES = ((20, 400, 10), (40, 800, 20), (60, 1200, 30))
#: What each of three stages takes of the work, and how skewed its key groups are.
STAGE_SHARES, STAGE_GROUPS, STAGE_NODES, ZIPF = (0.2, 0.5, 0.3), 100, 20, 0.5


@dataclass(frozen=True, slots=True)
class Case:
    """One synthetic cluster with a budget; paper: *varies* and maxMigrations."""

    nodes: int
    key_groups: int
    operators: int
    varies_pct: float
    moves: int
    seed: int

    @property
    def name(self) -> str:
        """Return what tells this case from the others."""
        return (
            f"{self.nodes}/{self.key_groups}/{self.operators} varies {self.varies_pct:g}, "
            f"{self.moves} moves, seed {self.seed}"
        )

    def request(self, time_limit_s: float) -> PlanRequest:
        """Return the question to a planner."""
        snapshot = synthetic(
            self.nodes, self.key_groups, self.operators, self.varies_pct, 0.0, self.seed
        )
        return PlanRequest(snapshot, Budget(self.moves), time_limit_s=time_limit_s, seed=self.seed)


def paper_cases(*, quick: bool) -> list[Case]:
    """Return the paper's 27 settings with three seeds each; if quick, 12 of the 81."""
    seeds, moves, varies = [1, 2, 3], [10, 20, 40], [20.0, 40.0, 80.0]
    if quick:
        seeds, moves, varies = seeds[:1], moves[::2], varies[::2]
    return [
        Case(*size, varies_pct, most, seed)
        for size, most, varies_pct, seed in itertools.product(PAPER_SIZES, moves, varies, seeds)
    ]


def staged(seed: int) -> Snapshot:
    """Return three stages of Zipf-distributed key groups, each stage dealt out evenly.

    Each node has as many key groups of a stage as the others, as Spark begins; which, and how
    heavy they are, is random.
    """
    rng = np.random.default_rng(seed)
    stages = len(STAGE_SHARES)
    zipf = np.arange(1, STAGE_GROUPS + 1) ** -ZIPF
    work = AVERAGE_LOAD_PCT * STAGE_NODES
    usage = np.zeros((len(Resource), stages * STAGE_GROUPS))
    usage[Resource.CPU] = np.concatenate(
        [work * share * rng.permutation(zipf / zipf.sum()) for share in STAGE_SHARES]
    )
    even = np.arange(STAGE_GROUPS) % STAGE_NODES
    return Snapshot(
        period=Period(0.0, 60.0),
        topology=Topology(
            tuple(Operator(f"stage-{at}", STAGE_GROUPS) for at in range(stages)),
            tuple((at, at + 1) for at in range(stages - 1)),
        ),
        cluster=Cluster(tuple(Node(f"node-{at:02d}") for at in range(STAGE_NODES))),
        allocation=Allocation(np.concatenate([rng.permutation(even) for _ in STAGE_SHARES])),
        usage=usage,
        state_bytes=np.ones(stages * STAGE_GROUPS, dtype=np.int64),
        traffic=sp.csr_array((stages * STAGE_GROUPS,) * 2, dtype=np.float64),
        background=np.zeros(STAGE_NODES),
    )


def skewed(seed: int) -> Snapshot:
    """Return 20 nodes with 400 key groups of exponential loads, as many on each node."""
    snapshot = synthetic(20, 400, 10, 0.0, 0.0, seed)
    load = np.random.default_rng(seed).exponential(size=400)
    usage = np.zeros((len(Resource), 400))
    usage[Resource.CPU] = AVERAGE_LOAD_PCT * 20 * load / load.sum()
    return replace(snapshot, usage=usage)


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """A plan with the seconds that the caller waited for it and what the judge says."""

    plan: Plan
    wall_s: float
    findings: int
    distance_pct: float


def answered(planner: Planner, request: PlanRequest) -> Answer:
    """Return the planner's plan, timed from outside and judged."""
    began_s = time.perf_counter()
    plan = planner.plan(request)
    wall_s = time.perf_counter() - began_s
    return Answer(
        plan,
        wall_s,
        len(violations(plan, request)),
        metrics.load_distance(request.snapshot, plan.target),
    )
