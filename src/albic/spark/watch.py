"""One query under watch: its batches are read, its state is steered."""

import time
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import NamedTuple

from pyspark.sql.streaming.query import StreamingQuery

from albic.control.change import growth
from albic.control.moving import late_s
from albic.model import Throughput, Topology
from albic.spark.bridge import Bridge
from albic.spark.checkpoint import StateSizes
from albic.spark.executors import Executor
from albic.spark.operators import QueryShape, runs_python, shape
from albic.spark.placement import KeyGroup, Placement
from albic.spark.statistics import BatchSample, StatisticsReader

#: Batches before the period that are kept, for key groups that only moved in the period.
KEPT = 16
#: A batch takes at least this share of the shortest of so many before it, or is no worse for being
#: noticed a little late.
SURE, ALIKE = 0.95, 2


class SeenMove(NamedTuple):
    """A key group that ran elsewhere than before, and how late that made it."""

    group: KeyGroup
    source: str
    target: str
    late_s: float


@dataclass(frozen=True, slots=True)
class Seen:
    """What the new batches of a query showed.

    ``pace`` is the share of its trigger interval that the last of them took, if it has one.
    """

    batches: int
    batch_s: float
    judged: int
    compliant: int
    last_ended_s: float
    cpu_s: float = 0.0
    rows: int = 0
    local_bytes: int = 0
    remote_bytes: int = 0
    moves: tuple[SeenMove, ...] = ()
    pace: float | None = None


class QueryWatch:
    """Reads and steers one run of a query from its first whole batch on."""

    def __init__(
        self,
        bridge: Bridge,
        query: StreamingQuery,
        *,
        steers: bool,
        named: Topology | None = None,
    ) -> None:
        plan = bridge.plan(query)
        if plan is None:
            raise RuntimeError("a query is watched once its first batch has ended")
        run_id = str(query.runId)
        self.python = runs_python(plan)
        self.shape: QueryShape = shape(plan, query.name or "", run_id, named)
        self.sizes = StateSizes(bridge.files, self.shape)
        self.placement = Placement(bridge, self.shape, steers=steers)
        self.period: list[BatchSample] = []
        self.earlier: deque[BatchSample] = deque(maxlen=KEPT)
        self._bridge = bridge
        self._query = query
        self.interval_s = bridge.interval_s(query)
        self._took_s: dict[int, float] = {}
        self._busiest_s: deque[float] = deque(maxlen=KEPT)
        # What ran before us may be a thousand jobs, and says little about now.
        self._read_to = bridge.last_batch(query)
        self._reader = StatisticsReader(bridge, self.shape, after=bridge.last_ended_job(run_id))

    @property
    def active(self) -> bool:
        """Return whether the query still runs; in the midst of a batch we take it for granted."""
        return self.quiet_s(time.time()) > 0 or bool(self._query.isActive)

    @property
    def busiest_stage_s(self) -> float:
        """Return the longest that an executor worked in one stage of a recent batch.

        Not of the last alone: a batch that only closes windows is short, and the next one is not.
        """
        return max(self._busiest_s, default=0.0)

    def quiet_s(self, now_s: float) -> float:
        """Return how long the present batch is sure to run yet, going by the last ones."""
        recent = (*self.earlier, *self.period)[-ALIKE:]
        if len(recent) < ALIKE:
            return 0.0
        shortest_s = min(self._whole_s(sample) for sample in recent)
        return max(recent[-1].ended_s + SURE * shortest_s - now_s, 0.0)

    def groups(self) -> tuple[KeyGroup, ...]:
        """Return all key groups, stage after stage."""
        return tuple(
            KeyGroup(stage, partition)
            for stage, info in enumerate(self.shape.stages)
            for partition in range(info.partitions)
        )

    def take_in(self, live: Sequence[Executor]) -> Seen:
        """Read the batches that ended since, and reconcile with each."""
        samples = self._new_samples()
        answers = [self.placement.after_batch(sample, live) for sample in samples]
        moves: list[SeenMove] = []
        for sample in samples:
            moves += moves_in(sample, (*self.earlier, *self.period))
            self.period.append(sample)
        self._busiest_s.extend(busiest_stage_s(sample) for sample in samples)
        tasks = [task for sample in samples for stage in sample.stages for task in stage.tasks]
        between = [
            task
            for sample in samples
            for stage in sample.stages
            if stage.stage in self.shape.fed_by_state
            for task in stage.tasks
        ]
        return Seen(
            batches=len(samples),
            batch_s=sum(sample.ended_s - sample.started_s for sample in samples),
            judged=sum(answer.judged for answer in answers),
            compliant=sum(answer.compliant for answer in answers),
            last_ended_s=max((sample.ended_s for sample in samples), default=0.0),
            cpu_s=sum(task.cpu_s for task in tasks),
            rows=sum(task.records for task in tasks),
            local_bytes=sum(task.local_bytes for task in between),
            remote_bytes=sum(task.remote_bytes for task in between),
            moves=tuple(moves),
            pace=self._whole_s(samples[-1]) / self.interval_s
            if samples and self.interval_s
            else None,
        )

    def _new_samples(self) -> list[BatchSample]:
        """Return the batches that were not read yet; asks for jobs only when there may be one."""
        if self.quiet_s(time.time()) > 0:
            return []
        last = self._bridge.last_batch(self._query)
        if last == self._read_to:
            return []
        samples = self._reader.read(last)
        if self._reader.read_to == last:
            self._read_to = last
            self._took_s[last] = self._bridge.last_batch_s(self._query)
        return samples

    def throughput(self) -> Throughput:
        """Return how the query kept up in this period."""
        last = self._query.lastProgress
        arrived, processed = (
            (last.inputRowsPerSecond, last.processedRowsPerSecond) if last else (0.0, 0.0)
        )
        batch_s = [self._whole_s(sample) for sample in self.period]
        beside_s = [self._whole_s(sample) - stages_s(sample) for sample in self.period]
        return Throughput(
            batch_s=fmean(batch_s) if batch_s else None,
            interval_s=self.interval_s,
            # Spark gives no rate for a first batch.
            arrived_share=max(arrived / processed, 1.0) if processed > 0 <= arrived else 1.0,
            growth=growth([settled_s(sample) for sample in self.period]),
            beside_s=max(median(beside_s), 0.0) if beside_s else 0.0,
        )

    def _whole_s(self, sample: BatchSample) -> float:
        """Return how long a batch took; where Spark's word was missed, as long as its jobs."""
        return self._took_s.get(sample.batch_id, sample.ended_s - sample.started_s)

    def new_period(self) -> None:
        """Begin another period."""
        self.earlier.extend(self.period)
        self.period = []
        self._took_s = {b: took_s for b, took_s in self._took_s.items() if b > self._read_to - KEPT}
        # Now, for the round is over: a look takes longer than a plan.
        self.sizes.look()


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
    for stage in sample.stages:
        for task in stage.tasks:
            if task.came_from is None:
                continue
            usually_s = [
                past.run_s
                for batch in before
                for past in batch.stages[stage.stage].tasks
                if past.partition == task.partition and not past.loaded
            ]
            late = late_s(task.run_s, usually_s)
            if late is not None:
                group = KeyGroup(stage.stage, task.partition)
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
