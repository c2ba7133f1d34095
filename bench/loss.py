"""How long a job stands still when an executor is killed: plain Spark beside albic.

``make bench-loss`` runs it. One query on three executors of an embedded cluster; before each kill
its state is spread evenly, and one executor is lost with its share in the middle of a batch. Plain
Spark and albic take turns on the same cluster. A stall is the longest batch around a kill, less
the median of those before it.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pyspark.sql import functions as fn
from pyspark.sql.streaming.query import StreamingQuery

import albic
from albic.spark.bridge import Bridge
from albic.spark.executors import Executor, Executors
from albic.spark.operators import shape
from albic.spark.placement import KeyGroup, Placement
from albic.spark.session import LocalCluster, local_cluster
from bench.isolating import add_isolation, isolation

NODES, GROUPS = 3, 12
#: What a task waits for each of its keys; the whole batch then takes about a second.
KEYS, KEY_MS = 120, 20
BEFORE, AFTER = 5, 5
PLAIN, ALBIC = "plain", "albic"
PATIENCE_S = 180.0


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill: how long batches took before it, and the longest around it."""

    mode: str
    before_s: float
    longest_s: float

    @property
    def stall_s(self) -> float:
        """Return what the kill cost."""
        return self.longest_s - self.before_s


class Bench:
    """A query on a cluster from which executors are taken."""

    def __init__(self, cluster: LocalCluster, folder: Path) -> None:
        self._cluster = cluster
        self._bridge = Bridge(cluster.spark)
        self._executors = Executors(self._bridge)
        self._query = _start(cluster, folder)
        self._until(lambda: self._bridge.last_batch(self._query) >= 0, "the first batch")
        plan = self._bridge.plan(self._query)
        if plan is None:
            raise RuntimeError("a batch ended without a plan")
        self._shape = shape(plan, "loss", str(self._query.runId))

    def kill(self, mode: str) -> Kill:
        """Spread the state, kill an executor in the middle of a batch, and heal the cluster."""
        self._cluster.wait_for_executors(NODES)
        self._until(lambda: len(self._live()) == NODES, "the executors")
        live = self._live()
        placement = Placement(self._bridge, self._shape)
        placement.move_now({KeyGroup(0, g): live[g % NODES] for g in range(GROUPS)})
        self._more(2)
        # Rounds far away: what is measured is the answer to a loss.
        controller = albic.attach(self._query, period="1h") if mode == ALBIC else None
        before = self._more(BEFORE)
        before_s = statistics.median(before)
        time.sleep(before_s / 2)
        self._cluster.remove_node(live[0].host)
        around = self._more(AFTER)
        if controller is not None:
            controller.stop()
        self._cluster.add_node()
        return Kill(mode, before_s, max(around))

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


def _start(cluster: LocalCluster, folder: Path) -> StreamingQuery:
    """Return a running aggregation whose tasks mostly wait."""
    source = cluster.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", KEYS)
    keyed = source.load().groupBy((fn.col("value") % KEYS).alias("key")).count()
    wait = fn.expr(f"reflect('java.lang.Thread', 'sleep', CAST({KEY_MS} AS long)) AS slept")
    writer = keyed.select("key", "count", wait).writeStream.format("noop").outputMode("update")
    return writer.option("checkpointLocation", str(folder / "checkpoint")).start()


def main() -> None:
    """Print every stall, the medians and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=3, help="kills in each mode")
    add_isolation(parser)
    options = parser.parse_args()
    nodes = isolation(parser, options, NODES)
    settings = {"spark.sql.shuffle.partitions": str(GROUPS)}
    found: list[Kill] = []
    with (
        local_cluster(NODES, settings=settings, **nodes.arguments) as cluster,
        TemporaryDirectory(dir=cluster.storage, ignore_cleanup_errors=True) as folder,
    ):
        bench = Bench(cluster, Path(folder))
        for number in range(options.kills):
            for mode in (PLAIN, ALBIC) if number % 2 == 0 else (ALBIC, PLAIN):
                found.append(bench.kill(mode))
                last = found[-1]
                print(
                    f"kill {len(found):2} {last.mode:5}: batches of {last.before_s:.2f} s, "
                    f"the longest {last.longest_s:.2f} s, stall {last.stall_s:.2f} s",
                    flush=True,
                )
        bench.stop()
    stall_s = {
        mode: statistics.median(kill.stall_s for kill in found if kill.mode == mode)
        for mode in (PLAIN, ALBIC)
    }
    print(f"median stall: plain {stall_s[PLAIN]:.2f} s, albic {stall_s[ALBIC]:.2f} s")
    print(f"ratio albic / plain: {stall_s[ALBIC] / stall_s[PLAIN]:.2f}")


if __name__ == "__main__":
    main()
