"""What ``albic run swing`` does: a load that doubles and halves, and executors that follow it."""

import sys
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from rich.console import Console

from albic.cli.run.swing_run import USUAL, Course, followed
from albic.cli.shared.batch_table import doing
from albic.cli.shared.folders import make_folder
from albic.cli.shared.screen import count_text, screen
from albic.config.table import FIXED
from albic.control import Controller, Pace, Settings
from albic.control.adaptation import rehearsal
from albic.control.batches import BatchRecord
from albic.control.node_presence import node_steps
from albic.figures.plots import save
from albic.model import Interrupted, InvalidInput
from albic.model.fields import nearest
from albic.model.files import blaming, document_text, save_bytes, save_text
from albic.nodes.isolation import LOCAL, Isolation, isolation_of
from albic.nodes.names import MOST_NODES
from albic.planners import find_planner
from albic.reports.swings import SwingRun, swing_charts, swing_headline, swing_page
from albic.scaling import POLICIES, Limits
from albic.spark.attaching import Query
from albic.spark.java import require_java
from albic.wiring import LocalCluster, attach, local_cluster

FORMAT = "albic-swing/1"
JOB = "swing"
REPORT, RESULT, JOURNAL = "report.html", "result.json", "journal.jsonl"
#: A swing takes two minutes here, so limits that fit a day would see nothing of it.
STABILISE_S, DRAIN_AFTER_S = 9.0, 15.0
#: Batches of a run that do not count, and those that have to follow.
FEWEST = 10
MOST_OF_ANYTHING = 1_000_000


@dataclass(frozen=True, slots=True)
class SwingWishes:
    """What the user asked for; ``picture`` has no suffix."""

    out: Path
    scale: str = "utilisation"
    min_nodes: int = 2
    max_nodes: int = 6
    nodes: int | None = None
    planner: str = "auto"
    objective: str = "auto"
    key_groups: int = USUAL.job.key_groups
    rows: int = USUAL.job.events
    batches: int = USUAL.batches
    period: str = "3 batches"
    max_migrations: int = 12
    picture: Path | None = None
    seed: int = 1
    cpu: str | None = None
    network: str | None = None
    storage: str = LOCAL

    def check(self) -> None:
        """Refuse what cannot be run, before anything is started."""
        known = (FIXED, *POLICIES)
        if self.scale not in known:
            meant = nearest(self.scale, known)
            hint = f"did you mean {meant}?" if meant else f"known are {', '.join(known)}"
            raise InvalidInput(f"--scale: there is no policy {self.scale!r}; {hint}")
        if not 1 <= self.min_nodes <= self.max_nodes <= MOST_NODES:
            raise InvalidInput(
                f"--min-nodes is {self.min_nodes} and --max-nodes {self.max_nodes}; it must be "
                f"1 <= min <= max <= {MOST_NODES}"
            )
        for name, value, least in (
            ("--nodes", self.first_nodes, 1),
            ("--key-groups", self.key_groups, 1),
            ("--rows", self.rows, 2 * self.key_groups),
            ("--batches", self.batches, FEWEST),
            ("--max-migrations", self.max_migrations, 0),
        ):
            if not least <= value <= MOST_OF_ANYTHING:
                raise InvalidInput(
                    f"{name} is {value}; it must be from {least} to {MOST_OF_ANYTHING:,}"
                )
        if self.first_nodes > MOST_NODES:
            raise InvalidInput(f"--nodes is {self.first_nodes}; at most {MOST_NODES} fit here")
        self.isolation.checked(self.first_nodes)
        find_planner(self.planner)
        Pace.of(self.period)
        make_folder(self.out)
        if self.picture is not None:
            make_folder(self.picture.parent)

    @property
    def first_nodes(self) -> int:
        """Return how many executors there are at the start; half way, where nobody said."""
        if self.nodes is not None:
            return self.nodes
        return self.max_nodes if self.scale == FIXED else (self.min_nodes + self.max_nodes) // 2

    @property
    def isolation(self) -> Isolation:
        """Return how far nodes are isolated."""
        return isolation_of(self.cpu, self.network, self.storage)

    @property
    def course(self) -> Course:
        """Return the job, as large and as long as it was asked for."""
        job = replace(USUAL.job, key_groups=self.key_groups, events=self.rows)
        return replace(USUAL, job=job, batches=self.batches)

    def steer(self, cluster: LocalCluster, query: Query, journal: Path) -> Controller:
        """Attach a controller."""
        return attach(
            query,
            planner=self.planner,
            objective=self.objective,
            period=self.period,
            max_migrations=self.max_migrations,
            scaling=self.scale,
            limits=Limits(
                min_nodes=self.min_nodes,
                max_nodes=self.max_nodes,
                stabilise_s=STABILISE_S,
                drain_after_s=DRAIN_AFTER_S,
            ),
            cluster=cluster,
            journal=journal,
            seed=self.seed,
        )


def run(wishes: SwingWishes, *, as_json: bool) -> None:
    """Run the swing, show it as it goes, and write the report."""
    wishes.check()
    require_java()
    console = screen(aside=as_json)
    console.print(about(wishes), soft_wrap=True)
    try:
        found, journal = _followed(console, wishes)
    except KeyboardInterrupt:
        raise Interrupted("stopped; nothing was written") from None
    report = _written(wishes, found, journal)
    if as_json:
        sys.stdout.write(_document(wishes, found))
    console.print(swing_headline(found, wishes.max_migrations), soft_wrap=True)
    console.print(f"report: {report.resolve()}", soft_wrap=True)


def _followed(console: Console, wishes: SwingWishes) -> tuple[SwingRun, bytes]:
    """Return what was recorded, and the journal as it was written."""
    course = wishes.course
    with doing(console, "getting the planner ready …"):
        find_planner(wishes.planner).plan(rehearsal(Settings()))
    with doing(console, f"starting {count_text(wishes.first_nodes, 'executor')} on this machine …"):
        cluster = local_cluster(
            wishes.first_nodes, settings=course.settings(), **wishes.isolation.arguments
        )
    with cluster:
        # It goes with the cluster, even if we are killed.
        folder = cluster.storage
        found = followed(
            JOB,
            cluster,
            course,
            folder,
            lambda query, journal: wishes.steer(cluster, query, journal),
            lambda record: _tell(console, course, record),
        )
        return found, (folder / JOURNAL).read_bytes()


def about(wishes: SwingWishes) -> str:
    """Return what is run, in a paragraph."""
    job, course = wishes.course.job, wishes.course
    most = max(job.rows(batch) for batch in range(course.batches))
    return (
        f"A stateful query with {job.key_groups} key groups and a batch every "
        f"{course.interval_s:g} s on {wishes.first_nodes} executors with one slot each, on "
        f"{wishes.isolation.described()}; its load "
        f"goes from {job.rows(0)} to {most} rows a batch and back. A row costs a wait of "
        f"{job.wait_ms} ms, so that a few cores can stand for many nodes. Policy {wishes.scale}, "
        f"{wishes.min_nodes} to {wishes.max_nodes} executors, planned every {wishes.period} with "
        f"at most {wishes.max_migrations} moves; a change settles for {STABILISE_S:g} s, and "
        f"executors go when fewer were enough for {DRAIN_AFTER_S:g} s."
    )


def _tell(console: Console, course: Course, record: BatchRecord) -> None:
    """Say how one batch went."""
    late = ", late" if record.batch_s > course.interval_s else ""
    console.print(
        f"batch {record.batch}: {course.job.rows(record.batch)} rows, {record.batch_s:.2f} s"
        f"{late}, state on {len(set(record.node))} executors, {record.moved} moves",
        soft_wrap=True,
    )


def _written(wishes: SwingWishes, found: SwingRun, journal: bytes) -> Path:
    """Write report, document and journal, and return the path of the report."""
    page = swing_page(found, wishes.max_migrations, about(wishes))
    contents = {JOURNAL: journal, RESULT: _document(wishes, found).encode()}
    for name, content in contents.items():
        with blaming(wishes.out / name):
            save_bytes(wishes.out / name, content)
    if wishes.picture is not None:
        with blaming(wishes.picture):
            save(swing_charts((found,)), wishes.picture)
    with blaming(wishes.out / REPORT):
        save_text(wishes.out / REPORT, page.html())
    return wishes.out / REPORT


def _document(wishes: SwingWishes, found: SwingRun) -> str:
    """Return the run as a JSON document."""
    began_s = found.span_s[0]
    at_s, there = node_steps(found.stays, *found.span_s)
    asked = {
        key: str(each) if isinstance(each, Path) else each for key, each in asdict(wishes).items()
    }
    return document_text(
        {
            "format": FORMAT,
            "asked": asked,
            "headline": swing_headline(found, wishes.max_migrations),
            "node_seconds": found.node_s,
            "mean_nodes": found.mean_nodes,
            "late_batches": found.late,
            "batches": len(found.counted),
            "failed_tasks": found.failed_tasks,
            "decisions": len(found.decisions),
            "most_moves_in_a_period": found.most_moves,
            "controller_s": found.controller_s,
            "nodes": [[at - began_s, count] for at, count in zip(at_s, there, strict=True)],
            "batch_s": [
                [record.ended_s - began_s, found.rows[record.batch], record.batch_s]
                for record in found.counted
            ],
            "report": str((wishes.out / REPORT).resolve()),
        }
    )
