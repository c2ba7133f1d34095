"""The batches of a query as they ran, with or without a controller beside it."""

import re
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery

from albic.control.batches import BatchRecord, StageTime
from albic.model import JobEnded
from albic.spark.attaching import bridge_of_process
from albic.spark.batch import BatchSample, StageSample
from albic.spark.checkpoint import StateSizes
from albic.spark.locality import NODE, PROCESS
from albic.spark.operators import shape
from albic.spark.statistics import StatisticsReader

#: What Python writes for an error of albic's, deep inside the text of one of Spark's.
OURS = re.compile(r"^(?:\S+: )*albic\.model\.errors\.\w+: (.+)$", re.MULTILINE)


class BatchRecorder:
    """Reads each batch of a query once; made when the first has ended."""

    def __init__(self, query: StreamingQuery, *, timeout_s: float = 120.0) -> None:
        self._bridge = bridge_of_process()
        self._query = query
        ends_s = time.monotonic() + timeout_s
        while self._bridge.last_batch(query) < 0:
            self._expect_running()
            if time.monotonic() > ends_s:
                raise JobEnded(f"no batch ended within {timeout_s:g} s")
            time.sleep(0.05)
        plan = self._bridge.plan(query)
        if plan is None:
            raise JobEnded("the query lost its plan")
        self._shape = shape(plan, query.name or "", str(query.runId))
        self._reader = StatisticsReader(self._bridge, self._shape)
        self._last = -1

    def new(self) -> list[BatchRecord]:
        """Return the batches that ended since the last question, oldest first."""
        last = self._bridge.last_batch(self._query)
        if last == self._last:
            self._expect_running()
            return []
        self._last = last
        told = {int(each["batchId"]): each for each in self._query.recentProgress}
        return [
            _record(sample, told[sample.batch_id], self._shape.fed_by_state)
            for sample in self._reader.read(last)
            if sample.coverage == 1 and sample.batch_id in told
        ]

    def _expect_running(self) -> None:
        """Raise what ended the query."""
        if not self._query.isActive:
            wrong = str(self._query.exception() or "it was stopped")
            raise JobEnded(f"the query ended early: {cause(wrong)}")


def state_bytes(query: StreamingQuery) -> tuple[int, ...]:
    """Return what a new owner of each key group would have to load, stage after stage."""
    bridge = bridge_of_process()
    plan = bridge.plan(query)
    if plan is None:
        raise JobEnded("the query has no plan yet; ask after its first batch")
    found = shape(plan, query.name or "", str(query.runId))
    return tuple(int(size) for size in StateSizes(bridge.files, found).sizes())


def cause(told: str) -> str:
    """Return the line of an error's text that says why: an error of albic's, else the first."""
    ours = OURS.findall(told)
    return str(ours[-1]) if ours else told.partition("\n")[0]


def set_locality_wait(wait: str | None) -> None:
    """Set how long tasks wait for the executor with their state, as the application would."""
    bridge = bridge_of_process()
    for level in (PROCESS, NODE):
        bridge.set_locality_wait(level, wait)


def _record(
    sample: BatchSample, told: Mapping[str, Any], fed_by_state: Sequence[int]
) -> BatchRecord:
    """Return one batch, its key groups stage after stage; ``told`` is Spark's own report."""
    tasks = [task for stage in sample.stages for task in stage.tasks]
    between = [t for stage in sample.stages if stage.stage in fed_by_state for t in stage.tasks]
    return BatchRecord(
        batch=sample.batch_id,
        ended_s=sample.ended_s,
        batch_s=told["durationMs"]["triggerExecution"] / 1e3,
        stage_s=sum(stage.ended_s - stage.submitted_s for stage in sample.stages),
        busy_s=tuple(task.run_s for task in tasks),
        node=tuple(task.executor_id for task in tasks),
        loaded=tuple(task.loaded and sample.batch_id > 0 for task in tasks),
        rows=int(told["numInputRows"]),
        local_bytes=sum(task.local_bytes for task in between),
        remote_bytes=sum(task.remote_bytes for task in between),
        stages=_stage_times((*sample.stages, *sample.stateless)),
    )


def _stage_times(stages: Sequence[StageSample]) -> tuple[StageTime, ...]:
    """Return how long stages took, in the order in which they ran."""
    wall_s: defaultdict[int, float] = defaultdict(float)
    wait_s: defaultdict[int, float] = defaultdict(float)
    for stage in stages:
        waited: defaultdict[str, float] = defaultdict(float)
        for task in stage.tasks:
            waited[task.executor_id] += task.wait_s
        wall_s[stage.stage] += stage.ended_s - stage.submitted_s
        wait_s[stage.stage] += max(waited.values(), default=0.0)
    return tuple(StageTime(stage, wall_s[stage], wait_s[stage]) for stage in sorted(wall_s))
