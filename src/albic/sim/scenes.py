"""Jobs to simulate: a snapshot that goes on as it is, and the paper's synthetic setting."""

from dataclasses import dataclass, replace

import numpy as np
import scipy.sparse as sp

from albic.arrays import Ints
from albic.model import InvalidInput, Snapshot, Topology, metrics
from albic.sim.costs import PAPER_COSTS, CostModel
from albic.sim.demand import Demand, DemandSource, Scene
from albic.sim.physics import work_of
from albic.sim.workload import drift_factors


def demand_of(
    snapshot: Snapshot, costs: CostModel = PAPER_COSTS, communication: float = 0.0
) -> Demand:
    """Return the demand that makes the loads of ``snapshot``, all in all, where its groups lie.

    Parameters
    ----------
    communication
        The share of all load that is serialisation and deserialisation now. At 0 the traffic stays
        as it is and should cost nothing: simulate with ``COMPUTE_ONLY``. Above 0 the traffic is
        scaled so that its cost, with the present owners, is this share.
    """
    if not 0 <= communication < 1:
        raise InvalidInput(f"communication is {communication}; it must be from 0 to below 1")
    groups, loads = snapshot.topology.key_groups, metrics.group_loads(snapshot) / 100
    demand = Demand(
        tuples_per_s=(1 - communication) * loads / costs.process_s_per_tuple,
        effort=np.ones(groups),
        source_bytes_per_s=np.zeros(groups),
        traffic=snapshot.traffic,
        state_bytes=snapshot.state_bytes,
    )
    if communication == 0:
        return demand
    now = work_of(demand, snapshot.allocation.owner, costs).communication.sum()
    if now == 0:
        raise InvalidInput("nothing leaves its node here, so it can be no share of the load")
    factor = communication * loads.sum() / now
    return replace(demand, traffic=sp.csr_array(snapshot.traffic * factor))


@dataclass(frozen=True, slots=True, eq=False)
class Steady:
    """The same demand for ever."""

    topology: Topology
    present: Demand
    length: int | None = None

    def begin(self) -> DemandSource:
        """Return itself: nothing changes."""
        return self

    def demand(self, number: int, owner: Ints) -> Demand:  # noqa: ARG002  a source's arguments
        """Return the demand."""
        return self.present


@dataclass(frozen=True, slots=True, eq=False)
class Drifting:
    """The paper's *iterations*: each period, the load of 20 % of the nodes changes by up to 2 %."""

    topology: Topology
    first: Demand
    seed: int = 0
    length: int | None = None

    def begin(self) -> DemandSource:
        """Return a fresh walk."""
        return _Walk(self.first, np.random.default_rng(self.seed))


class _Walk:
    """One run of :class:`Drifting`."""

    def __init__(self, first: Demand, rng: np.random.Generator) -> None:
        self._present = first
        self._rng = rng

    def demand(self, number: int, owner: Ints) -> Demand:
        """Return the demand, after a change to all key groups of some nodes; the first has none."""
        if number > 0:
            nodes, position = np.unique(owner, return_inverse=True)
            factor = drift_factors(nodes.size, self._rng)
            self._present = self._present.scaled(factor[position])
        return self._present


def steady_scene(snapshot: Snapshot, demand: Demand | None = None) -> Scene:
    """Return ``snapshot`` as a job that goes on as it is; see :func:`demand_of`."""
    workload = Steady(snapshot.topology, demand or demand_of(snapshot))
    return Scene(workload, snapshot.cluster, snapshot.allocation)


def drifting_scene(snapshot: Snapshot, seed: int, demand: Demand | None = None) -> Scene:
    """Return ``snapshot`` as a job whose loads drift as in the paper's synthetic experiments.

    For those, simulate with ``COMPUTE_ONLY``: there, loads do not depend on collocation.
    """
    workload = Drifting(snapshot.topology, demand or demand_of(snapshot), seed)
    return Scene(workload, snapshot.cluster, snapshot.allocation)
