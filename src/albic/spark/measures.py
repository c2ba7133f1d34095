"""What one batch tells, beside the ones before it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from albic.control.move_costs import late_s
from albic.control.speeds import MOST_CHANGE_OF_ROWS
from albic.spark.batch import BatchSample, TaskSample
from albic.spark.placement import KeyGroup


class SeenMove(NamedTuple):
    """A key group that ran elsewhere than before, and how late that made it."""

    group: KeyGroup
    source: str
    target: str
    late_s: float


def stages_s(sample: BatchSample) -> float:
    """Return how long the stages with state ran."""
    return sum(stage.ended_s - stage.submitted_s for stage in sample.stages)


def settled_s(sample: BatchSample) -> dict[KeyGroup, float]:
    """Return how long each key group worked for which nothing was loaded meanwhile."""
    return {group: task.run_s for group, task in _settled(sample)}


def moves_in(sample: BatchSample, before: Sequence[BatchSample]) -> Iterator[SeenMove]:
    """Yield the key groups that moved in a batch and whose usual time is known from ``before``."""
    moved = {
        KeyGroup(stage.stage, task.partition): task
        for stage in sample.stages
        for task in stage.tasks
        if task.came_from is not None
    }
    if not moved:
        return
    usually_s: defaultdict[KeyGroup, list[float]] = defaultdict(list)
    for batch in before:
        for group, past in _settled(batch):
            if group in moved and (times := _as_many_rows(moved[group], past)) is not None:
                usually_s[group].append(past.run_s * times)
    for group, task in moved.items():
        late = late_s(task.run_s, usually_s[group])
        if late is not None and task.came_from is not None:
            yield SeenMove(group, task.came_from, task.executor_id, late)


def _settled(sample: BatchSample) -> Iterator[tuple[KeyGroup, TaskSample]]:
    """Yield the tasks of key groups for which, and beside which, nothing was loaded."""
    for stage in sample.stages:
        for task in stage.tasks:
            if task.usual:
                yield KeyGroup(stage.stage, task.partition), task


def _as_many_rows(now: TaskSample, then: TaskSample) -> float | None:
    """Return how many times as many rows came ``now``; None where that is another load.

    State moves when load changes, and what more rows cost is no price of the move.
    """
    if not now.records or not then.records:
        return 1.0 if now.records == then.records else None
    times = now.records / then.records
    return times if 1 / MOST_CHANGE_OF_ROWS <= times <= MOST_CHANGE_OF_ROWS else None


def busiest_stage_s(sample: BatchSample) -> float:
    """Return how long the busiest executor of a batch worked in one stage."""
    longest_s = 0.0
    for stage in sample.stages:
        busy_s: defaultdict[str, float] = defaultdict(float)
        for task in stage.tasks:
            busy_s[task.executor_id] += task.run_s
        longest_s = max(longest_s, *busy_s.values(), 0.0)
    return longest_s
