"""One run of a job whose load doubles and halves, with or without somebody who follows it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from albic.control import Controller
from albic.control.batches import BatchRecord
from albic.jobs.drifting import Drift, drifting
from albic.jobs.observed_run import batches, started
from albic.jobs.swinging import Swing
from albic.reports.swings import SwingRun
from albic.spark.attaching import Query
from albic.spark.executor_presence import executor_stays
from albic.wiring import LocalCluster

#: What attaches a controller to a query, with a place for its journal.
Steer = Callable[[Query, Path], Controller]


@dataclass(frozen=True, slots=True)
class Course:
    """A job with a swing in it, how often a batch starts, and how many of them run."""

    job: Drift
    interval_s: float
    batches: int

    def settings(self) -> dict[str, str]:
        """Return what Spark has to be told for it."""
        return {
            "spark.sql.shuffle.partitions": str(self.job.key_groups),
            "spark.sql.streaming.numRecentProgressUpdates": str(max(self.batches, 100)),
        }


#: An event waits, so that two cores can stand for six nodes. After a whole swing, a last low part
#: shows where the number of nodes ends.
USUAL = Course(
    Drift(
        key_groups=16,
        events=720,
        wait_ms=10,
        skew=0.3,
        first_phase=1_000_000,
        sources=2,
        swing=Swing(low=10, rise=12, high=8, fall=6),
    ),
    interval_s=3.0,
    batches=46,
)


def followed(
    name: str,
    cluster: LocalCluster,
    course: Course,
    folder: Path,
    steer: Steer | None = None,
    tell: Callable[[BatchRecord], None] = lambda _: None,
) -> SwingRun:
    """Run the job to the end of its course and return what was recorded.

    Parameters
    ----------
    folder
        Where checkpoint and journal go.
    steer
        Who attaches the controller, once the first batch has ended; without it, plain Spark runs.
    tell
        Hears of every batch.
    """
    frame = drifting(cluster.spark, course.job)
    query = started(frame, folder / "checkpoint", course.interval_s)
    controller: Controller | None = None
    seen: list[BatchRecord] = []
    try:
        for record in batches(query, course.batches):
            seen.append(record)
            tell(record)
            if controller is None and steer is not None:
                controller = steer(query, folder / "journal.jsonl")
        stays = executor_stays()
        if controller is not None:
            controller.stop()
    finally:
        query.stop()
    return SwingRun(
        name,
        course.interval_s,
        tuple(course.job.rows(batch) for batch in range(course.batches)),
        tuple(seen),
        stays,
        () if controller is None else tuple(controller.journal.records()),
        0.0 if controller is None else controller.worked_s,
    )
