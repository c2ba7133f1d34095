"""What one batch tells, beside the ones before it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from albic.control.moving import late_s
from albic.spark.batch import BatchSample
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
    """Return how long each key group worked that had not to be loaded."""
    return {
        KeyGroup(stage.stage, task.partition): task.run_s
        for stage in sample.stages
        for task in stage.tasks
        if not task.loaded
    }


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
        for group, run_s in settled_s(batch).items():
            if group in moved:
                usually_s[group].append(run_s)
    for group, task in moved.items():
        late = late_s(task.run_s, usually_s[group])
        if late is not None and task.came_from is not None:
            yield SeenMove(group, task.came_from, task.executor_id, late)


def busiest_stage_s(sample: BatchSample) -> float:
    """Return how long the busiest executor of a batch worked in one stage."""
    longest_s = 0.0
    for stage in sample.stages:
        busy_s: defaultdict[str, float] = defaultdict(float)
        for task in stage.tasks:
            busy_s[task.executor_id] += task.run_s
        longest_s = max(longest_s, *busy_s.values(), 0.0)
    return longest_s
