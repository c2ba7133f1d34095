"""From a physical plan to the stages that hold state.

Spark cuts a plan into stages at its exchanges. All stateful nodes between two exchanges run in one
task, so their stores move together: a *stateful stage* is an operator of the paper, and each of its
partitions is a key group.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from pyspark.sql.streaming.query import StreamingQuery

from albic.model import InvalidInput, Operator, Topology
from albic.spark.bridge import NodeState, PlanNode, StoreId

#: The stores of a stream-stream join below state format 3; from 3 on it has one, as all others do.
JOIN_STORES = tuple(
    f"{side}-{store}"
    for side in ("left", "right")
    for store in ("keyToNumValues", "keyWithIndexToValue")
)
ONE_JOIN_STORE = 3

#: Spark's class names in words of its users; anything else keeps Spark's name.
WORDS = {
    "StateStoreSaveExec": "aggregate",
    "SessionWindowStateStoreSaveExec": "session window",
    "StreamingDeduplicateExec": "deduplicate",
    "StreamingDeduplicateWithinWatermarkExec": "deduplicate",
    "StreamingSymmetricHashJoinExec": "join",
    "StreamingGlobalLimitExec": "limit",
    "TransformWithStateExec": "transformWithState",
    "TransformWithStateInPandasExec": "transformWithState",
    "TransformWithStateInPySparkExec": "transformWithState",
    "FlatMapGroupsWithStateExec": "flatMapGroupsWithState",
    "FlatMapGroupsInPandasWithStateExec": "applyInPandasWithState",
}
#: What Spark's class names have in them where executors run Python.
PYTHON = ("Python", "Pandas", "PySpark", "Arrow")
#: Nodes that share the store of the node that names the stage.
SILENT = frozenset({"StateStoreRestoreExec", "SessionWindowStateStoreRestoreExec"})


class Named(Protocol):
    """A query that comes with its operators: which partitions of which stage are whose."""

    query: StreamingQuery

    @property
    def topology(self) -> Topology:
        """Return the operators; their key groups are the partitions of the query's stages."""
        ...

    def chain_work(self) -> Mapping[str, tuple[float, ...]]:
        """Return the share of its work that each operator of a chain does, by the chain's name."""
        ...


@dataclass(frozen=True, slots=True)
class StageInfo:
    """One stateful stage: ``stores`` are (operator id, store name), the same in each partition."""

    name: str
    partitions: int
    root: str
    stores: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class QueryShape:
    """The stateful stages of one run of a query, in the order in which Spark makes them.

    ``streams`` are (upstream, downstream) positions; ``measurable`` are those of them without a
    stateless stage between, whose traffic is the map output of one shuffle. ``named`` are the
    operators in the partitions of the stages, where somebody knows better than Spark's plan.
    ``fed_by_state`` are the stages that read from stateful ones and from nothing else, so that what
    their tasks read is what key groups sent them.
    """

    name: str
    run_id: str
    stages: tuple[StageInfo, ...]
    streams: tuple[tuple[int, int], ...]
    measurable: tuple[tuple[int, int], ...]
    named: Topology | None = None
    fed_by_state: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if self.named is None:
            return
        sizes = np.bincount(self.named.stage_of(), minlength=self.named.stage_count).tolist()
        order = self.named.stages or range(len(sizes))
        if sizes != [stage.partitions for stage in self.stages] or list(order) != sorted(order):
            raise InvalidInput(
                f"query {self.name!r} has stages of "
                f"{', '.join(str(stage.partitions) for stage in self.stages)} partitions; the "
                f"operators named for it make {', '.join(map(str, sizes))}, or are out of order"
            )

    def topology(self) -> Topology:
        """Return the operators of this query; without better names, each stage is one."""
        if self.named is not None:
            return self.named
        operators = tuple(Operator(stage.name, stage.partitions) for stage in self.stages)
        return Topology(operators, tuple(dict.fromkeys(self.streams)))

    def stores(self, stage: int, partition: int) -> tuple[StoreId, ...]:
        """Return all stores of one key group; they move as one."""
        info = self.stages[stage]
        return tuple(
            StoreId(info.root, operator_id, partition, name, self.run_id)
            for operator_id, name in info.stores
        )


def shape(plan: PlanNode, name: str, run_id: str, named: Topology | None = None) -> QueryShape:
    """Return the stateful stages of ``plan`` and the streams between them."""
    stages: list[StageInfo] = []
    streams: list[tuple[int, int]] = []
    measurable: list[tuple[int, int]] = []
    fed_by_state: list[int] = []

    def visit(root: PlanNode) -> tuple[tuple[int, ...], bool]:
        """Add the stages below ``root``; return the nearest stateful ones, and if it is one."""
        inside = list(_within_stage(root))
        feeding = [visit(below.children[0]) for below in inside if below.exchange]
        nearest = tuple(position for positions, _ in feeding for position in positions)
        stateful = [node for node in inside if node.state is not None]
        if not stateful:
            return nearest, False
        here = len(stages)
        stages.append(_stage(stateful))
        streams.extend((above, here) for above in nearest)
        measurable.extend((positions[0], here) for positions, is_one in feeding if is_one)
        if feeding and all(is_one for _, is_one in feeding):
            fed_by_state.append(here)
        return (here,), True

    visit(plan)
    if not stages:
        raise InvalidInput(
            f"query {name!r} has no stateful operator, so there is no state to place; "
            f"attach to a query that aggregates, joins, deduplicates or keeps state"
        )
    found = tuple(stages), tuple(streams), tuple(measurable)
    return QueryShape(name, run_id, *found, named, tuple(fed_by_state))


def labels(shapes: Sequence[QueryShape]) -> list[str]:
    """Return what comes before the names of each query's operators."""
    return [query.name or f"query {number}" for number, query in enumerate(shapes)]


def topology(shapes: Sequence[QueryShape]) -> Topology:
    """Return the operators and streams of several queries, query after query."""
    operators: list[Operator] = []
    streams: list[tuple[int, int]] = []
    stages: list[int] = []
    for label, query in zip(labels(shapes), shapes, strict=True):
        first, first_stage = len(operators), max(stages, default=-1) + 1
        own = query.topology()
        operators.extend(replace(each, name=f"{label} / {each.name}") for each in own.operators)
        streams.extend((first + up, first + down) for up, down in own.streams)
        stages.extend(first_stage + at for at in own.stages or range(len(own.operators)))
    return Topology(tuple(operators), tuple(streams), tuple(stages))


def _within_stage(node: PlanNode) -> Iterator[PlanNode]:
    """Yield the nodes of one stage from the top, and the exchanges that end it."""
    yield node
    if not node.exchange:
        for child in node.children:
            yield from _within_stage(child)


def _stage(stateful: Sequence[PlanNode]) -> StageInfo:
    """Return one stage out of its stateful nodes."""
    states = [node.state for node in stateful if node.state is not None]
    stores = dict.fromkeys(
        (state.operator_id, store)
        for node, state in zip(stateful, states, strict=True)
        for store in _store_names(node, state)
    )
    loud = [
        f"{WORDS.get(node.kind, node.kind)} {state.operator_id}"
        for node, state in reversed(list(zip(stateful, states, strict=True)))
        if node.kind not in SILENT
    ]
    return StageInfo(" + ".join(loud), states[0].partitions, states[0].root, tuple(stores))


def _store_names(node: PlanNode, state: NodeState) -> tuple[str, ...]:
    """Return the names of a stateful node's stores; they are also the folders of a partition."""
    if node.kind == "StreamingSymmetricHashJoinExec" and state.format_version < ONE_JOIN_STORE:
        return JOIN_STORES
    return ("default",)


def runs_python(plan: PlanNode) -> bool:
    """Return whether executors need Python for a plan."""
    return any(word in plan.kind for word in PYTHON) or any(map(runs_python, plan.children))
