"""What of a task's time its rows do not cause.

Tasks of a stage do the same to different numbers of rows. A line through them has what a row costs
as its slope; what is left where no row comes is the cost of being a task: to be scheduled, to open
a state, to write its checkpoint.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from albic.advice import TaskCost
from albic.arrays import Floats
from albic.control.samples import Observation

#: The last batches that are looked at, and the fewest tasks that make a line.
BATCHES, LEAST_TASKS = 4, 4
#: Rows must differ by so much, as a factor, to tell what one costs.
LEAST_SPREAD = 1.5


def task_costs(seen: Observation) -> tuple[TaskCost, ...]:
    """Return the cost of a task for each stage whose tasks tell it."""
    stage_of = seen.topology.stage_of()
    found: defaultdict[int, list[tuple[int, float]]] = defaultdict(list)
    # The newest of a query may be in both.
    batches = {id(batch): batch for batch in (*seen.earlier, *seen.batches)}.values()
    for batch in sorted(batches, key=lambda batch: batch.ended_s)[-BATCHES:]:
        for sample in batch.groups:
            if not sample.loaded:
                found[int(stage_of[sample.key_group])].append((sample.rows, sample.busy_s))
    costs = ((stage, _cost(tasks)) for stage, tasks in sorted(found.items()))
    return tuple(TaskCost(stage, *both) for stage, both in costs if both is not None)


def _cost(tasks: Sequence[tuple[int, float]]) -> tuple[float, float] | None:
    """Return what a median task takes and what of it is fixed; None where rows are all alike."""
    rows: Floats = np.array([many for many, _ in tasks], dtype=np.float64)
    busy_s: Floats = np.array([took_s for _, took_s in tasks])
    if rows.size < LEAST_TASKS or rows.max() < LEAST_SPREAD * max(rows.min(), 1.0):
        return None
    away = rows - rows.mean()
    per_row_s = max(float(away @ busy_s / (away @ away)), 0.0)
    # No part of a task is longer than the shortest task.
    fixed_s = min(float(np.median(busy_s - per_row_s * rows)), float(busy_s.min()))
    return float(np.median(busy_s)), max(fixed_s, 0.0)
