"""A Spark cluster on this machine: one JVM an executor, each a node of its own for Spark."""

import atexit
import contextlib
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import pyspark
from pyspark.sql import SparkSession

from albic.model import InvalidInput
from albic.nodes.isolation import LOCAL, Isolation
from albic.nodes.names import MOST_NODES
from albic.spark.bridge import Gateway, Master, version_of
from albic.spark.cluster_hosts import STORAGE, Hosts, IsolatedHosts, Size, hosts_for
from albic.spark.sweeper import sweeper

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
    f"{_STREAMING}.checkpointFileManagerClass": version_of(pyspark.__version__).file_manager,
    "spark.driver.extraJavaOptions": QUICK_START,
    "spark.executor.extraJavaOptions": QUICK_START,
}


class LocalCluster:
    """A running cluster; :func:`local_cluster` starts it, ``close`` or ``with`` ends it."""

    def __init__(
        self, nodes: int, size: Size, isolation: Isolation, settings: Mapping[str, str]
    ) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="albic-cluster-"))
        for name in ("tmp", STORAGE):
            (self._folder / name).mkdir()
        self._spark: SparkSession | None = None
        self._present: list[str] = []
        self._sweeper = sweeper(self._folder)
        atexit.register(self.close)
        try:
            self._nodes: Hosts = hosts_for(size, self._folder, isolation, nodes)
            self._settings = {**DEFAULTS, **self._own_settings(size), **settings}
            self._gateway = Gateway(self._settings, self._folder / "driver.log")
            self._master = Master(self._gateway, self._settings, self._nodes.address)
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
        return tuple(self._present)

    @property
    def storage(self) -> Path:
        """Return a folder for checkpoints, which every node sees at this path; it goes with us.

        With ``storage="network"`` nodes reach it over their own link alone.
        """
        return self._folder / STORAGE

    @property
    def logs(self) -> Path:
        """Return the folder with the logs of driver and executors; it goes when we close."""
        return self._folder

    def add_node(self) -> str:
        """Start one more node and return its host; its executor comes up by itself."""
        host = self._nodes.start(self._master)
        self._present.append(host)
        return host

    def remove_node(self, host: str) -> None:
        """Take a node away without notice, executor and all."""
        self._expect(host)
        self._present.remove(host)
        self._nodes.stop(host)

    def slow(self, host: str, *, cpu: float | None = None, network: str | None = None) -> None:
        """Change what an isolated node may use from now on; what is not named stays."""
        self._isolated(host).slow(host, cpu, network)

    def cut_off(self, host: str) -> None:
        """Let nothing in or out of an isolated node; what runs there goes on."""
        self._isolated(host).cut_off(host)

    def rejoin(self, host: str) -> None:
        """Undo :meth:`cut_off`."""
        self._isolated(host).rejoin(host)

    def wait_for_executors(self, count: int, *, timeout_s: float = 120.0) -> None:
        """Return once ``count`` executors are there."""
        ends_s = time.monotonic() + timeout_s
        while (there := self._gateway.executors(self.spark)) < count:
            if time.monotonic() > ends_s or self._gateway.is_stopped(self.spark):
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
            if hasattr(self, "_nodes"):
                last.callback(self._nodes.close)
            self._present = []
            if spark is not None:
                last.callback(spark.stop)
                for query in () if self._gateway.is_stopped(spark) else spark.streams.active:
                    last.callback(query.stop)

    def _own_settings(self, size: Size) -> dict[str, str]:
        """Return the settings that follow from where this cluster is and how large."""
        # What JVMs unpack for themselves goes with the rest.
        java_options = f"-Djava.io.tmpdir={self._folder / 'tmp'} -XX:-UsePerfData"
        return {
            "spark.driver.host": self._nodes.address,
            "spark.driver.bindAddress": self._nodes.address,
            "spark.driver.defaultJavaOptions": java_options,
            "spark.executor.defaultJavaOptions": java_options,
            "spark.executor.cores": str(size.slots),
            "spark.executor.memory": f"{size.memory_mb}m",
            "spark.local.dir": str(self._folder / "local"),
            "spark.sql.warehouse.dir": str(self._folder / "warehouse"),
        }

    def _expect(self, host: str) -> None:
        """Refuse a node that is not there."""
        if host not in self._present:
            raise InvalidInput(f"no node {host!r}; there are {', '.join(self._present) or 'none'}")

    def _isolated(self, host: str) -> IsolatedHosts:
        """Return the nodes if they can be changed, ``host`` among them."""
        if not isinstance(self._nodes, IsolatedHosts):
            raise InvalidInput(
                "the nodes of this cluster are not isolated; start it with cpu= or network="
            )
        self._expect(host)
        return self._nodes

    def __enter__(self) -> "LocalCluster":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def local_cluster(  # noqa: PLR0913  each has a default, and most are named
    nodes: int = 4,
    slots: int = 1,
    *,
    memory_mb: int = 640,
    cpu: float | Sequence[float] | None = None,
    network: str | Sequence[str] | None = None,
    storage: str = LOCAL,
    app_name: str = "albic",
    settings: Mapping[str, str] | None = None,
) -> LocalCluster:
    """Start a cluster on this machine and wait until all of it is there.

    Plain nodes are loopback addresses: they share the processor, and nothing is far away. With
    ``cpu``, ``network`` or network storage, nodes are isolated: each has a network namespace with a
    link of its own, and a processor share. That needs Linux, root and a few programs.

    Parameters
    ----------
    nodes
        How many executors, each in a JVM and on an address of its own.
    slots
        How many tasks an executor runs at once.
    memory_mb
        Heap of an executor; Python workers come on top.
    cpu
        The share of a core that a node stays within, executor and Python workers together; one
        value, or one a node.
    network
        The rate of a node's link each way, such as "100mbit"; one value, or one a node.
    storage
        Where the folder ``storage`` of the cluster lies: on the "local" disk, or on a storage node
        that is reached over the "network".
    settings
        Spark settings that go over ours.
    """
    if not 1 <= nodes <= MOST_NODES:
        raise InvalidInput(f"nodes is {nodes}; it must be from 1 to {MOST_NODES}")
    if slots < 1:
        raise InvalidInput(f"slots is {slots}; an executor needs at least 1")
    isolation = Isolation(cpu, network, storage)
    isolation.checked(nodes)
    cluster = LocalCluster(nodes, Size(slots, memory_mb), isolation, settings or {})
    try:
        for _ in range(nodes):
            cluster.add_node()
        cluster.start(app_name)
        cluster.wait_for_executors(nodes)
    except BaseException:
        cluster.close()
        raise
    return cluster
