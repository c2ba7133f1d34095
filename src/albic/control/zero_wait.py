"""Where Spark would do about as well by itself, if only it did not wait.

With ``spark.locality.wait=0s`` any idle executor takes a waiting task and loads its state. Where
that load costs next to nothing, it evens out a batch while it runs, without any plan. Every plan
that is carried out is held against that: what would the batch have taken from the same placement,
with the loads that were measured?
"""

import heapq
from collections import deque
from statistics import median

import numpy as np

from albic.advice.surroundings import AS_WELL, IMPATIENT, PLANS
from albic.control.move_costs import ENOUGH
from albic.model import Plan, PlanRequest, Resource, Snapshot, Throughput, metrics


class Impatience:
    """Compares plans with what a wait of 0 s would have come to; speaks once."""

    def __init__(self) -> None:
        self._times: list[float] = []
        self._said = False
        self._newest: float | None = None

    def take_in(self, plan: Plan, request: PlanRequest, kept: Throughput, measured: int) -> None:
        """Compare a plan that is carried out; ``measured`` moves tell what loads cost."""
        point_s = metrics.seconds_per_point(request.snapshot, kept.batch_s, kept.beside_s)
        snapshot = request.snapshot
        promised = metrics.makespan(snapshot, plan.target)
        leaving = snapshot.cluster.draining().any()
        if measured < ENOUGH or not point_s or promised <= 0 or leaving:
            return
        cost_s = request.cost_per_move + request.cost_per_byte * snapshot.state_bytes
        without = np.inf if snapshot.traffic.nnz else impatient(snapshot, cost_s / point_s)
        self._times.append(without / promised)
        self._newest = self._times[-1] if np.isfinite(without) else None

    def newest(self) -> float | None:
        """Return what the last plan came to, once; None where nothing was compared since."""
        newest, self._newest = self._newest, None
        return newest

    def advice(self) -> str | None:
        """Return the advice where it holds; only the first time."""
        if self._said or len(self._times) < PLANS or median(self._times) > AS_WELL:
            return None
        self._said = True
        return IMPATIENT


def impatient(snapshot: Snapshot, load_cost: np.ndarray) -> float:
    """Return the makespan if every idle slot takes the next waiting task, and loads its state.

    A slot takes tasks of its own node first, in the order of partitions, then any other one;
    ``load_cost`` is what each key group costs elsewhere, in points of makespan. Key groups that
    talk to each other would be torn apart, which is not in it.
    """
    stage_of = snapshot.topology.stage_of()
    stages = range(snapshot.topology.stage_count)
    return sum(_stage(snapshot, load_cost, np.flatnonzero(stage_of == at)) for at in stages)


def _stage(snapshot: Snapshot, load_cost: np.ndarray, groups: np.ndarray) -> float:
    """Return how long one stage lasts."""
    nodes = snapshot.cluster.nodes
    owner, work = snapshot.allocation.owner, snapshot.usage[Resource.CPU]
    waiting = {at: deque(groups[owner[groups] == at].tolist()) for at in range(len(nodes))}
    free = [(0.0, at, slot) for at, node in enumerate(nodes) for slot in range(node.slots)]
    heapq.heapify(free)
    lasts = 0.0
    for _ in groups:
        now, at, slot = heapq.heappop(free)
        queue = waiting[at] or min((each for each in waiting.values() if each), key=_first)
        group = queue.popleft()
        # A node's capacity is that of all its slots.
        took = work[group] * nodes[at].slots / nodes[at].capacity
        ends = now + took + (0.0 if owner[group] == at else load_cost[group])
        lasts = max(lasts, ends)
        heapq.heappush(free, (ends, at, slot))
    return lasts


def _first(queue: deque[int]) -> int:
    return queue[0]
