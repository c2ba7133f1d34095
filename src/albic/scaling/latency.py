"""The smallest cluster whose batches end in time, by the makespan model.

A batch lasts as long as the busiest node of each stage, stage after stage, and as long as what no
node can shorten: planning, sources, commits.
"""

from dataclasses import dataclass

import numpy as np

from albic.arrays import Floats
from albic.model import Allocation, InvalidInput, NotReady, ScalingRequest, Snapshot, metrics
from albic.scaling.demand import Demand, mean_capacity, staying

#: More nodes than this are not tried.
MOST_NODES = 10_000


@dataclass(frozen=True, slots=True)
class Latency:
    """Keeps the batch time below the trigger interval, or below ``bound_s``.

    ``margin`` is the share of the bound that is left free, for no two batches are the same.
    """

    bound_s: float | None = None
    margin: float = 0.1

    def __post_init__(self) -> None:
        if self.bound_s is not None and not self.bound_s > 0:
            raise InvalidInput(f"bound_s is {self.bound_s:g}; it must be above 0 seconds")
        if not 0 <= self.margin < 1:
            raise InvalidInput(f"margin is {self.margin:g}; it must be from 0 to below 1")

    def demand(self, request: ScalingRequest) -> Demand:
        """Return the smallest number of nodes whose batches should end in time."""
        snapshot, bound_s = request.snapshot, self._bound_s(request)
        predicted_s = request.throughput.beside_s + _point_s(request) * _stages_pct(snapshot)
        in_time = np.flatnonzero(predicted_s <= bound_s)
        reachable = in_time.size > 0
        # Out of reach, more nodes help until the largest key groups are all that is left.
        wanted = 1 + int(in_time[0] if reachable else np.argmin(predicted_s))
        reason = (
            f"{wanted} nodes should need {predicted_s[wanted - 1]:.2f} s a batch, "
            f"{bound_s:.2f} s are allowed"
        )
        if not reachable:
            reason += "; no number of nodes gets there, for the largest key groups remain"
        return Demand(
            wanted, reason, overloaded=not self.bears(snapshot, request.plan.target, request)
        )

    def bears(self, snapshot: Snapshot, allocation: Allocation, request: ScalingRequest) -> bool:
        """Return whether batches should end in time if the work is spread like that."""
        stages_s = _point_s(request) * metrics.makespan(snapshot, allocation)
        return request.throughput.beside_s + stages_s <= self._bound_s(request)

    def _bound_s(self, request: ScalingRequest) -> float:
        """Return how long a batch may take, margin off."""
        bound_s = self.bound_s or request.throughput.interval_s
        if bound_s is None:
            raise InvalidInput(
                "the scaling policy latency needs a bound: give the query a trigger interval, "
                "or the policy a bound_s"
            )
        return bound_s * (1 - self.margin)


def _point_s(request: ScalingRequest) -> float:
    """Return the seconds that one point of load means in a batch of now.

    Loads are shares of the time from one batch to the next.
    """
    kept = request.throughput
    if kept.batch_s is None:
        raise NotReady("no batch ended in this period")
    return kept.growth * max(kept.batch_s, kept.interval_s or 0.0) / 100


def _stages_pct(snapshot: Snapshot) -> Floats:
    """Return the least makespan that 1, 2, … nodes could have, all stages together."""
    loads, stage_of = metrics.group_loads(snapshot), snapshot.topology.stage_of()
    most = min(max(4 * staying(snapshot), snapshot.topology.key_groups), MOST_NODES)
    stages = range(snapshot.topology.stage_count)
    total: Floats = np.sum([_least(loads[stage_of == stage], most) for stage in stages], axis=0)
    total /= mean_capacity(snapshot)
    return total


def _least(loads: Floats, most: int) -> Floats:
    """Return the least load of the busiest of 1, 2, … ``most`` nodes in one stage.

    It is at least the mean and the largest key group; and with one key group more than nodes, two
    of the largest ones must share a node.
    """
    ordered = np.zeros(most + 1)
    falling = np.sort(loads)[::-1][: most + 1]
    ordered[: falling.size] = falling
    mean = loads.sum() / np.arange(1, most + 1)
    least: Floats = np.maximum(np.maximum(mean, ordered[0]), ordered[:-1] + ordered[1:])
    return least
