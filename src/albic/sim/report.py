"""What a simulated period came to, measured from outside."""

from dataclasses import dataclass

import numpy as np

from albic.arrays import Floats, Ints, sealed
from albic.sim.nodes import Nodes
from albic.sim.physics import Step, Work


@dataclass(frozen=True, slots=True, eq=False)
class PeriodReport:
    """The truth about one period, whatever a controller knows of it.

    Parameters
    ----------
    node_load_pct
        What key groups made of each node's time, in the order of the nodes then.
    mean_load_pct
        All work, migrations included, over all capacity; the load index compares these.
    load_distance_pct
        The largest gap between a staying node's load and their mean, without migrations.
    collocation
        The share of bytes between key groups that stayed on their node.
    makespan_s
        The sum over operators of the busiest node's time for it: what a batch takes on Spark.
    paused_s
        Summed over key groups, how long they stood still; paper: migration latency.
    migration_work_s, merge_work_s
        Seconds of a reference node that went into migrations, and into merging (PoTC).
    backlog_s
        Work that arrived and was not done by the end, in seconds of a reference node.
    """

    number: int
    step_s: float
    nodes: tuple[str, ...]
    node_load_pct: Floats
    mean_load_pct: float
    load_distance_pct: float
    collocation: float
    makespan_s: float
    moves: int = 0
    paused_s: float = 0.0
    migration_work_s: float = 0.0
    merge_work_s: float = 0.0
    backlog_s: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "node_load_pct", sealed(self.node_load_pct, np.float64))


@dataclass(frozen=True, slots=True, eq=False)
class Happened:
    """All that a period's report is made of."""

    number: int
    step_s: float
    nodes: Nodes
    owner: Ints
    operator_of: Ints
    work: Work
    step: Step
    moves: int
    backlog_s: float


def report(seen: Happened) -> PeriodReport:
    """Return the report of one period."""
    capacity, count = seen.nodes.true_capacities(), len(seen.nodes)
    live = capacity > 0
    done_s = np.bincount(seen.owner, weights=seen.step.done_s, minlength=count)
    load_pct = np.zeros(count)
    np.divide(100 * done_s, capacity * seen.step_s, out=load_pct, where=live)
    migration_s = float(seen.step.migration_s.sum())
    return PeriodReport(
        number=seen.number,
        step_s=seen.step_s,
        nodes=tuple(node.id for node in seen.nodes.listed),
        node_load_pct=load_pct,
        mean_load_pct=float(100 * (done_s.sum() + migration_s) / (capacity.sum() * seen.step_s)),
        load_distance_pct=_distance(load_pct, capacity, seen),
        collocation=seen.work.collocation,
        makespan_s=_makespan_s(seen, capacity),
        moves=seen.moves,
        paused_s=float(seen.step.paused_s.sum()),
        migration_work_s=migration_s,
        backlog_s=seen.backlog_s,
    )


def _distance(load_pct: Floats, capacity: Floats, seen: Happened) -> float:
    """Return the load distance: work on nodes that are going counts for the mean."""
    stays = seen.nodes.staying()
    mean = 100 * seen.step.done_s.sum() / (capacity[stays].sum() * seen.step_s)
    return float(np.abs(load_pct[stays] - mean).max())


def _makespan_s(seen: Happened, capacity: Floats) -> float:
    """Return the sum over operators of the longest that a node worked for it."""
    count = capacity.size
    stages = int(seen.operator_of[-1]) + 1
    cell = seen.operator_of * count + seen.owner
    done_s = np.bincount(cell, weights=seen.step.done_s, minlength=stages * count)
    live = capacity > 0
    busy_s = done_s.reshape(stages, count)[:, live] / capacity[live]
    return float(busy_s.max(axis=1).sum())
