"""One batch of a query as it ran, in Spark's terms."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

from albic.spark.traffic import StreamTraffic


@dataclass(frozen=True, slots=True)
class TaskSample:
    """The successful task of one key group in one batch.

    ``loaded`` says that the key group ran elsewhere the last time, or for the first time, so that
    its run time holds the load of its state from the checkpoint; ``came_from`` is where it ran
    before if that was elsewhere. ``beside_load`` says that its executor loaded a copy of other
    state meanwhile, which makes a task slow whatever it does. ``cpu_s`` is the JVM's alone: a
    Python worker's is not in it. ``wait_s`` is how long it stood still for rows from other nodes.
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
    beside_load: bool = False

    @property
    def usual(self) -> bool:
        """Return whether its run time is that of its work alone."""
        return not self.loaded and not self.beside_load


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
    task. ``unread`` batches after it took as long and were not read; the last of them ended
    ``lasted_to_s``. ``stateless`` are the stages that hold no state.
    """

    run_id: str
    batch_id: int
    started_s: float
    ended_s: float
    stages: tuple[StageSample, ...]
    background_s: Mapping[str, float]
    traffic: tuple[StreamTraffic, ...]
    coverage: float
    unread: int = 0
    lasted_to_s: float = 0.0
    stateless: tuple[StageSample, ...] = ()

    def and_one_more(self, ended_s: float) -> "BatchSample":
        """Return it as one that stands for another batch as well, which ended then."""
        return replace(self, unread=self.unread + 1, lasted_to_s=ended_s)

    def beside_loads(self, executor_ids: Container[str]) -> "BatchSample":
        """Return it as one during which these executors loaded copies of state."""
        return replace(
            self,
            stages=tuple(
                replace(
                    stage,
                    tasks=tuple(
                        replace(task, beside_load=task.executor_id in executor_ids)
                        for task in stage.tasks
                    ),
                )
                for stage in self.stages
            ),
        )
