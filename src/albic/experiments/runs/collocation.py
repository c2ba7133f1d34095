"""Rounds on a synthetic cluster whose key groups talk in pairs, with loads that drift."""

from dataclasses import dataclass, replace

from albic.experiments.rows import Row
from albic.experiments.runs.methods import answered
from albic.model import Budget, PlanRequest, metrics
from albic.sim.workload import drift, synthetic


@dataclass(frozen=True, slots=True)
class CollocationPoint:
    """A cluster, the share of traffic that can be made local, and who plans it for how long."""

    nodes: int
    key_groups: int
    operators: int
    obtainable_pct: float
    varies_pct: float
    moves: int
    max_load_distance_pct: float
    method: str
    rounds: int
    time_limit_s: float
    seed: int

    @property
    def name(self) -> str:
        """Return what tells this point from the others."""
        return (
            f"{self.nodes}/{self.key_groups}, {self.obtainable_pct:g} % obtainable, "
            f"{self.method}, {self.rounds} rounds"
        )


def collocate_rounds(point: CollocationPoint) -> list[Row]:
    """Return load distance, collocation and moves of every round."""
    snapshot = synthetic(
        point.nodes,
        point.key_groups,
        point.operators,
        point.varies_pct,
        point.obtainable_pct / 100,
        point.seed,
    )
    rows: list[Row] = []
    for number in range(1, point.rounds + 1):
        request = PlanRequest(
            snapshot,
            Budget(point.moves),
            max_load_distance_pct=point.max_load_distance_pct,
            time_limit_s=point.time_limit_s,
            seed=1000 * point.seed + number,
        )
        answer = answered(point.method, request)
        snapshot = replace(snapshot, allocation=answer.plan.target)
        rows.append(
            {
                "cluster": f"{point.nodes}/{point.key_groups}/{point.operators}",
                "nodes": point.nodes,
                "obtainable": point.obtainable_pct,
                "method": point.method,
                "seed": point.seed,
                "round": number,
                "last": number == point.rounds,
                "distance": answer.distance_pct,
                "collocation": 100
                * metrics.collocation_factor(snapshot.traffic, snapshot.allocation),
                "moved": len(answer.plan.moves),
            }
        )
        # Every method meets the same nodes drifting alike, wherever its key groups are.
        snapshot = drift(snapshot, seed=1000 * point.seed + number)
    return rows
