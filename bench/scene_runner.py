"""Where scenes are run: one cluster for all of them, warm before the first that counts."""

import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pyspark.sql.streaming.query import StreamingQuery

import albic
from albic.control import Controller
from albic.control.batches import BatchRecord
from albic.jobs.chained import Chain, chained
from albic.jobs.drifting import drifting
from albic.jobs.observed_run import batches, started
from albic.model import JobEnded
from albic.spark.attaching import bridge_of_process
from albic.spark.batch_recorder import set_locality_wait, state_bytes
from albic.spark.starting_places import Dealer
from albic.wiring import LocalCluster
from bench.even_counts import EvenCounts
from bench.scenes import ALBIC, EVEN, IMPATIENT, Run, Scene

PATIENCE_S = 120.0
UNLIMITED = "unlimited"


@dataclass
class Stage:
    """A cluster on which scenes are run, one way after the other."""

    cluster: LocalCluster
    tell: Callable[[str], None] = field(default=lambda _: None)

    def run(self, scene: Scene, way: str) -> Run:
        """Run a scene one way and return its batches."""
        began_s = time.monotonic()
        self._resize(scene.nodes)
        self._arrange(scene, UNLIMITED)
        set_locality_wait("0s" if way == IMPATIENT else None)
        try:
            with self._folder(scene) as folder:
                return self._observed(scene, way, folder, began_s)
        finally:
            set_locality_wait(None)

    def _observed(self, scene: Scene, way: str, folder: Path, began_s: float) -> Run:
        """Run the query to its end, with a controller where the way asks for one."""
        query = self._begun(scene, folder)
        controller: Controller | None = None
        dealer: Dealer | None = None
        seen: list[BatchRecord] = []
        begins = scene.before
        try:
            for record in batches(query):
                seen.append(record)
                self.tell(f"{scene.name}, {way}: batch {record.batch}, {record.batch_s:.2f} s")
                if record.batch < scene.opening:
                    dealer = dealt(query, scene, record, dealer)
                if record.batch == scene.opening - 1:
                    self._arrange(scene)
                    controller = attached(query, scene, way, folder)
                if record.batch == scene.before - 1 and scene.joining:
                    begins = self._joined(scene, query)
                if record.batch >= begins + scene.after - 1:
                    break
            if controller is not None:
                controller.stop()
            sizes = state_bytes(query)
        finally:
            query.stop()
        rounds = () if controller is None else tuple(controller.journal.records())
        for each in rounds:
            moved = f"{len(each.migrations)} moves" if each.migrations else each.status.value
            self.tell(f"  round {each.number} ({each.trigger}): {moved}: {each.reason}")
        return Run(
            way,
            tuple(seen),
            begins + scene.settling,
            rounds,
            0.0 if controller is None else controller.worked_s,
            time.monotonic() - began_s,
            sizes,
            self._speeds(scene),
        )

    def _joined(self, scene: Scene, query: StreamingQuery) -> int:
        """Let nodes join; return the first batch that all of them are there for."""
        self._resize(scene.nodes + scene.joining)
        self._arrange(scene)
        return bridge_of_process().last_batch(query) + 2

    def _begun(self, scene: Scene, folder: Path) -> StreamingQuery:
        """Start the job of a scene."""
        spark, job = self.cluster.spark, scene.job
        spark.conf.set("spark.sql.shuffle.partitions", str(job.key_groups))
        checkpoint = folder / "checkpoint"
        if isinstance(job, Chain):
            return started(chained(spark, job), checkpoint, mode="append")
        return started(drifting(spark, job), checkpoint)

    def _arrange(self, scene: Scene, network: str | None = None) -> None:
        """Make nodes what the scene says; ``network`` goes over what it says of links."""
        if scene.place is not None:
            rate = network or scene.place.network
            for host, cpu in zip(self.cluster.hosts, scene.place.cpu, strict=False):
                self.cluster.slow(host, cpu=cpu, network=rate)

    def _speeds(self, scene: Scene) -> dict[str, float]:
        """Return the processor of each executor, as a share of the largest."""
        if scene.place is None:
            return {}
        shares = dict(zip(self.cluster.hosts, scene.place.cpu, strict=False))
        found = bridge_of_process().executors()
        hosts = {str(each["id"]): str(each["hostPort"]).rpartition(":")[0] for each in found}
        most = max(shares.values())
        return {name: shares[host] / most for name, host in hosts.items() if host in shares}

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
    def _folder(self, scene: Scene) -> Iterator[Path]:
        """Yield a folder of the storage that the scene is about."""
        far = scene.place is not None and scene.place.far_storage
        with tempfile.TemporaryDirectory(
            prefix="albic-bench-",
            dir=self.cluster.storage if far else None,
            ignore_cleanup_errors=True,
        ) as name:
            yield Path(name)


def dealt(
    query: StreamingQuery, scene: Scene, record: BatchRecord, dealer: Dealer | None
) -> Dealer | None:
    """Deal out the state where the scene asks for it; again, where a batch did not follow."""
    if scene.shift is None:
        return None
    dealer = dealer or Dealer(query, shift=scene.shift)
    dealer.settled(record.node)
    return dealer


def attached(query: StreamingQuery, scene: Scene, way: str, folder: Path) -> Controller | None:
    """Return the controller that the way asks for, if it asks for one."""
    if way not in {EVEN, ALBIC}:
        return None
    return albic.attach(
        query,
        planner=EvenCounts() if way == EVEN else scene.planner,
        period=scene.period,
        max_migrations=scene.max_migrations,
        journal=folder / "journal.jsonl",
    )
