"""What each key group did in a batch, out of the books that Spark keeps anyway.

Nothing here waits for a batch or changes one. A batch that cannot be read whole is left out: a
missing measurement is never a zero.
"""

import logging
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from albic.control.batches import AFTER, BEFORE
from albic.spark.bridge import Bridge
from albic.spark.operators import QueryShape
from albic.spark.traffic import StreamTraffic, read_traffic

log = logging.getLogger(__name__)

BATCH = re.compile(r"^batch = (\d+)$", re.MULTILINE)
ENDED = frozenset({"SUCCEEDED", "FAILED", "UNKNOWN"})


@dataclass(frozen=True, slots=True)
class TaskSample:
    """The successful task of one key group in one batch.

    ``loaded`` says that the key group ran elsewhere the last time, or for the first time, so that
    its run time holds the load of its state from the checkpoint; ``came_from`` is where it ran
    before if that was elsewhere. ``cpu_s`` is the JVM's alone: a Python worker's is not in it.
    ``wait_s`` is how long it stood still for rows from other nodes.
    """

    partition: int
    executor_id: str
    run_s: float
    cpu_s: float
    local_bytes: int
    remote_bytes: int
    records: int
    started_s: float
    locality: str
    loaded: bool
    came_from: str | None = None
    wait_s: float = 0.0


@dataclass(frozen=True, slots=True)
class StageSample:
    """One stage in one batch; ``stage`` is its position in the query's shape.

    One without state has none: it is BEFORE or AFTER the others.
    """

    stage: int
    submitted_s: float
    ended_s: float
    tasks: tuple[TaskSample, ...]


@dataclass(frozen=True, slots=True, eq=False)
class BatchSample:
    """One batch of a query.

    ``background_s`` is how long each executor was busy with stages that hold no state. ``traffic``
    lacks the streams whose shuffle was already gone. ``coverage`` is the share of key groups with a
    task. ``stateless`` are the stages that hold no state.
    """

    run_id: str
    batch_id: int
    started_s: float
    ended_s: float
    stages: tuple[StageSample, ...]
    background_s: Mapping[str, float]
    traffic: tuple[StreamTraffic, ...]
    coverage: float
    stateless: tuple[StageSample, ...] = ()


@dataclass(frozen=True, slots=True)
class _Run:
    """A stage as it ran, all attempts together."""

    last_rdd: int
    stateful: bool
    submitted_s: float
    ended_s: float
    tasks: Sequence[Any]


class StatisticsReader:
    """Reads the batches of one run of a query, each once; jobs up to ``after`` are left out.

    ``read_to`` is the last batch that was read, or could not be read whole.
    """

    def __init__(self, bridge: Bridge, shape: QueryShape, *, after: int = -1) -> None:
        self._bridge = bridge
        self._shape = shape
        self._last_job = after
        self._last_shuffle = -1
        self.read_to = -1
        self._home: dict[tuple[int, int], str] = {}

    def read(self, last_batch: int) -> list[BatchSample]:
        """Return the batches up to ``last_batch`` that were not read before, oldest first."""
        jobs: defaultdict[int, list[Any]] = defaultdict(list)
        for job in self._bridge.jobs(self._shape.run_id, self._last_job):
            if named := BATCH.search(job["description"] or ""):
                jobs[int(named[1])].append(job)
        samples = []
        for batch_id in sorted(jobs):
            if batch_id > last_batch or any(job["status"] not in ENDED for job in jobs[batch_id]):
                break
            self._last_job = max(job["jobId"] for job in jobs[batch_id])
            self.read_to = batch_id
            sample = self._batch(batch_id, jobs[batch_id])
            if sample is not None:
                samples.append(sample)
        return samples

    def _batch(self, batch_id: int, jobs: Sequence[Any]) -> BatchSample | None:
        """Return one batch, or None if Spark's books do not match the query's shape."""
        runs = self._runs({stage for job in jobs for stage in job["stageIds"]})
        # Spark makes RDDs from the sources down, left before right: the order of the shape.
        stateful = sorted((run for run in runs if run.stateful), key=lambda run: run.last_rdd)
        if len(stateful) != len(self._shape.stages):
            log.debug(
                "batch %d: %d stateful stages ran, %d expected",
                batch_id,
                len(stateful),
                len(self._shape.stages),
            )
            return None
        stages = tuple(self._stage(position, run) for position, run in enumerate(stateful))
        writers = [frozenset(int(task["taskId"]) for task in run.tasks) for run in stateful]
        traffic, self._last_shuffle = read_traffic(
            self._bridge, self._shape.measurable, writers, self._last_shuffle
        )
        expected = sum(stage.partitions for stage in self._shape.stages)
        return BatchSample(
            run_id=self._shape.run_id,
            batch_id=batch_id,
            started_s=min(job["submissionTime"] for job in jobs) / 1e3,
            ended_s=max(job["completionTime"] for job in jobs) / 1e3,
            stages=stages,
            background_s=_busy_s(run for run in runs if not run.stateful),
            traffic=traffic,
            coverage=sum(len(stage.tasks) for stage in stages) / expected,
            stateless=tuple(_stateless(run, stages) for run in runs if not run.stateful),
        )

    def _runs(self, stage_ids: Iterable[int]) -> list[_Run]:
        """Return the stages that ran; those whose output was there already did not.

        A stage over state that an earlier one of the batch went over reads what that left in a
        cache, as when a sink asks for a batch twice. It is not a run of the key groups.
        """
        runs = []
        gone_over: set[int] = set()
        for stage_id in sorted(stage_ids):
            attempts = [
                attempt
                for attempt in self._bridge.stages(stage_id)
                if attempt["status"] in {"COMPLETE", "FAILED"}
            ]
            if not attempts:
                continue
            tasks = [
                task
                for attempt in attempts
                for task in self._bridge.tasks(stage_id, attempt["attemptId"])
                if task["status"] == "SUCCESS" and "taskMetrics" in task
            ]
            state = self._bridge.state_rdds(stage_id)
            fresh, gone_over = state - gone_over, gone_over | state
            runs.append(
                _Run(
                    last_rdd=max(attempts[-1]["rddIds"]),
                    stateful=bool(fresh),
                    submitted_s=min(attempt["submissionTime"] for attempt in attempts) / 1e3,
                    ended_s=max(attempt["completionTime"] for attempt in attempts) / 1e3,
                    tasks=tasks,
                )
            )
        return runs

    def _stage(self, position: int, run: _Run) -> StageSample:
        """Return a stateful stage's tasks, one a partition: the last that succeeded."""
        last = {task["partitionId"]: task for task in run.tasks}
        tasks = []
        for partition in sorted(last):
            task, here = last[partition], str(last[partition]["executorId"])
            before = self._home.get((position, partition))
            self._home[position, partition] = here
            tasks.append(_sample(task, before))
        return StageSample(position, run.submitted_s, run.ended_s, tuple(tasks))


def _stateless(run: _Run, stages: Sequence[StageSample]) -> StageSample:
    """Return a stage that holds no state."""
    before = run.submitted_s <= min((stage.submitted_s for stage in stages), default=0.0)
    tasks = tuple(_sample(task, str(task["executorId"])) for task in run.tasks)
    return StageSample(BEFORE if before else AFTER, run.submitted_s, run.ended_s, tasks)


def _sample(task: Any, before: str | None) -> TaskSample:  # noqa: ANN401  JSON
    """Return one task out of Spark's words; ``before`` is where its key group ran the last time."""
    metrics = task["taskMetrics"]
    here = str(task["executorId"])
    shuffle = metrics["shuffleReadMetrics"]
    return TaskSample(
        partition=int(task["partitionId"]),
        executor_id=here,
        run_s=metrics["executorRunTime"] / 1e3,
        cpu_s=metrics["executorCpuTime"] / 1e9,
        local_bytes=int(shuffle["localBytesRead"]),
        remote_bytes=int(shuffle["remoteBytesRead"]),
        records=int(shuffle["recordsRead"]),
        started_s=task["launchTime"] / 1e3,
        locality=str(task["taskLocality"]),
        loaded=before != here,
        came_from=None if before == here else before,
        wait_s=shuffle["fetchWaitTime"] / 1e3,
    )


def _busy_s(runs: Iterable[_Run]) -> dict[str, float]:
    """Return how long each executor worked for ``runs``."""
    busy: defaultdict[str, float] = defaultdict(float)
    for run in runs:
        for task in run.tasks:
            busy[str(task["executorId"])] += task["taskMetrics"]["executorRunTime"] / 1e3
    return dict(busy)
