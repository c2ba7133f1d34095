"""Where the state of a query lies when a run begins, so that runs can be compared."""

from collections.abc import Mapping, Sequence

from pyspark.sql.streaming.query import StreamingQuery

from albic.model import JobEnded
from albic.spark.attaching import bridge_of_process
from albic.spark.executors import Executors
from albic.spark.operators import shape
from albic.spark.placement import KeyGroup, Placement


def dealt(partitions: Sequence[int], nodes: int, shift: int) -> Mapping[KeyGroup, int]:
    """Return a node for each key group: dealt out like cards, ``shift`` nodes on in each stage.

    Two key groups of the same number in neighbouring stages lie together with a shift of 0. With
    a shift of 1 they never do, where there are two nodes: for operators with the same key, the
    worst allocation that there is.
    """
    return {
        KeyGroup(stage, partition): (partition + shift * stage) % nodes
        for stage, count in enumerate(partitions)
        for partition in range(count)
    }


def deal(query: StreamingQuery, *, shift: int) -> None:
    """Point all state of a query that has ended a batch; it lies there from the next one on."""
    bridge = bridge_of_process()
    plan = bridge.plan(query)
    if plan is None:
        raise JobEnded("the query has no plan yet; deal its state out after the first batch")
    found, executors = shape(plan, query.name or "", str(query.runId)), Executors(bridge)
    executors.look()
    live = executors.live()
    owners = dealt([stage.partitions for stage in found.stages], len(live), shift)
    Placement(bridge, found).move_now({group: live[node] for group, node in owners.items()})
