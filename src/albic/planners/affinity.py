"""Which key groups talk to each other more than to others: step 1 of ALBIC."""

from typing import NamedTuple

import numpy as np

from albic.arrays import Bools, Floats, Ints
from albic.model import Snapshot, Topology


class Pairs(NamedTuple):
    """Pairs of key groups, each once, and what the first sends to the second in bytes/s."""

    upstream: Ints
    downstream: Ints
    rate: Floats

    def where(self, chosen: Bools) -> "Pairs":
        """Return only the ``chosen`` pairs."""
        return Pairs(self.upstream[chosen], self.downstream[chosen], self.rate[chosen])


def heavy_pairs(snapshot: Snapshot, score_factor: float) -> Pairs:
    """Return the pairs that gain by collocation, in order of upstream, then downstream key group.

    A pair is heavy when its rate is above ``score_factor`` times what its upstream key group sends
    on average to each key group of all operators downstream, silent ones included. Paper:
    out(g_k, g_j) > avg(g_k) · sF. Traffic beside the declared streams does not count.
    """
    topology = snapshot.topology
    traffic = snapshot.traffic.tocoo()
    upstream, downstream = traffic.row.astype(np.int64), traffic.col.astype(np.int64)
    operator_of = topology.operator_of()
    feeds = _feeds(topology)
    along = feeds[operator_of[upstream], operator_of[downstream]]
    pairs = Pairs(upstream, downstream, traffic.data).where(along)
    output = np.bincount(pairs.upstream, weights=pairs.rate, minlength=topology.key_groups)
    listeners = feeds @ np.array([operator.key_groups for operator in topology.operators])
    # An operator without a listener has no pair, so its average is never looked at.
    average = output / np.maximum(listeners[operator_of], 1)
    heavy = pairs.where(pairs.rate > average[pairs.upstream] * score_factor)
    order = np.lexsort((heavy.downstream, heavy.upstream))
    return Pairs(heavy.upstream[order], heavy.downstream[order], heavy.rate[order])


def _feeds(topology: Topology) -> Bools:
    """Return which operator (row) feeds which (column)."""
    feeds = np.zeros((len(topology.operators),) * 2, dtype=bool)
    for up, down in topology.streams:
        feeds[up, down] = True
    return feeds
