"""The scenes of the Spark bench, and the ways to run them: plain, with even counts, with albic."""

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import albic
from albic.control import RoundRecord
from albic.control.batches import BatchRecord
from albic.control.journal import Status
from albic.jobs.drifting import Drift, drifting
from albic.jobs.running import batches, started
from albic.model import JobEnded
from albic.spark.attaching import bridge_of_process
from albic.spark.recording import set_locality_wait
from albic.wiring import LocalCluster
from bench.spread import EvenCounts

NODES = 4
#: Names of the ways to run a scene. Plain Spark comes with its own wait for a busy executor, and
#: with none, which lets any idle executor take a task and load its state.
PLAIN, IMPATIENT, EVEN, ALBIC = "plain, wait 3 s", "plain, wait 0 s", "even counts", "albic"
WAYS = (PLAIN, IMPATIENT, EVEN, ALBIC)
#: Batches of a job that warms up JVMs and executors before anything is measured.
REHEARSAL = 3
PATIENCE_S = 120.0
#: Batches that every way has to find its placement, where the scene is about where it ends.
SETTLING = 6
#: Half of the key groups may move in a period: the scenes begin far from balance.
MAX_MIGRATIONS = Drift().key_groups // 2


@dataclass(frozen=True, slots=True)
class Scene:
    """What happens: the job, the nodes at the start, and the batches that count.

    ``joining`` nodes are asked for after ``before`` batches, and ``after`` is counted from the
    batch in which they are there. The first ``settling`` of those batches do not count.
    """

    name: str
    job: Drift
    before: int
    after: int
    settling: int = 0
    nodes: int = NODES
    joining: int = 0


@dataclass(frozen=True, slots=True)
class Run:
    """One way through a scene; batches count from ``counts_from`` on.

    ``controller_s`` is how long the controller's thread worked.
    """

    way: str
    batches: tuple[BatchRecord, ...]
    counts_from: int = 0
    rounds: tuple[RoundRecord, ...] = ()
    controller_s: float = 0.0
    seconds: float = 0.0

    @property
    def compliance(self) -> float | None:
        """Return the share of tasks that ran where they should."""
        judged = sum(each.judged for each in self.rounds)
        return sum(each.compliant for each in self.rounds) / judged if judged else None

    @property
    def moves(self) -> int:
        """Return how many key groups were told to move."""
        return sum(len(each.moves) for each in self.rounds if each.status is Status.APPLIED)


def scenes(*, quick: bool) -> tuple[Scene, ...]:
    """Return the three scenes; quick ones are too short for their goals."""
    changing, still = Drift(first_phase=4), Drift(first_phase=10_000)
    return (
        Scene("drift", changing, before=4, after=12 if quick else 24),
        Scene(
            "late nodes",
            still,
            before=4,
            after=9 if quick else 16,
            settling=SETTLING,
            nodes=NODES // 2,
            joining=NODES // 2,
        ),
        Scene(
            "tiny first batch", tiny(still), before=2, after=9 if quick else 18, settling=SETTLING
        ),
    )


def tiny(job: Drift) -> Drift:
    """Return ``job`` with a first batch that costs nothing, from a source of one partition."""
    return Drift(first_phase=job.first_phase, sources=1, tiny_first=True)


@dataclass
class Stage:
    """A cluster on which scenes are run, one way after the other."""

    cluster: LocalCluster
    tell: Callable[[str], None] = field(default=lambda _: None)

    def rehearse(self) -> None:
        """Run a few batches that nobody measures."""
        self.run(Scene("rehearsal", Drift(first_phase=2), 1, REHEARSAL), PLAIN)

    def run(self, scene: Scene, way: str) -> Run:
        """Run a scene one way and return its batches."""
        began_s = time.monotonic()
        self._resize(scene.nodes)
        set_locality_wait("0s" if way == IMPATIENT else None)
        try:
            with _folder() as folder:
                return self._observed(scene, way, folder, began_s)
        finally:
            set_locality_wait(None)

    def _observed(self, scene: Scene, way: str, folder: Path, began_s: float) -> Run:
        """Run the query to its end, with a controller where the way asks for one."""
        query = started(drifting(self.cluster.spark, scene.job), folder / "checkpoint")
        controller, seen = None, []
        begins = scene.before
        try:
            for record in batches(query):
                seen.append(record)
                self.tell(f"{scene.name}, {way}: batch {record.batch}, {record.batch_s:.2f} s")
                if record.batch == 0 and way in {EVEN, ALBIC}:
                    controller = albic.attach(
                        query,
                        planner=EvenCounts() if way == EVEN else "auto",
                        max_migrations=MAX_MIGRATIONS,
                        journal=folder / "journal.jsonl",
                    )
                if record.batch == scene.before - 1 and scene.joining:
                    self._resize(scene.nodes + scene.joining)
                    begins = bridge_of_process().last_batch(query) + 2
                if record.batch >= begins + scene.after - 1:
                    break
            if controller is not None:
                controller.stop()
        finally:
            query.stop()
        rounds = () if controller is None else tuple(controller.journal.records())
        spent_s = 0.0 if controller is None else controller.worked_s
        counts_from = begins + scene.settling
        return Run(way, tuple(seen), counts_from, rounds, spent_s, time.monotonic() - began_s)

    def _resize(self, nodes: int) -> None:
        """Add or take away nodes; return when their executors are there or gone."""
        for host in self.cluster.hosts[nodes:]:
            self.cluster.remove_node(host)
        while len(self.cluster.hosts) < nodes:
            self.cluster.add_node()
        bridge, ends_s = bridge_of_process(), time.monotonic() + PATIENCE_S
        while len(bridge.executor_ids()) != nodes:
            if time.monotonic() > ends_s:
                raise JobEnded(f"{nodes} executors were not there within {PATIENCE_S:g} s")
            time.sleep(0.1)


@contextlib.contextmanager
def staged(tell: Callable[[str], None]) -> Iterator[Stage]:
    """Yield a warm cluster for the scenes."""
    settings = {
        "spark.sql.shuffle.partitions": str(Drift().key_groups),
        "spark.sql.streaming.numRecentProgressUpdates": "1000",
    }
    with albic.local_cluster(nodes=NODES, settings=settings) as cluster:
        stage = Stage(cluster, tell)
        stage.rehearse()
        yield stage


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="albic-bench-", ignore_cleanup_errors=True) as name:
        yield Path(name)
