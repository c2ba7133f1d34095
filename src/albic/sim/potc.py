"""PoTC: each tuple goes to the less busy of two nodes, and parts of a state are merged.

It has no plan and no moves, so it is no planner. It runs here on the same workloads and is measured
with the same measures. Paper: *Comparison with Flux and PoTC*.
"""

from dataclasses import dataclass

import numpy as np

from albic.arrays import Bools, Floats, Ints, sealed
from albic.model import InvalidInput
from albic.sim.costs import CostModel
from albic.sim.demand import Demand, Scene
from albic.sim.job import World
from albic.sim.report import PeriodReport

#: Into how many portions a period's tuples are dealt; each goes to the less busy node.
PORTIONS = 20


@dataclass(frozen=True, slots=True, eq=False)
class SplitAllocation:
    """Two nodes for each key group; ``share`` is the part that goes to the first."""

    choices: Ints
    share: Floats

    def __post_init__(self) -> None:
        object.__setattr__(self, "choices", sealed(self.choices, np.int64))
        object.__setattr__(self, "share", sealed(self.share, np.float64))

    def parts(self) -> Floats:
        """Return the part of each key group on either of its nodes."""
        return np.stack((self.share, 1 - self.share), axis=1)


def two_choices(groups: int, nodes: int, seed: int) -> Ints:
    """Return two different nodes for each key group, as two hash functions would."""
    if nodes < 2:
        raise InvalidInput("PoTC needs at least two nodes")
    rng = np.random.default_rng(seed)
    first = rng.permutation(np.arange(groups) % nodes)
    second = (first + rng.integers(1, nodes, groups)) % nodes
    return np.stack((first, second), axis=1)


def split(tuples_per_s: Floats, choices: Ints, capacity: Floats, seed: int) -> SplitAllocation:
    """Return how tuples divide when each goes to the node that got fewer so far."""
    rng = np.random.default_rng(seed)
    sent = [0.0] * capacity.size
    speed, pairs = capacity.tolist(), choices.tolist()
    to_first = np.zeros(tuples_per_s.size)
    portion = (tuples_per_s / PORTIONS).tolist()
    for _ in range(PORTIONS):
        for group in rng.permutation(tuples_per_s.size).tolist():
            first, second = pairs[group]
            is_first = sent[first] / speed[first] <= sent[second] / speed[second]
            sent[first if is_first else second] += portion[group]
            to_first[group] += is_first
    return SplitAllocation(choices, to_first / PORTIONS)


@dataclass(frozen=True, slots=True, eq=False)
class _Second:
    """What one second is made of: each node's work, and the share of bytes that stayed local."""

    processing: Floats
    merging: Floats
    collocation: float


def simulate_potc(
    scene: Scene, periods: int, seed: int, world: World | None = None, merge_every_s: float = 60.0
) -> tuple[PeriodReport, ...]:
    """Run ``scene`` with PoTC and return the truth of every period.

    Parameters
    ----------
    merge_every_s
        How often the two parts of a state are merged; the paper's windows have a minute.
    """
    laws = world or World()
    topology, capacity = scene.workload.topology, scene.cluster.capacities()
    choices = two_choices(topology.key_groups, capacity.size, seed)
    merges = np.array([operator.stateful for operator in topology.operators])
    merges_per_s = merges[topology.operator_of()] / merge_every_s
    source = scene.workload.begin()
    reports = []
    for number in range(min(periods, scene.workload.length or periods)):
        demand = source.demand(number, choices[:, 0])
        allocation = split(demand.tuples_per_s, choices, capacity, seed + number)
        processing, collocation = _processing(demand, allocation, laws.costs, capacity.size)
        merging = _merging(demand.state_bytes * merges_per_s, allocation, laws.costs, capacity.size)
        second = _Second(processing, merging, collocation)
        reports.append(_report(number, laws.step_s, scene, second))
    return tuple(reports)


def _processing(
    demand: Demand, allocation: SplitAllocation, costs: CostModel, nodes: int
) -> tuple[Floats, float]:
    """Return each node's work a second without merging, and the share of bytes that stay local."""
    traffic, groups = demand.traffic, demand.tuples_per_s.size
    sender = np.repeat(np.arange(groups), np.diff(traffic.indptr))
    receiver, parts = traffic.indices, allocation.parts()
    work = np.zeros(nodes)
    local_bytes = 0.0
    for part in range(2):
        here = allocation.choices[:, part]
        own = costs.process_s_per_tuple * demand.effort * demand.tuples_per_s
        own = own + costs.deserialise_s_per_byte * demand.source_bytes_per_s
        work += np.bincount(here, weights=own * parts[:, part], minlength=nodes)
        for other in range(2):
            there = allocation.choices[:, other]
            sent = traffic.data * parts[sender, part] * parts[receiver, other]
            far: Bools = here[sender] != there[receiver]
            local_bytes += float(sent[~far].sum())
            away = sent * far
            work += costs.serialise_s_per_byte * np.bincount(here[sender], away, nodes)
            work += costs.deserialise_s_per_byte * np.bincount(there[receiver], away, nodes)
    total = float(traffic.data.sum())
    return work, local_bytes / total if total else 0.0


def _merging(
    state_bytes_per_s: Floats, allocation: SplitAllocation, costs: CostModel, nodes: int
) -> Floats:
    """Return each node's work a second for merging: the smaller part goes to the larger."""
    parts = allocation.parts()
    each = np.arange(parts.shape[0])
    larger = np.argmax(parts, axis=1)
    moved = state_bytes_per_s * parts.min(axis=1)
    keeper, giver = allocation.choices[each, larger], allocation.choices[each, 1 - larger]
    taking = costs.deserialise_s_per_byte + costs.merge_s_per_byte
    given = costs.serialise_s_per_byte * np.bincount(giver, moved, nodes)
    work: Floats = given + taking * np.bincount(keeper, moved, nodes)
    return work


def _report(number: int, step_s: float, scene: Scene, second: _Second) -> PeriodReport:
    """Return the truth of one period; merging is part of the load."""
    capacity = scene.cluster.capacities()
    work = second.processing + second.merging
    load_pct = 100 * np.minimum(work / capacity, 1.0)
    mean_pct = float(100 * work.sum() / capacity.sum())
    return PeriodReport(
        number=number,
        step_s=step_s,
        nodes=tuple(node.id for node in scene.cluster.nodes),
        node_load_pct=load_pct,
        mean_load_pct=mean_pct,
        load_distance_pct=float(np.abs(load_pct - mean_pct).max()),
        collocation=second.collocation,
        makespan_s=float((work / capacity).max() * step_s),
        merge_work_s=float(second.merging.sum() * step_s),
    )
