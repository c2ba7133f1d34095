"""How a plan reaches the queries: at once what lay on lost executors, the rest batch by batch."""

from collections.abc import Sequence

from albic.model import Plan, Snapshot
from albic.spark.executors import Executor
from albic.spark.placement import KeyGroup
from albic.spark.watch import QueryWatch

#: State of this size is loaded before it is moved: less is soon loaded, and a copy takes a batch.
PREPARED_BYTES = 2**20
#: A load that takes more than this part of the longest stage has its executor for itself.
DEAR = 0.25

Moves = dict[QueryWatch, dict[KeyGroup, Executor]]


def deliver(
    plan: Plan,
    snapshot: Snapshot,
    watches: Sequence[QueryWatch],
    live: Sequence[Executor],
    per_batch: int,
) -> None:
    """Hand each query its moves of a plan; at most ``per_batch`` of them go into one batch."""
    now, later = _sorted_out(plan, snapshot, watches, live)
    large = bool((snapshot.state_bytes[[m.key_group for m in plan.moves]] >= PREPARED_BYTES).any())
    # Whoever talks to each other has to move in one batch, whatever that costs.
    together = bool(snapshot.traffic.nnz)
    dearest_s = 0.0 if together else max((m.cost for m in plan.moves), default=0.0)
    for watch in watches:
        watch.placement.move_now(now[watch])
        apart = dearest_s > DEAR * watch.busiest_stage_s
        cold = watch.prepare(later[watch], together=together) if large else later[watch]
        watch.placement.stage(cold, per_batch, apart=apart)
        if now[watch] or later[watch]:
            watch.rouse()


def _sorted_out(
    plan: Plan, snapshot: Snapshot, watches: Sequence[QueryWatch], live: Sequence[Executor]
) -> tuple[Moves, Moves]:
    """Return the moves of each query that cannot wait, for their owner is lost, and the others."""
    executors = {executor.id: executor for executor in live}
    nodes = snapshot.cluster.nodes
    groups = [(watch, group) for watch in watches for group in watch.groups()]
    now: Moves = {watch: {} for watch in watches}
    later: Moves = {watch: {} for watch in watches}
    for move in plan.moves:
        watch, group = groups[move.key_group]
        rescued = nodes[move.source].id not in executors
        (now if rescued else later)[watch][group] = executors[nodes[move.target].id]
    return now, later
