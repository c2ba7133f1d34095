"""The scene of the scaling bench: one load that doubles and halves, and the ways to follow it."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.sql.streaming.query import StreamingQuery

import albic
from albic.cli.run.swing_run import USUAL as COURSE
from albic.cli.run.swing_run import followed
from albic.control import Controller
from albic.control.batches import BatchRecord
from albic.reports.swings import SwingRun
from albic.scaling import POLICIES, Limits
from albic.spark.cluster_hosts import Isolation, Size
from albic.wiring import LocalCluster

FIRST_NODES, LEAST_NODES, MOST_NODES = 3, 2, 6
PERIOD, MAX_MIGRATIONS = "3 batches", 12
#: How long fewer nodes must have been enough; the same for Spark's dynamic allocation.
PATIENCE_S = 15.0
LIMITS = Limits(
    min_nodes=LEAST_NODES, max_nodes=MOST_NODES, stabilise_s=9.0, drain_after_s=PATIENCE_S
)

FIXED, DYNAMIC = "fixed maximum", "dynamic allocation"
ALBIC = {f"albic, {policy}": policy for policy in POLICIES}
WAYS = (FIXED, DYNAMIC, *ALBIC)
#: Those that a run without further words compares.
USUAL = (FIXED, DYNAMIC, "albic, utilisation")

_DYNAMIC = "spark.dynamicAllocation"
#: Spark's own scaling, and as quick to let go as we are; its defaults are 60 s and never.
DYNAMIC_SETTINGS = {
    f"{_DYNAMIC}.enabled": "true",
    f"{_DYNAMIC}.shuffleTracking.enabled": "true",
    f"{_DYNAMIC}.shuffleTracking.timeout": f"{PATIENCE_S:.0f}s",
    f"{_DYNAMIC}.executorIdleTimeout": f"{PATIENCE_S:.0f}s",
    f"{_DYNAMIC}.minExecutors": str(LEAST_NODES),
    f"{_DYNAMIC}.initialExecutors": str(FIRST_NODES),
    f"{_DYNAMIC}.maxExecutors": str(MOST_NODES),
}


def swung(way: str, tell: Callable[[str], None]) -> SwingRun:
    """Run the swing one way, on a cluster of its own."""

    def told(record: BatchRecord) -> None:
        tell(
            f"{way}: batch {record.batch}, {COURSE.job.rows(record.batch)} rows, "
            f"{record.batch_s:.2f} s, {len(set(record.node))} nodes with state"
        )

    with _cluster(way) as cluster, _folder() as folder:

        def steer(query: StreamingQuery, journal: Path) -> Controller:
            return albic.attach(
                query,
                period=PERIOD,
                max_migrations=MAX_MIGRATIONS,
                scaling=ALBIC[way],
                limits=LIMITS,
                cluster=cluster,
                journal=journal,
            )

        return followed(way, cluster, COURSE, folder, steer if way in ALBIC else None, told)


@contextmanager
def _cluster(way: str) -> Iterator[LocalCluster]:
    """Yield a cluster with the executors that a way begins with."""
    settings = COURSE.settings()
    if way == DYNAMIC:
        # All nodes stand ready, and Spark asks for executors on them.
        asked = {**settings, **DYNAMIC_SETTINGS}
        with LocalCluster(MOST_NODES, Size(1, 640), Isolation(), asked) as cluster:
            for _ in range(MOST_NODES):
                cluster.add_node()
            cluster.start("albic-bench")
            cluster.wait_for_executors(FIRST_NODES)
            yield cluster
    else:
        nodes = MOST_NODES if way == FIXED else FIRST_NODES
        with albic.local_cluster(nodes, settings=settings) as cluster:
            yield cluster


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="albic-bench-", ignore_cleanup_errors=True) as name:
        yield Path(name)
