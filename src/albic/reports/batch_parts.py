"""What a batch consists of: work, waiting for the network, and what every batch costs anyway.

The same job is run with next to no rows in a batch, on the same nodes. What a batch takes then is
its fixed cost: tasks that start, Python, state that is committed, and Spark's own books. A full
batch takes longer by the rows: it waits for those of other nodes, and it works.
"""

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from albic.control.batches import AFTER, BEFORE, BatchRecord, StageTime
from albic.model import Topology

SOURCES, SINKS, BETWEEN = "reading the sources", "handing results over", "outside the stages"
#: A stage that a batch did not have.
NO_STAGE = StageTime(AFTER, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a batch in seconds: a stage, or what lies outside of them."""

    name: str
    wall_s: float
    wait_s: float
    fixed_s: float

    @property
    def work_s(self) -> float:
        """Return what is neither waiting nor fixed."""
        return self.wall_s - self.wait_s - self.fixed_s


@dataclass(frozen=True, slots=True)
class Shares:
    """Which shares of a batch are work, waiting for rows of other nodes, and fixed cost."""

    work: float
    wait: float
    fixed: float


def makeup(
    full: Sequence[BatchRecord], empty: Sequence[BatchRecord], operators: Sequence[str]
) -> tuple[Part, ...]:
    """Return the parts of a batch, the mean over ``full`` batches, so that they add up to it.

    Parameters
    ----------
    empty
        Batches of the same job with next to no rows.
    operators
        What runs in each stateful stage.
    """
    names = {BEFORE: SOURCES, **dict(enumerate(operators)), AFTER: SINKS}
    parts = []
    for stage, name in names.items():
        wall_s = statistics.fmean(_time(record, stage).wall_s for record in full)
        wait_s = statistics.fmean(_time(record, stage).wait_s for record in full)
        fixed_s = statistics.median(_time(record, stage).wall_s for record in empty)
        parts.append(_part(name, wall_s, wait_s, fixed_s))
    outside_s = statistics.fmean(_outside_s(record) for record in full)
    fixed_s = statistics.median(_outside_s(record) for record in empty)
    return (*parts, _part(BETWEEN, outside_s, 0.0, fixed_s))


def stage_names(topology: Topology) -> tuple[str, ...]:
    """Return what runs in each stateful stage."""
    names: defaultdict[int, list[str]] = defaultdict(list)
    stages = topology.stages or range(len(topology.operators))
    for operator, stage in zip(topology.operators, stages, strict=True):
        if not operator.name.startswith("idle"):
            names[stage].append(operator.name)
    return tuple(" + ".join(names[stage]) for stage in sorted(names))


def shares(parts: Sequence[Part]) -> Shares:
    """Return what a batch is made of, all parts together."""
    whole_s = sum(part.wall_s for part in parts)
    wait, fixed = (
        sum(getattr(part, name) for part in parts) / whole_s for name in ("wait_s", "fixed_s")
    )
    return Shares(1 - wait - fixed, wait, fixed)


def _part(name: str, wall_s: float, wait_s: float, fixed_s: float) -> Part:
    """Return a part that is no shorter than what it consists of."""
    fixed_s = min(fixed_s, wall_s)
    return Part(name, wall_s, min(wait_s, wall_s - fixed_s), fixed_s)


def _time(record: BatchRecord, stage: int) -> StageTime:
    """Return how long a stage took in a batch."""
    return next((each for each in record.stages if each.stage == stage), NO_STAGE)


def _outside_s(record: BatchRecord) -> float:
    """Return the part of a batch in which no stage ran."""
    return max(record.batch_s - sum(each.wall_s for each in record.stages), 0.0)
