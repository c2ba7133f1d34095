"""A job's demand period by period, as arrays; every trace is a workload."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from albic.arrays import Floats, Ints, Sparse, sealed
from albic.model import Allocation, Cluster, InvalidInput, Topology
from albic.sim.demand import Demand, DemandSource, Scene

#: Arrays with a row a period and a column a key group.
PER_GROUP = ("tuples_per_s", "source_bytes_per_s", "state_bytes")


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """What every key group was asked to do in every period, and where it began.

    Parameters
    ----------
    step_s
        How long a period is.
    effort
        What a tuple of each operator costs, relative to ``CostModel.process_s_per_tuple``.
    tuples_per_s, source_bytes_per_s, state_bytes
        A row a period, a column a key group; see :class:`~albic.sim.demand.Demand`.
    sender, receiver
        The pairs of key groups with traffic, each once.
    traffic_bytes_per_s
        A row a period, a column a pair.
    about
        Whose rows these are, in a few words; nothing where nobody said.
    """

    topology: Topology
    cluster: Cluster
    allocation: Allocation
    step_s: float
    effort: Floats
    tuples_per_s: Floats
    source_bytes_per_s: Floats
    state_bytes: Floats
    sender: Ints
    receiver: Ints
    traffic_bytes_per_s: Floats
    about: str = ""

    def __post_init__(self) -> None:
        for name in ("effort", *PER_GROUP, "traffic_bytes_per_s"):
            object.__setattr__(self, name, sealed(getattr(self, name), np.float64))
        for name in ("sender", "receiver"):
            object.__setattr__(self, name, sealed(getattr(self, name), np.int64))
        self._expect_shapes()
        for name in ("effort", *PER_GROUP, "traffic_bytes_per_s"):
            values = getattr(self, name)
            if not (np.isfinite(values).all() and (values >= 0).all()):
                raise InvalidInput(f"{name} has a number that is negative or not finite")
        if not (np.isfinite(self.step_s) and self.step_s > 0):
            raise InvalidInput(f"step_s is {self.step_s}; it must be above 0")
        self._expect_pairs()
        self.scene()  # refuses a wrong allocation

    @property
    def length(self) -> int:
        """Return how many periods there are."""
        return int(self.tuples_per_s.shape[0])

    def begin(self) -> DemandSource:
        """Return a replay."""
        return _Replay(self)

    def scene(self) -> Scene:
        """Return the trace as something to simulate, from its own first allocation."""
        return Scene(self, self.cluster, self.allocation)

    def _expect_shapes(self) -> None:
        """Refuse arrays of another shape than the job has."""
        if self.tuples_per_s.ndim != 2:
            raise InvalidInput("tuples_per_s must have a row for each period")
        periods, groups, pairs = self.length, self.topology.key_groups, self.sender.size
        if not periods:
            raise InvalidInput("the trace has no period")
        expected: Mapping[str, tuple[int, ...]] = {
            "effort": (len(self.topology.operators),),
            **dict.fromkeys(PER_GROUP, (periods, groups)),
            "receiver": (pairs,),
            "traffic_bytes_per_s": (periods, pairs),
        }
        for name, shape in expected.items():
            if (found := getattr(self, name).shape) != shape:
                raise InvalidInput(f"{name} has shape {found}, expected {shape}")

    def _expect_pairs(self) -> None:
        """Refuse pairs of key groups that are not there, or there twice."""
        groups = self.topology.key_groups
        for name in ("sender", "receiver"):
            ends = getattr(self, name)
            if ends.size and not (ends.min() >= 0 and ends.max() < groups):
                raise InvalidInput(f"{name} names a key group outside of 0 to {groups - 1}")
        if np.unique(self.sender * groups + self.receiver).size < self.sender.size:
            raise InvalidInput("a pair of key groups has its traffic listed twice")


def paired(traffic: Sequence[Sparse]) -> tuple[Ints, Ints, Floats]:
    """Return senders, receivers, and a row of amounts a period for every pair that ever talks."""
    groups = traffic[0].shape[0]
    each = [_places(matrix) for matrix in traffic]
    places: Ints = np.unique(np.concatenate(each))
    amounts = np.zeros((len(traffic), places.size))
    for period, (matrix, at) in enumerate(zip(traffic, each, strict=True)):
        amounts[period, np.searchsorted(places, at)] = matrix.data
    return places // groups, places % groups, amounts


def _places(matrix: Sparse) -> Ints:
    """Return where the entries of a matrix are, counted row by row."""
    groups = matrix.shape[0]
    rows = np.repeat(np.arange(groups, dtype=np.int64), np.diff(matrix.indptr))
    places: Ints = rows * groups + matrix.indices
    return places


class _Replay:
    """One run of a trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._effort = trace.effort[trace.topology.operator_of()]
        # The pattern is the same in every period; only the numbers are new.
        self._order = np.lexsort((trace.receiver, trace.sender))
        counts = np.bincount(trace.sender, minlength=trace.topology.key_groups)
        self._starts = np.concatenate(([0], np.cumsum(counts)))

    def demand(self, number: int, owner: Ints) -> Demand:
        """Return the demand of a period, wherever the key groups are."""
        trace, groups = self._trace, owner.size
        rate = trace.traffic_bytes_per_s[number][self._order]
        return Demand(
            tuples_per_s=trace.tuples_per_s[number],
            effort=self._effort,
            source_bytes_per_s=trace.source_bytes_per_s[number],
            traffic=sp.csr_array(
                (rate, trace.receiver[self._order], self._starts), shape=(groups, groups)
            ),
            state_bytes=trace.state_bytes[number].astype(np.int64),
        )
