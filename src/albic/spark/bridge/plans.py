"""Physical plans as plain trees."""

from dataclasses import dataclass
from typing import Any

from py4j.java_gateway import is_instance_of  # type: ignore[import-untyped]

from albic.spark.bridge.versions import Version


@dataclass(frozen=True, slots=True)
class PlanNode:
    """One node of a physical plan, as far as placement cares."""

    kind: str
    exchange: bool
    state: "NodeState | None"
    children: tuple["PlanNode", ...]


@dataclass(frozen=True, slots=True)
class NodeState:
    """What a stateful node says about its state."""

    root: str
    operator_id: int
    partitions: int
    format_version: int


def plan_node(gateway: Any, node: Any, version: Version) -> PlanNode:  # noqa: ANN401  JVM objects
    """Return the tree below a node of the JVM's plan."""
    children = node.children()
    kind = str(node.getClass().getSimpleName())
    return PlanNode(
        kind=kind,
        exchange=kind == "ShuffleExchangeExec",
        state=_node_state(gateway, node, version),
        children=tuple(
            plan_node(gateway, children.apply(i), version) for i in range(children.size())
        ),
    )


def stream_kinds(node: Any) -> frozenset[str]:  # noqa: ANN401  JVM objects have no type here
    """Return the kinds of the nodes of a logical plan that take a stream in.

    A join with a table is not among them, for it keeps no state. Others may have a table beside
    their stream: the state that a processor begins with.
    """
    seq = node.children()
    children = [seq.apply(i) for i in range(seq.size())]
    below = frozenset(kind for child in children for kind in stream_kinds(child))
    kind = str(node.nodeName())
    streams = [bool(child.isStreaming()) for child in children]
    takes_one = bool(streams) and (all(streams) if kind == "Join" else any(streams))
    return below | {kind} if takes_one else below


def is_stateful(gateway: Any, node: Any, version: Version) -> bool:  # noqa: ANN401  as above
    """Return whether a node of the JVM's plan keeps state."""
    keeps = bool(is_instance_of(gateway, node, version.stateful_operator))
    return keeps and not node.stateInfo().isEmpty()


def _node_state(gateway: Any, node: Any, version: Version) -> NodeState | None:  # noqa: ANN401  as above
    if not is_stateful(gateway, node, version):
        return None
    info = node.stateInfo().get()
    joins = is_instance_of(gateway, node, version.join)
    # A limit, or an aggregate without keys, has one partition, whatever the query has.
    single = int(node.outputPartitioning().numPartitions()) == 1
    return NodeState(
        root=str(info.checkpointLocation()),
        operator_id=int(info.operatorId()),
        partitions=1 if single else int(info.numPartitions()),
        format_version=int(node.stateFormatVersion()) if joins else 0,
    )
