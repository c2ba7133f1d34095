"""A demand laid on nodes: where key groups begin, how fast rows come, and in which sizes.

Data say how many rows and bytes each key group has beside the others. How much that is for a node
is not in them: the pace of the whole is set so that nodes are half busy, as in all our figures.
"""

from dataclasses import replace

import numpy as np

from albic.model import Allocation, InvalidInput, Topology
from albic.sim.costs import CostModel
from albic.sim.physics import work_of
from albic.sim.trace import Trace

#: The mean load of the nodes over all periods, where nothing is moved.
MEAN_LOAD = 0.5
#: With the paper's costs such a row makes Real Job 2 half as busy once it is collocated.
PAPER_ROW_BYTES = 500.0
#: On average; times α it is the paper's pause of 2.5 s.
PAPER_STATE_BYTES = 1e6


def apart(topology: Topology, nodes: int) -> Allocation:
    """Return an even allocation in which partners of different operators do not meet."""
    operator = topology.operator_of()
    partition = np.arange(topology.key_groups) - topology.offsets()[operator]
    return Allocation((partition + operator) % nodes)


def dealt(topology: Topology, nodes: int, seed: int) -> Allocation:
    """Return an even allocation at random."""
    return Allocation(np.random.default_rng(seed).permutation(topology.key_groups) % nodes)


def half_busy(trace: Trace, costs: CostModel) -> Trace:
    """Return the trace at the pace at which its nodes have the mean load, with these costs."""
    owner, nodes = trace.allocation.owner, len(trace.cluster.nodes)
    # Work grows with the demand, so the mean demand takes the mean work.
    whole = replace(
        trace,
        tuples_per_s=trace.tuples_per_s.mean(axis=0, keepdims=True),
        source_bytes_per_s=trace.source_bytes_per_s.mean(axis=0, keepdims=True),
        state_bytes=trace.state_bytes[:1],
        traffic_bytes_per_s=trace.traffic_bytes_per_s.mean(axis=0, keepdims=True),
    )
    seconds = float(work_of(whole.begin().demand(0, owner), owner, costs).seconds().sum())
    if not seconds > 0:
        raise InvalidInput("the trace asks for no work in any period")
    factor = MEAN_LOAD * nodes / seconds
    return replace(
        trace,
        tuples_per_s=factor * trace.tuples_per_s,
        source_bytes_per_s=factor * trace.source_bytes_per_s,
        traffic_bytes_per_s=factor * trace.traffic_bytes_per_s,
    )


def in_the_papers_sizes(trace: Trace) -> Trace:
    """Return the trace with rows and states of the sizes that the paper's costs were set for.

    A row from outside has 500 bytes and a key group 1 MB of state, on average; all others keep
    their proportion to these. What has no such row or no state stays as it is.
    """
    read = trace.source_bytes_per_s > 0
    rows, read_bytes = trace.tuples_per_s[read].sum(), trace.source_bytes_per_s.sum()
    wider = PAPER_ROW_BYTES * rows / read_bytes if read_bytes else 1.0
    held = trace.state_bytes.mean()
    return replace(
        trace,
        source_bytes_per_s=wider * trace.source_bytes_per_s,
        traffic_bytes_per_s=wider * trace.traffic_bytes_per_s,
        state_bytes=(PAPER_STATE_BYTES / held if held else 1.0) * trace.state_bytes,
    )


def as_long(trace: Trace, periods: int) -> Trace:
    """Return so many periods of the trace; it begins again where it ends."""
    again = np.arange(periods) % trace.length
    return replace(
        trace,
        tuples_per_s=trace.tuples_per_s[again],
        source_bytes_per_s=trace.source_bytes_per_s[again],
        state_bytes=trace.state_bytes[again],
        traffic_bytes_per_s=trace.traffic_bytes_per_s[again],
    )
