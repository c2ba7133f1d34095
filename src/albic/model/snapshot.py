"""What was measured in one period."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np

from albic.arrays import Floats, Ints, Sparse, sealed
from albic.model.allocation import Allocation
from albic.model.cluster import Cluster
from albic.model.errors import InvalidInput
from albic.model.notebook_html import sketch
from albic.model.topology import Topology


class Resource(IntEnum):
    """The measured resources, in the order of the rows of ``Snapshot.usage``."""

    CPU = 0
    MEMORY = 1
    NETWORK = 2


@dataclass(frozen=True, slots=True)
class Period:
    """The wall-clock span that was measured; paper: [T_i, T_j], SPL long."""

    start_s: float
    end_s: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.start_s) and math.isfinite(self.end_s)):
            raise InvalidInput("period: start_s and end_s must be finite numbers")
        if self.end_s <= self.start_s:
            raise InvalidInput(f"period ends at {self.end_s} s, not after it starts")


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """One period's measurements of every key group.

    ``usage`` has a row a resource, in percentage points of the reference node; ``background`` is
    what each node does for no key group, in percent of that node's bottleneck resource;
    ``traffic[k, l]`` is what key group k sends to l, in bytes/s. ``chain_work`` has, by the name of
    an operator that is a chain, the share of its work that each operator of the chain does.
    """

    period: Period
    topology: Topology
    cluster: Cluster
    allocation: Allocation
    usage: Floats
    state_bytes: Ints
    traffic: Sparse
    background: Floats
    generation: int = 0
    coverage: float = 1.0
    chain_work: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        groups, nodes = self.topology.key_groups, len(self.cluster.nodes)
        object.__setattr__(self, "usage", sealed(self.usage, np.float64))
        object.__setattr__(self, "state_bytes", sealed(self.state_bytes, np.int64))
        object.__setattr__(self, "background", sealed(self.background, np.float64))
        traffic: Sparse = self.traffic.astype(np.float64, copy=True)
        traffic.sum_duplicates()
        for part in (traffic.data, traffic.indices, traffic.indptr):
            part.setflags(write=False)
        object.__setattr__(self, "traffic", traffic)
        owner = self.allocation.owner
        _expect_shape("owner", owner, (groups,))
        _expect_shape("usage", self.usage, (len(Resource), groups))
        _expect_shape("state_bytes", self.state_bytes, (groups,))
        _expect_shape("background", self.background, (nodes,))
        _expect_shape("traffic", traffic, (groups, groups))
        if outside := np.flatnonzero((owner < 0) | (owner >= nodes)).tolist():
            raise InvalidInput(
                f"owner[{outside[0]}] is node {owner[outside[0]]}; there are {nodes}, "
                f"numbered from 0"
            )
        for resource in Resource:
            _expect_amounts(f"usage.{resource.name.lower()}", self.usage[resource])
        _expect_amounts("background", self.background)
        _expect_amounts("state_bytes", self.state_bytes)
        _expect_amounts("traffic.bytes_per_s", traffic.data)

    def _repr_html_(self) -> str:
        """Return what a notebook shows: how much of each node's processors key groups use."""
        nodes, groups = self.cluster.nodes, self.topology.key_groups
        work = np.bincount(
            self.allocation.owner, weights=self.usage[Resource.CPU], minlength=len(nodes)
        )
        use: Floats = work / self.cluster.capacities()
        names = ", ".join(operator.name for operator in self.topology.operators[:5])
        sentence = (
            f"{groups} key groups of {len(self.topology.operators)} operators ({names}) on "
            f"{len(nodes)} nodes; processors in use, the line is the mean"
        )
        bars = [(node.id, float(value)) for node, value in zip(nodes, use, strict=True)]
        return sketch(sentence, bars, " %", float(use.mean()))


def _expect_shape(name: str, array: Floats | Ints | Sparse, shape: tuple[int, ...]) -> None:
    """Refuse an array of another shape."""
    if array.shape != shape:
        raise InvalidInput(f"{name} has shape {array.shape}, expected {shape}")


def _expect_amounts(name: str, values: Floats | Ints) -> None:
    """Refuse what cannot be an amount: NaN, infinite or negative."""
    wrong = np.flatnonzero(~np.isfinite(values) | (values < 0))
    if wrong.size:
        raise InvalidInput(
            f"{name}[{wrong[0]}] is {values[wrong[0]]}; it must be a finite number, 0 or more"
        )
