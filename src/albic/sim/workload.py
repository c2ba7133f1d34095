"""The paper's synthetic loads and traffic, from a seed.

The sections *Solver Performance for MILP* and *Load Balance and Collocation (Synthetic)* say how;
what they leave open is decided here and told in the docstrings.
"""

from dataclasses import replace

import numpy as np
import scipy.sparse as sp

from albic.arrays import Floats, Ints, Sparse
from albic.model import (
    Allocation,
    Cluster,
    InvalidInput,
    Node,
    Operator,
    Period,
    Resource,
    Snapshot,
    Topology,
)

#: The load that an average node has, in percent. The paper gives none.
AVERAGE_LOAD_PCT = 50.0
#: What an average key group keeps and sends. The paper gives neither; no result depends on them.
MEDIAN_STATE_BYTES = 1_000_000
SENT_BYTES_PER_S = 100_000.0
#: The most pairs of key groups with traffic; see ``_fan_out``.
MOST_PAIRS = 2_000_000

MOST_NODES = 100_000
MOST_KEY_GROUPS = 1_000_000
MOST_OPERATORS = 1_000


def synthetic(
    nodes: int, key_groups: int, operators: int, varies_pct: float, one_to_one: float, seed: int
) -> Snapshot:
    """Return the paper's synthetic cluster, running a chain of operators.

    Each node has the same number of key groups, drawn at random (give or take one if they do not
    divide evenly; likewise the key groups of each operator). All loads are equal up to 5 % either
    way. Then 10 % of the nodes get ``varies_pct`` / 2 points of load more and 10 % get as much
    less, at least one node of each kind where there are two.

    Parameters
    ----------
    varies_pct
        Paper: *varies*, in points of node load: the gap between a raised and a lowered node.
    one_to_one
        Paper: x, the share of each operator's key groups that send all they send to exactly one
        partner of the next operator. About this share of all traffic can be made local.
    """
    _expect_sizes(nodes, key_groups, operators)
    _expect_shares(varies_pct, one_to_one)
    rng = _generator(seed)
    topology = _chain(key_groups, operators)
    owner = rng.permutation(np.arange(key_groups) % nodes)
    usage = np.zeros((len(Resource), key_groups))
    usage[Resource.CPU] = _loads(owner, nodes, varies_pct, rng)
    return Snapshot(
        period=Period(0.0, 60.0),
        topology=topology,
        cluster=Cluster(tuple(Node(f"node-{position:03d}") for position in range(nodes))),
        allocation=Allocation(owner),
        usage=usage,
        state_bytes=rng.lognormal(np.log(MEDIAN_STATE_BYTES), 0.5, key_groups).astype(np.int64),
        traffic=_traffic(topology, one_to_one, rng),
        background=np.zeros(nodes),
    )


def drift(snapshot: Snapshot, seed: int) -> Snapshot:
    """Return the next period: the load of 20 % of the nodes changed by up to 2 % either way.

    At least one node changes; all key groups of a changed node do so alike.
    """
    factor = drift_factors(len(snapshot.cluster.nodes), _generator(seed))
    period = snapshot.period
    return replace(
        snapshot,
        period=Period(period.end_s, 2 * period.end_s - period.start_s),
        usage=snapshot.usage * factor[snapshot.allocation.owner],
    )


def drift_factors(nodes: int, rng: np.random.Generator) -> Floats:
    """Return by what the load of each node changes: 20 % of them, at least one, by up to 2 %."""
    changed = rng.choice(nodes, size=max(1, round(0.2 * nodes)), replace=False)
    factor = np.ones(nodes)
    factor[changed] += rng.uniform(-0.02, 0.02, changed.size)
    return factor


def _generator(seed: int) -> np.random.Generator:
    """Return the source of every random choice."""
    if not 0 <= seed < 2**63:
        raise InvalidInput(f"the seed is {seed}; it must be 0 or more and below 2^63")
    return np.random.default_rng(seed)


def _expect_sizes(nodes: int, key_groups: int, operators: int) -> None:
    """Refuse clusters that cannot be dealt out, or that no memory would hold."""
    for count, name, most in (
        (nodes, "nodes", MOST_NODES),
        (key_groups, "key groups", MOST_KEY_GROUPS),
        (operators, "operators", MOST_OPERATORS),
    ):
        if not 1 <= count <= most:
            raise InvalidInput(f"{count} {name} were asked for; it must be 1 to {most}")
    for count, name in ((nodes, "nodes"), (operators, "operators")):
        if key_groups < count:
            raise InvalidInput(
                f"{key_groups} key groups cannot be spread over {count} {name}; "
                f"there must be at least one for each"
            )


def _expect_shares(varies_pct: float, one_to_one: float) -> None:
    """Refuse what would make a load negative, or a share more than all."""
    most = 2 * AVERAGE_LOAD_PCT * 0.9
    if not 0 <= varies_pct <= most:
        raise InvalidInput(
            f"varies is {varies_pct:g}; it must be 0 to {most:g} points, for half of it is "
            f"taken from nodes with a load of {AVERAGE_LOAD_PCT:g}"
        )
    if not 0 <= one_to_one <= 1:
        raise InvalidInput(f"one-to-one is {one_to_one:g}; it must be a share from 0 to 1")


def _chain(key_groups: int, operators: int) -> Topology:
    """Return operators in a row, the first of them larger by one if need be."""
    least, more = divmod(key_groups, operators)
    return Topology(
        tuple(Operator(f"op-{at:02d}", least + (at < more)) for at in range(operators)),
        tuple((at, at + 1) for at in range(operators - 1)),
    )


def _loads(owner: Ints, nodes: int, varies_pct: float, rng: np.random.Generator) -> Floats:
    """Return each key group's load: the mean, ±5 %, and some nodes raised or lowered."""
    mean = AVERAGE_LOAD_PCT * nodes / owner.size
    loads = mean * (1 + rng.uniform(-0.05, 0.05, owner.size))
    each = min(max(1, round(0.1 * nodes)), nodes // 2)
    chosen = rng.choice(nodes, size=2 * each, replace=False)
    by_node = np.argsort(owner, kind="stable")
    bounds = np.searchsorted(owner[by_node], np.arange(nodes + 1))
    for rank, node in enumerate(chosen):
        mine = rng.permutation(by_node[bounds[node] : bounds[node + 1]])
        change = _raised if rank < each else _lowered
        loads[mine] = change(loads[mine], varies_pct / 2, rng)
    return loads


def _raised(loads: Floats, by_pct: float, rng: np.random.Generator) -> Floats:
    """Return the loads of one node, a random part of them larger by ``by_pct`` in all."""
    some = _some_of(loads, rng)
    weight = rng.uniform(size=some)
    raised = loads.copy()
    raised[:some] += by_pct * weight / weight.sum()
    return raised


def _lowered(loads: Floats, by_pct: float, rng: np.random.Generator) -> Floats:
    """Return the loads of one node, a random part of them scaled down by ``by_pct`` in all.

    The part grows until it is heavy enough; a node that has less than ``by_pct`` gives all.
    """
    enough = int(np.searchsorted(np.cumsum(loads), by_pct)) + 1
    some = max(_some_of(loads, rng), min(enough, loads.size))
    lowered = loads.copy()
    lowered[:some] *= max(0.0, 1 - by_pct / loads[:some].sum())
    return lowered


def _some_of(loads: Floats, rng: np.random.Generator) -> int:
    """Return how many of a node's key groups change: 25 % to 75 % of them."""
    return max(1, round(rng.uniform(0.25, 0.75) * loads.size))


def _traffic(topology: Topology, one_to_one: float, rng: np.random.Generator) -> Sparse:
    """Return the traffic along the chain; every key group but the last operator's sends as much."""
    groups, offsets = topology.key_groups, topology.offsets()
    if not topology.streams:
        return sp.csr_array((groups, groups), dtype=np.float64)
    widest = MOST_PAIRS // int(offsets[-2])
    edges = []
    for up, down in topology.streams:
        senders, receivers = (np.arange(offsets[end], offsets[end + 1]) for end in (up, down))
        shuffled = rng.permutation(senders), rng.permutation(receivers)
        edges.append(_edge(*shuffled, one_to_one, widest))
    sender, receiver, rate = (np.concatenate(column) for column in zip(*edges, strict=True))
    return sp.coo_array((rate, (sender, receiver)), shape=(groups, groups)).tocsr()


def _edge(
    senders: Ints, receivers: Ints, one_to_one: float, widest: int
) -> tuple[Ints, Ints, Floats]:
    """Return the traffic of one stream: sender, receiver and bytes/s of every pair.

    Partners have no other traffic on this stream. The rest send to all of the rest.
    """
    pairs = round(one_to_one * min(senders.size, receivers.size))
    rest, others = senders[pairs:], receivers[pairs:]
    if not others.size:
        # Every receiver has its partner, and there are senders left.
        others = receivers
    sender, receiver, share = _fan_out(rest, others, widest)
    return (
        np.concatenate((senders[:pairs], sender)),
        np.concatenate((receivers[:pairs], receiver)),
        SENT_BYTES_PER_S * np.concatenate((np.ones(pairs), share)),
    )


def _fan_out(senders: Ints, receivers: Ints, widest: int) -> tuple[Ints, Ints, Floats]:
    """Return full partitioning: every sender to every receiver, in equal shares.

    In large clusters that is hundreds of millions of pairs. A sender then has ``widest`` receivers
    instead of all, dealt out in turn: as many bytes in fewer and larger portions, local by chance
    as often as before.
    """
    width = min(receivers.size, max(1, widest))
    turn = np.arange(senders.size * width) % receivers.size
    return np.repeat(senders, width), receivers[turn], np.full(turn.size, 1 / width)
