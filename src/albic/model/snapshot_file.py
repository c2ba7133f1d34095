"""Snapshots as JSON files; ``docs/formats.md`` tells the format to those who write them."""

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from albic.arrays import Floats, Ints, Sparse
from albic.model.allocation import Allocation
from albic.model.cluster import Cluster, Node, NodeState
from albic.model.errors import InvalidInput
from albic.model.fields import Fields, Span, wholes
from albic.model.files import blaming, load_document, save_document
from albic.model.snapshot import Period, Resource, Snapshot
from albic.model.topology import Operator, Topology

FORMAT = "albic-snapshot/1"

FIELDS = (
    "format",
    "period",
    "operators",
    "streams",
    "stages",
    "nodes",
    "background",
    "owner",
    "usage",
    "state_bytes",
    "traffic",
)

OPERATOR = ("name", "key_groups", "stateful", "chain")
CHAINED = ("name", "share")

# Far beyond any real cluster, and small enough that no sum over it overflows or turns inexact.
SECONDS = Span(-1e12, 1e12)
CAPACITIES = Span(1e-6, 1e6)
PERCENT = Span(0, 1e9)
BYTES = Span(0, 2**53)
RATES = Span(0, 1e15)
POSITIONS = Span(0, 2**53)
COUNTS = Span(1, 1e9)
SHARES = Span(0, 1)
SLOTS = Span(1, 1e6)


def read_snapshot(path: Path) -> Snapshot:
    """Return the snapshot in the file at ``path``; its generation is 0."""
    with blaming(path):
        return snapshot_from(load_document(path))


def write_snapshot(path: Path, snapshot: Snapshot) -> None:
    """Write ``snapshot`` to ``path`` so that it reads back exactly, its generation aside."""
    with blaming(path):
        save_document(path, snapshot_document(snapshot))


def snapshot_from(document: object) -> Snapshot:
    """Return the snapshot that a parsed document describes."""
    fields = Fields.of(document, "", FIELDS)
    fields.choice("format", (FORMAT,))
    topology, cluster = _topology(fields), _cluster(fields)
    groups, nodes = topology.key_groups, len(cluster.nodes)
    owner = fields.wholes("owner", POSITIONS)
    _expect_groups("owner", owner, groups)
    state_bytes = fields.wholes("state_bytes", BYTES)
    _expect_groups("state_bytes", state_bytes, groups)
    return Snapshot(
        period=_period(fields),
        topology=topology,
        cluster=cluster,
        allocation=Allocation(owner),
        usage=_usage(fields, groups),
        state_bytes=state_bytes,
        traffic=_traffic(fields, groups),
        background=_background(fields, nodes),
        chain_work=_chain_work(fields),
    )


def snapshot_document(snapshot: Snapshot) -> dict[str, object]:
    """Return ``snapshot`` as a document; what is optional and all zero is left out."""
    document: dict[str, object] = {
        "format": FORMAT,
        "period": {"start_s": snapshot.period.start_s, "end_s": snapshot.period.end_s},
        "operators": [
            {
                "name": o.name,
                "key_groups": o.key_groups,
                "stateful": o.stateful,
                **({"chain": _chain(o, snapshot)} if o.chain else {}),
            }
            for o in snapshot.topology.operators
        ],
        "streams": [list(ends) for ends in snapshot.topology.streams],
        "nodes": [
            {
                "id": node.id,
                "capacity": node.capacity,
                "state": node.state.value,
                **({"slots": node.slots} if node.slots > 1 else {}),
            }
            for node in snapshot.cluster.nodes
        ],
    }
    if snapshot.topology.stages:
        document["stages"] = list(snapshot.topology.stages)
    if snapshot.background.any():
        document["background"] = snapshot.background.tolist()
    document["owner"] = snapshot.allocation.owner.tolist()
    document["usage"] = {
        resource.name.lower(): snapshot.usage[resource].tolist()
        for resource in Resource
        if resource is Resource.CPU or snapshot.usage[resource].any()
    }
    document["state_bytes"] = snapshot.state_bytes.tolist()
    if snapshot.traffic.nnz:
        pairs = snapshot.traffic.tocoo()
        document["traffic"] = {
            "from": pairs.row.tolist(),
            "to": pairs.col.tolist(),
            "bytes_per_s": pairs.data.tolist(),
        }
    return document


def _chain(operator: Operator, snapshot: Snapshot) -> list[dict[str, object]]:
    """Return the operators of a chain, with their share of its work where it was measured."""
    shares = snapshot.chain_work.get(operator.name, ())
    measured = [{"share": share} for share in shares] or [{} for _ in operator.chain]
    return [{"name": name, **each} for name, each in zip(operator.chain, measured, strict=True)]


def _chain_work(fields: Fields) -> dict[str, tuple[float, ...]]:
    """Return the shares of those chains that have them."""
    found = {}
    for each in fields.each("operators", OPERATOR):
        members = each.each("chain", CHAINED) if "chain" in each else []
        if any("share" in member for member in members):
            found[each.name("name")] = tuple(member.number("share", SHARES) for member in members)
    return found


def _period(fields: Fields) -> Period:
    span = fields.inner("period", ("start_s", "end_s"))
    return Period(span.number("start_s", SECONDS), span.number("end_s", SECONDS))


def _topology(fields: Fields) -> Topology:
    operators = tuple(
        Operator(
            each.name("name"),
            each.whole("key_groups", COUNTS),
            each.flag("stateful"),
            tuple(member.name("name") for member in each.each("chain", CHAINED))
            if "chain" in each
            else (),
        )
        for each in fields.each("operators", OPERATOR)
    )
    streams = []
    for position, ends in enumerate(fields.array("streams")):
        place = f"streams[{position}]"
        if not isinstance(ends, list) or len(ends) != 2:
            raise InvalidInput(f"{place} must be a pair of operators: [upstream, downstream]")
        up, down = wholes(ends, POSITIONS, place).tolist()
        streams.append((up, down))
    stages = fields.wholes("stages", POSITIONS).tolist() if "stages" in fields else []
    return Topology(operators, tuple(streams), tuple(stages))


def _cluster(fields: Fields) -> Cluster:
    states = tuple(state.value for state in NodeState)
    return Cluster(
        tuple(
            Node(
                each.name("id"),
                each.number("capacity", CAPACITIES),
                NodeState(each.choice("state", states)),
                each.whole("slots", SLOTS) if "slots" in each else 1,
            )
            for each in fields.each("nodes", ("id", "capacity", "state", "slots"))
        )
    )


def _background(fields: Fields, nodes: int) -> Floats:
    if "background" not in fields:
        return np.zeros(nodes)
    background = fields.numbers("background", PERCENT)
    if background.size != nodes:
        raise InvalidInput(f"background has {background.size} entries; there are {nodes} nodes")
    return background


def _usage(fields: Fields, groups: int) -> Floats:
    """Return a row a resource; those that were not measured are zero."""
    names = [resource.name.lower() for resource in Resource]
    given = fields.inner("usage", names)
    usage = np.zeros((len(Resource), groups))
    for resource, name in zip(Resource, names, strict=True):
        if resource is Resource.CPU or name in given:
            row = given.numbers(name, PERCENT)
            _expect_groups(given.at(name), row, groups)
            usage[resource] = row
    return usage


def _traffic(fields: Fields, groups: int) -> Sparse:
    """Return who sends what to whom; pairs that are named twice are added up."""
    if "traffic" not in fields:
        return sp.csr_array((groups, groups), dtype=np.float64)
    given = fields.inner("traffic", ("from", "to", "bytes_per_s"))
    sender, receiver = (_key_groups(given, end, groups) for end in ("from", "to"))
    rate = given.numbers("bytes_per_s", RATES)
    for name, array in (("to", receiver), ("bytes_per_s", rate)):
        if array.size != sender.size:
            raise InvalidInput(
                f"{given.at(name)} has {array.size} entries and traffic.from has {sender.size}; "
                f"they must be as many"
            )
    return sp.coo_array((rate, (sender, receiver)), shape=(groups, groups)).tocsr()


def _key_groups(given: Fields, key: str, groups: int) -> Ints:
    """Return one end of every pair, each a key group that exists."""
    ends = given.wholes(key, POSITIONS)
    outside = np.flatnonzero(ends >= groups)
    if outside.size:
        raise InvalidInput(
            f"{given.at(key)}[{outside[0]}] is key group {ends[outside[0]]}; "
            f"there are {groups}, numbered from 0"
        )
    return ends


def _expect_groups(place: str, values: Floats | Ints, groups: int) -> None:
    """Refuse an array that has not one entry a key group."""
    if values.size != groups:
        raise InvalidInput(
            f"{place} has {values.size} entries; the operators have {groups} key groups in all"
        )
