"""Where a controller stands, as numbers and as a picture for notebooks."""

from dataclasses import dataclass

from albic.model import Snapshot, metrics
from albic.model.notebook_html import sketch


@dataclass(frozen=True, slots=True)
class ControllerStatus:
    """Where a controller stands; plain numbers and strings only.

    ``proposal`` is the plan that waits for an answer until ``lapses_s``. ``drained`` are the
    executors that are kept empty by hand. ``stopped`` is the rule that was broken; nothing is moved
    since then.
    """

    running: bool
    paused: bool
    approve: bool
    dry_run: bool
    stopped: str | None
    period: str
    max_migrations: int
    planner: str
    objective: str
    worked_s: float
    last_batch_s: float | None
    proposal: str | None
    proposal_moves: int
    lapses_s: float | None
    exclude_operators: tuple[str, ...] = ()
    exclude_executors: tuple[str, ...] = ()
    drained: tuple[str, ...] = ()


def shown(status: ControllerStatus, snapshot: Snapshot | None) -> str:
    """Return what a notebook shows of a controller that measured ``snapshot`` last."""
    doing = "paused" if status.paused else "at work" if status.running else "not at work"
    doing = doing if status.stopped is None else f"only measuring, for {status.stopped}"
    waits = "" if status.proposal is None else f"; plan {status.proposal} waits for an answer"
    empty = f"; kept empty: {', '.join(status.drained)}" if status.drained else ""
    sentence = (
        f"albic is {doing}: {status.planner} plans every {status.period}, at most "
        f"{status.max_migrations} moves for the {status.objective}{waits}{empty}"
    )
    if snapshot is None:
        return sketch(f"{sentence}; nothing was measured yet", [], "")
    loads = metrics.node_loads(snapshot, snapshot.allocation).tolist()
    bars = [(node.id, load) for node, load in zip(snapshot.cluster.nodes, loads, strict=True)]
    distance = metrics.load_distance(snapshot, snapshot.allocation)
    told = f"{sentence}; load distance {distance:.3g} points, the line is the mean"
    return sketch(told, bars, " %", metrics.mean_load(snapshot))
