"""What a job is asked to do, wherever its key groups lie."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from albic.arrays import Floats, Ints, Sparse, sealed
from albic.model import Allocation, Cluster, InvalidInput, Topology


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """One period's demand on every key group.

    Parameters
    ----------
    tuples_per_s
        Tuples that arrive at each key group.
    effort
        What a tuple of each key group costs, relative to ``CostModel.process_s_per_tuple``.
    source_bytes_per_s
        Bytes that come from outside the job. They are deserialised wherever the key group lies.
    traffic
        What each key group sends to each other, in bytes/s.
    state_bytes
        The size of each key group's state.
    """

    tuples_per_s: Floats
    effort: Floats
    source_bytes_per_s: Floats
    traffic: Sparse
    state_bytes: Ints

    def __post_init__(self) -> None:
        groups = self.traffic.shape[0]
        for name in ("tuples_per_s", "effort", "source_bytes_per_s"):
            object.__setattr__(self, name, _amounts(name, getattr(self, name), groups))
        sizes = _amounts("state_bytes", self.state_bytes, groups)
        object.__setattr__(self, "state_bytes", sealed(sizes, np.int64))

    def scaled(self, factor: Floats) -> "Demand":
        """Return the demand with ``factor`` times the tuples at each key group, and their bytes.

        A key group sends on in proportion to what it gets; state stays as it is.
        """
        traffic = self.traffic.copy()
        traffic.data = traffic.data * np.repeat(factor, np.diff(traffic.indptr))
        return replace(
            self,
            tuples_per_s=self.tuples_per_s * factor,
            source_bytes_per_s=self.source_bytes_per_s * factor,
            traffic=traffic,
        )


def _amounts(name: str, values: Floats | Ints, groups: int) -> Floats:
    """Return ``values`` sealed; refuse a wrong length, NaN, infinite and negative ones."""
    found: Floats = sealed(values, np.float64)
    if found.shape != (groups,):
        raise InvalidInput(f"{name} has shape {found.shape}, expected one number a key group")
    wrong = np.flatnonzero(~np.isfinite(found) | (found < 0))
    if wrong.size:
        raise InvalidInput(
            f"{name}[{wrong[0]}] is {found[wrong[0]]}; it must be a finite number, 0 or more"
        )
    return found


class DemandSource(Protocol):
    """One run of a workload."""

    def demand(self, number: int, owner: Ints) -> Demand:
        """Return the demand of a period; called once for each, in order, with the owners then."""
        ...


class Workload(Protocol):
    """A recipe for demands; every run of it begins anew and comes out the same."""

    @property
    def topology(self) -> Topology:
        """Return the job."""
        ...

    @property
    def length(self) -> int | None:
        """Return for how many periods there is a demand; None for ever."""
        ...

    def begin(self) -> DemandSource:
        """Return a fresh run."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What a simulation starts from: a job, its nodes, and who owns what at first."""

    workload: Workload
    cluster: Cluster
    allocation: Allocation

    def __post_init__(self) -> None:
        groups, nodes = self.workload.topology.key_groups, len(self.cluster.nodes)
        owner = self.allocation.owner
        if owner.shape != (groups,) or ((owner < 0) | (owner >= nodes)).any():
            raise InvalidInput(
                f"the allocation must name one of {nodes} nodes for each of {groups} key groups"
            )
        if self.cluster.draining().any():
            raise InvalidInput(
                "a node of the scene is draining; let a scaling policy mark it (ScriptedScaling)"
            )
