"""What new batches of a query showed, summed up over their tasks."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from albic.spark.batch import BatchSample
from albic.spark.measures import SeenMove
from albic.spark.placement import Reconciliation


@dataclass(frozen=True, slots=True)
class Seen:
    """What the new batches of a query showed.

    ``batch_s`` is how long they took in all. Of ``batches`` so many were ``read`` whole, and all
    that follows is about these. ``pace`` is the share of its trigger interval that the last batch
    took, if it has one.
    """

    batches: int
    batch_s: float
    read: int
    judged: int
    compliant: int
    last_ended_s: float
    cpu_s: float = 0.0
    rows: int = 0
    local_bytes: int = 0
    remote_bytes: int = 0
    moves: tuple[SeenMove, ...] = ()
    pace: float | None = None
    busy_s: float = 0.0
    wait_s: float = 0.0


def seen_in(
    samples: Sequence[BatchSample],
    answers: Sequence[Reconciliation],
    moves: tuple[SeenMove, ...],
    took_s: Sequence[float],
    *,
    fed_by_state: Collection[int],
    interval_s: float | None,
) -> Seen:
    """Return what batches showed of which ``samples`` were read.

    ``answers`` are what the placement said to each sample, ``took_s`` how long all batches took,
    and ``fed_by_state`` the stages that read what other key groups wrote.
    """
    stages = [stage for sample in samples for stage in sample.stages]
    tasks = [task for stage in stages for task in stage.tasks]
    between = [task for stage in stages if stage.stage in fed_by_state for task in stage.tasks]
    return Seen(
        batches=len(took_s),
        batch_s=sum(took_s),
        read=len(samples),
        judged=sum(answer.judged for answer in answers),
        compliant=sum(answer.compliant for answer in answers),
        last_ended_s=max((sample.ended_s for sample in samples), default=0.0),
        cpu_s=sum(task.cpu_s for task in tasks),
        rows=sum(task.records for task in tasks),
        local_bytes=sum(task.local_bytes for task in between),
        remote_bytes=sum(task.remote_bytes for task in between),
        moves=moves,
        pace=took_s[-1] / interval_s if took_s and interval_s else None,
        busy_s=sum(task.run_s for task in tasks),
        wait_s=sum(task.wait_s for task in tasks),
    )
