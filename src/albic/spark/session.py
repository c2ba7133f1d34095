"""A Spark cluster on this machine: one JVM an executor, each a node of its own for Spark."""

import atexit
import contextlib
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType

from pyspark.sql import SparkSession

from albic.model import InvalidInput
from albic.spark.bridge import Gateway, Master, Worker

#: The first loopback address of a node; Spark tells nodes apart by their host.
FIRST_ADDRESS = 10
MOST_NODES = 200

#: Room for a worker's executor beyond its heap; the worker only keeps the books.
SPARE_MB = 512

#: Deletes a cluster's folder once our end of its input closes, however we end: after a kill -9
#: nobody else is left to do it. Executors may still be writing, so it looks again for a while.
SWEEPER = """
read -r _
quiet=0
while [ "$quiet" -lt 10 ]; do
    if [ -e "$1" ]; then rm -rf "$1"; quiet=0; else quiet=$((quiet + 1)); fi
    sleep 1
done
"""

_STREAMING = "spark.sql.streaming"
QUIET = logging.getLogger("py4j")

#: Several JVMs share a few cores here and live for minutes: to compile quickly matters more than to
#: compile well. It halves what a short run costs.
QUICK_START = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

#: What makes a streaming job on one machine behave like one on many, and cheaply.
DEFAULTS: Mapping[str, str] = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.master.rest.enabled": "false",
    "spark.dynamicAllocation.enabled": "false",
    "spark.shuffle.service.enabled": "false",
    # Otherwise blocks of executors on the same machine count as local.
    "spark.shuffle.readHostLocalDisk": "false",
    f"{_STREAMING}.stateStore.providerClass": (
        "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"
    ),
    f"{_STREAMING}.stateStore.rocksdb.changelogCheckpointing.enabled": "true",
    # The default asks the operating system for each file's rights by starting a process.
    f"{_STREAMING}.checkpointFileManagerClass": (
        "org.apache.spark.sql.execution.streaming.checkpointing."
        "FileSystemBasedCheckpointFileManager"
    ),
    "spark.driver.extraJavaOptions": QUICK_START,
    "spark.executor.extraJavaOptions": QUICK_START,
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
}


class LocalCluster:
    """A running cluster; :func:`local_cluster` starts it, ``close`` or ``with`` ends it."""

    def __init__(self, slots: int, memory_mb: int, settings: Mapping[str, str]) -> None:
        self._slots = slots
        self._memory_mb = memory_mb
        self._folder = Path(tempfile.mkdtemp(prefix="albic-cluster-"))
        (self._folder / "tmp").mkdir()
        # What JVMs unpack for themselves goes with the rest.
        java_options = f"-Djava.io.tmpdir={self._folder / 'tmp'} -XX:-UsePerfData"
        self._settings = {
            **DEFAULTS,
            "spark.driver.defaultJavaOptions": java_options,
            "spark.executor.defaultJavaOptions": java_options,
            "spark.executor.cores": str(slots),
            "spark.executor.memory": f"{memory_mb}m",
            "spark.local.dir": str(self._folder / "local"),
            "spark.sql.warehouse.dir": str(self._folder / "warehouse"),
            **settings,
        }
        self._workers: dict[str, Worker] = {}
        self._started = 0
        self._spark: SparkSession | None = None
        self._sweeper = sweeper(self._folder)
        atexit.register(self.close)
        try:
            self._gateway = Gateway(self._settings, self._folder / "driver.log")
            self._master = Master(self._gateway, self._settings)
        except BaseException:
            self.close()
            raise

    @property
    def spark(self) -> SparkSession:
        """Return the session; it is gone once the cluster is closed."""
        if self._spark is None:
            raise InvalidInput("the cluster is closed; start another with local_cluster()")
        return self._spark

    @property
    def hosts(self) -> tuple[str, ...]:
        """Return the addresses of the nodes, oldest first."""
        return tuple(self._workers)

    @property
    def logs(self) -> Path:
        """Return the folder with the logs of driver and executors; it goes when we close."""
        return self._folder

    def add_node(self) -> str:
        """Start one more node and return its host; its executor comes up by itself."""
        if self._started == MOST_NODES:
            raise InvalidInput(f"the cluster has used its {MOST_NODES} addresses; start a new one")
        host = f"127.0.0.{FIRST_ADDRESS + self._started}"
        self._started += 1
        self._workers[host] = Worker(
            self._master,
            self._started,
            host=host,
            slots=self._slots,
            memory_mb=self._memory_mb + SPARE_MB,
            folder=self._folder / f"node-{self._started}",
        )
        return host

    def remove_node(self, host: str) -> None:
        """Take a node away without notice, executor and all."""
        if host not in self._workers:
            raise InvalidInput(f"no node {host!r}; there are {', '.join(self._workers) or 'none'}")
        self._workers.pop(host).stop()

    def wait_for_executors(self, count: int, *, timeout_s: float = 120.0) -> None:
        """Return once ``count`` executors are there."""
        ends_s = time.monotonic() + timeout_s
        while (there := self._gateway.executors(self.spark)) < count:
            if time.monotonic() > ends_s:
                raise InvalidInput(
                    f"{there} of {count} executors came up within {timeout_s:g} s; "
                    f"see {self._folder} for their logs, or give them less memory_mb"
                )
            time.sleep(0.05)

    def start(self, app_name: str) -> None:
        """Open the session."""
        builder = SparkSession.builder.master(self._master.url).appName(app_name)
        for name, value in self._settings.items():
            builder = builder.config(name, value)
        self._spark = builder.getOrCreate()
        # PySpark has just put its own answer to Ctrl-C in the place of ours.
        self._gateway.interrupts.take()
        if not QUIET.level:
            # Otherwise every connection that closes is told to whoever logs at all.
            QUIET.setLevel(logging.WARNING)
        # PySpark would take whatever "python3" is on the path, which may lack our packages.
        self._spark.sparkContext.pythonExec = os.environ.get("PYSPARK_PYTHON", sys.executable)

    def close(self) -> None:
        """Stop queries, session, nodes and JVM, and delete every file; safe to call twice."""
        atexit.unregister(self.close)
        spark, self._spark = self._spark, None
        with contextlib.ExitStack() as last:
            # Unwinds from the bottom line up, each step even if one before it failed.
            last.callback(self._sweeper.communicate)
            last.callback(self._sweeper.kill)
            last.callback(shutil.rmtree, self._folder, ignore_errors=True)
            if hasattr(self, "_gateway"):
                last.callback(self._gateway.close)
            if hasattr(self, "_master"):
                last.callback(self._master.stop)
            for worker in self._workers.values():
                last.callback(worker.stop)
            self._workers = {}
            if spark is not None:
                last.callback(spark.stop)
                for query in spark.streams.active:
                    last.callback(query.stop)

    def __enter__(self) -> "LocalCluster":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def sweeper(folder: Path) -> subprocess.Popen[bytes]:
    """Start the process that deletes ``folder`` if we cannot."""
    return subprocess.Popen(  # noqa: S603  our own words
        ["/bin/sh", "-c", SWEEPER, "sh", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a Ctrl-C at the terminal is not for it
    )


def local_cluster(
    nodes: int = 4,
    slots: int = 1,
    *,
    memory_mb: int = 640,
    app_name: str = "albic",
    settings: Mapping[str, str] | None = None,
) -> LocalCluster:
    """Start a cluster on this machine and wait until all of it is there.

    Parameters
    ----------
    nodes
        How many executors, each in a JVM and on a loopback address of its own.
    slots
        How many tasks an executor runs at once.
    memory_mb
        Heap of an executor; Python workers come on top.
    settings
        Spark settings that go over ours.
    """
    if not 1 <= nodes <= MOST_NODES:
        raise InvalidInput(f"nodes is {nodes}; it must be from 1 to {MOST_NODES}")
    if slots < 1:
        raise InvalidInput(f"slots is {slots}; an executor needs at least 1")
    cluster = LocalCluster(slots, memory_mb, settings or {})
    try:
        for _ in range(nodes):
            cluster.add_node()
        cluster.start(app_name)
        cluster.wait_for_executors(nodes)
    except BaseException:
        cluster.close()
        raise
    return cluster
