"""How long a job stands still when an executor is killed: plain Spark beside albic.

``make bench-loss`` runs it. One query on three executors of an embedded cluster; before each kill
its state is spread evenly, and one executor is lost with its share in the middle of a batch. Plain
Spark and albic take turns on the same cluster. A stall is the longer of the batch in which the
executor dies and the one after it, less the median of those before. How long Spark takes to notice
the loss stands beside it.

With ``--mb 20`` the job works instead of waiting, and has so much state a key group; albic then
runs without second copies of state and with them. ``make bench-standby`` does that on isolated
nodes, with storage beyond links of 100 Mbit/s.
"""

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import functions as fn
from pyspark.sql.streaming.query import StreamingQuery

import albic
from albic.jobs.drifting import drifting
from albic.jobs.observed_run import started
from albic.spark.bridge import Bridge, Order
from albic.spark.executors import Executor, Executors
from albic.spark.operators import shape
from albic.spark.placement import KeyGroup, Placement
from albic.spark.session import LocalCluster, local_cluster
from bench.node_options import add_isolation, isolation
from bench.node_scenes import KEEPING, NEVER
from bench.scenes import SETTINGS

NODES, GROUPS = 3, 12
#: What a task waits for each of its keys; the whole batch then takes about a second.
KEYS, KEY_MS = 120, 20
BEFORE, AFTER = 5, 5
#: The batches that a kill strikes: one may have had what it needs from the lost executor already.
STRUCK = 2
PLAIN, ALBIC, STANDBY = "plain", "albic", "standby"
#: Batches without work until the state has its size, and a first snapshot of it is stored.
FILLING = 18
#: What an event costs where state is large: so many rounds of hashing.
WORK = 200
MAINTENANCE = "spark.sql.streaming.stateStore.maintenanceInterval"
PATIENCE_S = 180.0


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill: how long batches took before it, the longest of two, and until it was seen."""

    mode: str
    before_s: float
    longest_s: float
    noticed_s: float

    @property
    def stall_s(self) -> float:
        """Return what the kill cost."""
        return self.longest_s - self.before_s


class Bench:
    """A query on a cluster from which executors are taken."""

    def __init__(self, cluster: LocalCluster, query: StreamingQuery) -> None:
        self._cluster = cluster
        self._bridge = Bridge(cluster.spark)
        self._executors = Executors(self._bridge)
        self._followers = self._bridge.followers()
        self._query = query
        self._until(lambda: self._bridge.last_batch(self._query) >= 0, "the first batch")
        plan = self._bridge.plan(self._query)
        if plan is None:
            raise RuntimeError("a batch ended without a plan")
        self._shape = shape(plan, "loss", str(self._query.runId))

    def fill(self) -> None:
        """Wait until the state has its size."""
        self._more(FILLING)

    def kill(self, mode: str) -> Kill:
        """Spread the state, kill an executor in the middle of a batch, and heal the cluster."""
        self._cluster.wait_for_executors(NODES)
        self._until(lambda: len(self._live()) == NODES, "the executors")
        live = self._live()
        placement = Placement(self._bridge, self._shape)
        for _ in range(2):
            # A batch that is under way takes state along, so it is said twice.
            placement.move_now({KeyGroup(0, g): live[g % NODES] for g in range(GROUPS)})
            self._more(2)
        # Rounds far away: what is measured is the answer to a loss.
        standby = 1 if mode == STANDBY else 0
        controller = (
            None if mode == PLAIN else albic.attach(self._query, period="1h", standby=standby)
        )
        if standby:
            self._until(lambda: self._kept(live) == GROUPS, "second copies")
        before = self._more(BEFORE)
        before_s = statistics.median(before)
        time.sleep(before_s / 2)
        noticed_s = self._lost(live[0])
        around = self._more(AFTER)[:STRUCK]
        if controller is not None:
            controller.stop()
        self._cluster.add_node()
        return Kill(mode, before_s, max(around), noticed_s)

    def _kept(self, live: Sequence[Executor]) -> int:
        """Return how many second copies are ready, by what executors say."""
        places: dict[tuple[str, str], list[Order]] = {(each.host, each.id): [] for each in live}
        run_id = str(self._query.runId)
        said = self._followers.give(places, "bench")
        return sum(copy.run_id == run_id and copy.state == "following" for copy in said)

    def _lost(self, victim: Executor) -> float:
        """Take an executor away; return how long Spark took to see it."""
        began_s = time.monotonic()
        self._cluster.remove_node(victim.host)
        self._until(lambda: victim.id not in self._bridge.executor_ids(), "the loss")
        return time.monotonic() - began_s

    def stop(self) -> None:
        """End the query."""
        self._query.stop()

    def _live(self) -> tuple[Executor, ...]:
        self._executors.look()
        return self._executors.live()

    def _more(self, count: int) -> list[float]:
        """Wait for ``count`` more batches and return how long each took, in seconds."""
        first = self._bridge.last_batch(self._query) + 1
        self._until(
            lambda: self._bridge.last_batch(self._query) >= first + count - 1, "more batches"
        )
        return [
            progress["durationMs"]["triggerExecution"] / 1e3
            for progress in self._query.recentProgress
            if first <= progress["batchId"] < first + count
        ]

    def _until(self, true: Callable[[], bool], what: str) -> None:
        ends_s = time.monotonic() + PATIENCE_S
        while not true():
            if not self._query.isActive or time.monotonic() > ends_s:
                raise RuntimeError(f"waited in vain for {what}: {self._query.exception()}")
            time.sleep(0.02)


def _waiting(cluster: LocalCluster, folder: Path) -> StreamingQuery:
    """Return a running aggregation whose tasks mostly wait."""
    source = cluster.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", KEYS)
    keyed = source.load().groupBy((fn.col("value") % KEYS).alias("key")).count()
    wait = fn.expr(f"reflect('java.lang.Thread', 'sleep', CAST({KEY_MS} AS long)) AS slept")
    return started(keyed.select("key", "count", wait), folder / "checkpoint")


def _keeping(cluster: LocalCluster, folder: Path, mb: int) -> StreamingQuery:
    """Return a running aggregation with so much state a key group, whose tasks work."""
    keys = max(mb * 1_000_000 // KEEPING.note_bytes, KEEPING.events // GROUPS)
    # Little work: what a lost node did of it has to be done again, whoever has its state.
    job = replace(
        KEEPING,
        key_groups=GROUPS,
        keys=keys,
        work=WORK,
        free=FILLING,
        first_phase=NEVER,
        skew=0.0,
    )
    return started(drifting(cluster.spark, job), folder / "checkpoint")


def main() -> None:
    """Print every stall, the medians and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=3, help="kills in each mode")
    parser.add_argument("--mb", type=int, default=0, help="state of a key group, in MB")
    add_isolation(parser)
    options = parser.parse_args()
    nodes = isolation(parser, options, NODES)
    settings = {"spark.sql.shuffle.partitions": str(GROUPS)}
    modes = (PLAIN, ALBIC)
    if options.mb:
        settings |= {**SETTINGS, MAINTENANCE: "10s"}
        modes = (PLAIN, ALBIC, STANDBY)
    found: list[Kill] = []
    with (
        local_cluster(NODES, settings=settings, **nodes.arguments) as cluster,
        TemporaryDirectory(dir=cluster.storage, ignore_cleanup_errors=True) as name,
    ):
        folder = Path(name)
        keeps = options.mb > 0
        query = _keeping(cluster, folder, options.mb) if keeps else _waiting(cluster, folder)
        bench = Bench(cluster, query)
        if keeps:
            bench.fill()
        for number in range(options.kills):
            for mode in modes if number % 2 == 0 else reversed(modes):
                found.append(bench.kill(mode))
                last = found[-1]
                print(
                    f"kill {len(found):2} {last.mode:7}: batches of {last.before_s:.2f} s, the "
                    f"longest {last.longest_s:.2f} s, stall {last.stall_s:.2f} s, noticed after "
                    f"{last.noticed_s:.2f} s",
                    flush=True,
                )
        bench.stop()
    stall_s = {
        mode: statistics.median(kill.stall_s for kill in found if kill.mode == mode)
        for mode in modes
    }
    for mode in modes:
        ratio = stall_s[mode] / stall_s[PLAIN]
        print(f"median stall, {mode}: {stall_s[mode]:.2f} s, {ratio:.2f} of plain")


if __name__ == "__main__":
    main()
