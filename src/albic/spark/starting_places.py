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


class Dealer:
    """Deals out the state of a query that has ended a batch, until a batch shows it there."""

    def __init__(self, query: StreamingQuery, *, shift: int) -> None:
        bridge = bridge_of_process()
        plan = bridge.plan(query)
        if plan is None:
            raise JobEnded("the query has no plan yet; deal its state out after the first batch")
        found, executors = shape(plan, query.name or "", str(query.runId)), Executors(bridge)
        executors.look()
        live = executors.live()
        owners = dealt([stage.partitions for stage in found.stages], len(live), shift)
        self._placement = Placement(bridge, found)
        self._wanted = {group: live[node] for group, node in owners.items()}

    def settled(self, ran_on: Sequence[str]) -> bool:
        """Return whether a batch ran where state was dealt to; if it did not, deal once more.

        A batch that is under way when we point takes state along to where it runs, so that once may
        not be enough. ``ran_on`` has the executor of each key group, stage after stage.
        """
        if tuple(ran_on) == tuple(owner.id for owner in self._wanted.values()):
            return True
        self._placement.move_now(self._wanted)
        return False
