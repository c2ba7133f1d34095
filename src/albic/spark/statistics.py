"""What each key group did in a batch, out of the books that Spark keeps anyway.

Nothing here waits for a batch or changes one. A batch that cannot be read whole is left out: a
missing measurement is never a zero.
"""

import logging
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from albic.control.batches import AFTER, BEFORE
from albic.spark.batch import BatchSample, StageSample, TaskSample
from albic.spark.bridge import Bridge
from albic.spark.operators import QueryShape
from albic.spark.traffic import read_traffic

log = logging.getLogger(__name__)

BATCH = re.compile(r"^batch = (\d+)$", re.MULTILINE)
ENDED = frozenset({"SUCCEEDED", "FAILED", "UNKNOWN"})
#: Ways in which the RDDs of a stage may lie; other jobs of the driver take numbers in between.
MOST_WAYS = 64


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

    ``read_to`` is the last batch that was read or passed over, or could not be read whole.
    """

    def __init__(self, bridge: Bridge, shape: QueryShape, *, after: int = -1) -> None:
        self._bridge = bridge
        self._shape = shape
        self._last_job = after
        self._last_shuffle = -1
        self.read_to = -1
        self._home: dict[tuple[int, int], str] = {}
        self._passed_over = False
        self._state_rdds: dict[tuple[int, ...], frozenset[int]] = {}

    def pass_over(self, batch: int) -> None:
        """Leave out the batches up to this one."""
        self.read_to = batch
        self._passed_over = True

    def read(self, last_batch: int) -> list[BatchSample]:
        """Return the batches up to ``last_batch`` that were not read before, oldest first."""
        jobs: defaultdict[int, list[Any]] = defaultdict(list)
        for job in self._bridge.jobs(self._shape.run_id, self._last_job):
            if named := BATCH.search(job["description"] or ""):
                if int(named[1]) <= self.read_to:
                    break
                jobs[int(named[1])].append(job)
        samples = []
        for batch_id in sorted(jobs):
            if batch_id > last_batch or any(job["status"] not in ENDED for job in jobs[batch_id]):
                break
            self._last_job = max(job["jobId"] for job in jobs[batch_id])
            self.read_to = batch_id
            sample = self._batch(batch_id, jobs[batch_id])
            self._passed_over = False
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
        ran = {
            stage_id: [
                attempt
                for attempt in self._bridge.stages(stage_id)
                if attempt["status"] in {"COMPLETE", "FAILED"}
            ]
            for stage_id in sorted(stage_ids)
        }
        every = [rdd for attempts in ran.values() for each in attempts for rdd in each["rddIds"]]
        first_rdd = min(every, default=0)
        for stage_id, attempts in ran.items():
            if not attempts:
                continue
            tasks = [
                task
                for attempt in attempts
                for task in self._bridge.tasks(stage_id, attempt["attemptId"], attempt["numTasks"])
                if task["status"] == "SUCCESS" and task["taskMetrics"] is not None
            ]
            state = self._state(stage_id, attempts[-1]["rddIds"], first_rdd)
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

    def _state(self, stage_id: int, rdds: Sequence[int], first: int) -> frozenset[int]:
        """Return the RDDs of a stage that hold state.

        Every batch of a run has the same plan and makes its RDDs in the same order, so a stage
        whose RDDs lie as those of one before, counted from the ``first`` of the batch, is the same.
        """
        lie = tuple(sorted(rdd - first for rdd in rdds))
        if lie not in self._state_rdds:
            if len(self._state_rdds) == MOST_WAYS:
                self._state_rdds.clear()
            found = self._bridge.state_rdds(stage_id)
            self._state_rdds[lie] = frozenset(rdd - first for rdd in found)
        return frozenset(rdd + first for rdd in self._state_rdds[lie])

    def _stage(self, position: int, run: _Run) -> StageSample:
        """Return a stateful stage's tasks, one a partition: the last that succeeded."""
        last = {task["partitionId"]: task for task in run.tasks}
        tasks = []
        for partition in sorted(last):
            task, here = last[partition], str(last[partition]["executorId"])
            before = self._home.get((position, partition))
            self._home[position, partition] = here
            # Where a batch was passed over, nobody knows in which of the two it was loaded.
            tasks.append(_sample(task, before, seen=not self._passed_over))
        return StageSample(position, run.submitted_s, run.ended_s, tuple(tasks))


def _stateless(run: _Run, stages: Sequence[StageSample]) -> StageSample:
    """Return a stage that holds no state."""
    before = run.submitted_s <= min((stage.submitted_s for stage in stages), default=0.0)
    tasks = tuple(_sample(task, str(task["executorId"]), seen=True) for task in run.tasks)
    return StageSample(BEFORE if before else AFTER, run.submitted_s, run.ended_s, tasks)


def _sample(task: Any, before: str | None, *, seen: bool) -> TaskSample:  # noqa: ANN401  JSON
    """Return one task out of Spark's words.

    ``before`` is where its key group ran the last time that was read; ``seen`` says that this was
    the batch before.
    """
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
        came_from=before if seen and before != here else None,
        wait_s=shuffle["fetchWaitTime"] / 1e3,
    )


def _busy_s(runs: Iterable[_Run]) -> dict[str, float]:
    """Return how long each executor worked for ``runs``."""
    busy: defaultdict[str, float] = defaultdict(float)
    for run in runs:
        for task in run.tasks:
            busy[str(task["executorId"])] += task["taskMetrics"]["executorRunTime"] / 1e3
    return dict(busy)
