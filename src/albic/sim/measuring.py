"""What a controller gets to see of a simulated job."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from albic.arrays import Floats, Ints, Sparse
from albic.model import Allocation, NotReady, Period, Resource, Snapshot, Throughput, Topology
from albic.sim.demand import Demand
from albic.sim.nodes import Nodes
from albic.sim.physics import Step
from albic.sim.report import PeriodReport


@dataclass(frozen=True, slots=True)
class Eyesight:
    """How well a controller sees.

    Parameters
    ----------
    noise_pct
        Standard deviation of each measured load, in percent of it.
    knows_capacities
        Whether it knows how fast nodes really are. If not, key groups on a degraded node look
        heavier than they are.
    """

    noise_pct: float = 0.0
    knows_capacities: bool = True
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """One step as it was; ``arrived_s`` is the work that came in for each key group."""

    step: Step
    demand: Demand
    owner: Ints
    nodes: Nodes
    arrived_s: Floats


class _Pace(NamedTuple):
    """How one step kept up."""

    makespan_s: float
    arrived_s: float
    done_s: float


class Measurements:
    """Adds up what the steps of a period did."""

    def __init__(
        self, topology: Topology, eyesight: Eyesight, memory_pct: Callable[[Ints], Floats]
    ) -> None:
        self._topology = topology
        self._eyesight = eyesight
        self._memory_pct = memory_pct
        self._rng = np.random.default_rng(eyesight.seed)
        groups = topology.key_groups
        #: Load of each key group in the last period in which it ran; NaN before that.
        self._known_pct = np.full(groups, np.nan)
        self._busy_s, self._ran_s = np.zeros(groups), np.zeros(groups)
        self._demands: list[Demand] = []
        self._steps: list[_Pace] = []
        self._span_s = (0.0, 0.0)
        self._fresh = True

    def add(self, seen: Seen, truth: PeriodReport) -> None:
        """Take in one step."""
        step_s = truth.step_s
        busy_s = seen.step.done_s
        if not self._eyesight.knows_capacities:
            true = seen.nodes.true_capacities()
            claimed = np.array([node.capacity for node in seen.nodes.listed])
            slower = np.divide(claimed, true, out=np.ones(true.size), where=true > 0)
            busy_s = busy_s * slower[seen.owner]
        if self._fresh:
            self._steps, self._demands = [], []
            self._span_s = (self._span_s[1], self._span_s[1])
            self._fresh = False
        self._busy_s += busy_s
        self._ran_s += step_s * seen.step.ran
        self._demands.append(seen.demand)
        self._steps.append(_Pace(truth.makespan_s, seen.arrived_s.sum(), seen.step.done_s.sum()))
        self._span_s = (self._span_s[0], self._span_s[1] + step_s)

    def throughput(self, step_s: float) -> Throughput:
        """Return how the job kept up since the period began."""
        if not self._steps:
            return Throughput()
        arrived_s = sum(step.arrived_s for step in self._steps)
        done_s = sum(step.done_s for step in self._steps)
        return Throughput(
            batch_s=sum(step.makespan_s for step in self._steps) / len(self._steps),
            interval_s=step_s,
            arrived_share=max(arrived_s / done_s, 1.0) if done_s > 0 else 1.0,
        )

    def new_period(self) -> None:
        """Begin anew with the next step; where there is none yet, the last period counts."""
        self._known_pct = self._loads_pct()
        self._busy_s[:] = 0.0
        self._ran_s[:] = 0.0
        self._fresh = True

    def snapshot(self, owner: Ints, nodes: Nodes, generation: int) -> Snapshot:
        """Return what was measured since the period began."""
        if not self._demands:
            raise NotReady("no step of the simulated job has ended yet")
        if nodes.lost().all():
            raise NotReady("there is no live node")
        loads_pct = self._loads_pct()
        if np.isnan(loads_pct).any():
            missing = int(np.isnan(loads_pct).sum())
            raise NotReady(f"{missing} of {owner.size} key groups have not run yet")
        noise = self._rng.normal(1.0, self._eyesight.noise_pct / 100, owner.size)
        usage = np.zeros((len(Resource), owner.size))
        usage[Resource.CPU] = loads_pct * np.maximum(noise, 0.0)
        usage[Resource.MEMORY] = self._memory_pct(self._demands[-1].state_bytes)
        return Snapshot(
            period=Period(*self._span_s),
            topology=self._topology,
            cluster=nodes.cluster(true=self._eyesight.knows_capacities),
            allocation=Allocation(owner),
            usage=usage,
            state_bytes=self._demands[-1].state_bytes,
            traffic=self._traffic(),
            background=np.zeros(len(nodes)),
            generation=generation,
        )

    def _loads_pct(self) -> Floats:
        """Return each key group's load; of one that stood still, what it was before."""
        loads_pct = self._known_pct.copy()
        np.divide(100 * self._busy_s, self._ran_s, out=loads_pct, where=self._ran_s > 0)
        return loads_pct

    def _traffic(self) -> Sparse:
        """Return the mean traffic of the period."""
        total = self._demands[0].traffic
        for demand in self._demands[1:]:
            total = sp.csr_array(total + demand.traffic)
        return sp.csr_array(total * (1 / len(self._demands)))
