"""One plan of a synthetic cluster under a time limit."""

from dataclasses import dataclass

from albic.experiments.rows import Row
from albic.experiments.runs.methods import answered
from albic.model import Budget, PlanRequest, metrics
from albic.sim.workload import synthetic


@dataclass(frozen=True, slots=True)
class SolverPoint:
    """A cluster, how uneven it is, how much may move, and who plans for how long."""

    nodes: int
    key_groups: int
    operators: int
    varies_pct: float
    moves: int
    method: str
    time_limit_s: float
    seed: int

    @property
    def name(self) -> str:
        """Return what tells this point from the others."""
        return (
            f"{self.nodes}/{self.key_groups} varies {self.varies_pct:g}, {self.moves} moves, "
            f"{self.method}, {self.time_limit_s:g} s"
        )


def plan_once(point: SolverPoint) -> list[Row]:
    """Return the load distance before and after one plan, and the bound where one is proven."""
    snapshot = synthetic(
        point.nodes, point.key_groups, point.operators, point.varies_pct, 0.0, point.seed
    )
    request = PlanRequest(
        snapshot, Budget(point.moves), time_limit_s=point.time_limit_s, seed=point.seed
    )
    answer = answered(point.method, request)
    return [
        {
            "method": point.method,
            "varies": point.varies_pct,
            "moves": point.moves,
            "limit_s": point.time_limit_s,
            "seed": point.seed,
            "start": metrics.load_distance(snapshot, snapshot.allocation),
            "distance": answer.distance_pct,
            "bound": answer.plan.bound,
            "moved": len(answer.plan.moves),
            "outcome": answer.plan.outcome.value,
            "wall_s": answer.plan.wall_s,
            "findings": answer.findings,
        }
    ]
