"""Where the executors of an embedded cluster run: on loopback addresses, or on isolated nodes."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from albic.model import InvalidInput
from albic.nodes.isolated import IsolatedNodes
from albic.nodes.isolation import NETWORK, Isolation
from albic.nodes.limits import NodeLimits, cpu_share, link_rate
from albic.nodes.names import MOST_NODES
from albic.spark.bridge import Master, WorkerProcess, WorkerThread

#: The folder for checkpoints, inside the cluster's own.
STORAGE = "storage"
LOOPBACK = "127.0.0.1"
#: The first loopback address of a node; Spark tells nodes apart by their host.
FIRST_ADDRESS = 10

#: Room for a worker's executor beyond its heap; the worker only keeps the books.
SPARE_MB = 512


@dataclass(frozen=True, slots=True)
class Size:
    """How many tasks an executor runs at once, and its heap."""

    slots: int
    memory_mb: int


class Hosts(Protocol):
    """Nodes that executors run on."""

    @property
    def address(self) -> str:
        """Return the address at which nodes reach the driver."""
        ...

    def start(self, master: Master) -> str:
        """Start one more node with a worker, and return its host."""
        ...

    def stop(self, host: str) -> None:
        """Take a node away without notice, executor and all."""
        ...

    def close(self) -> None:
        """Take all nodes away."""
        ...


class LoopbackHosts:
    """Nodes that differ by their address alone, and share all else."""

    address = LOOPBACK

    def __init__(self, size: Size, folder: Path) -> None:
        self._size = size
        self._folder = folder
        self._workers: dict[str, WorkerThread] = {}
        self._started = 0

    def start(self, master: Master) -> str:
        """Start a worker on the next loopback address."""
        if self._started == MOST_NODES:
            raise InvalidInput(f"the cluster has used its {MOST_NODES} addresses; start a new one")
        host = f"127.0.0.{FIRST_ADDRESS + self._started}"
        self._started += 1
        self._workers[host] = WorkerThread(
            master,
            self._started,
            host=host,
            slots=self._size.slots,
            memory_mb=self._size.memory_mb + SPARE_MB,
            folder=self._folder / f"node-{self._started}",
        )
        return host

    def stop(self, host: str) -> None:
        """End a worker and, with it, its executor."""
        self._workers.pop(host).stop()

    def close(self) -> None:
        """End all workers that are left."""
        with ExitStack() as last:
            for host in self._workers:
                last.callback(self.stop, host)


class IsolatedHosts:
    """Nodes with a link and a processor share of their own."""

    def __init__(
        self, size: Size, folder: Path, limits: Sequence[NodeLimits], storage: Path | None
    ) -> None:
        self._size = size
        self._folder = folder
        self._limits = limits
        self._workers: dict[str, WorkerProcess] = {}
        self._started = 0
        self._nodes = IsolatedNodes(storage)

    @property
    def address(self) -> str:
        """Return the address at which nodes reach the driver."""
        return self._nodes.address

    def start(self, master: Master) -> str:
        """Make a node and start a worker inside; one beyond the last has the last one's limits."""
        limits = self._limits[min(self._started, len(self._limits) - 1)]
        host = self._nodes.add(limits)
        self._started += 1
        self._workers[host] = WorkerProcess(
            master,
            self._nodes.entry(host),
            host=host,
            slots=self._size.slots,
            memory_mb=self._size.memory_mb + SPARE_MB,
            folder=self._folder / f"node-{self._started}",
        )
        return host

    def stop(self, host: str) -> None:
        """Kill all that runs on a node."""
        self._nodes.kill(host)
        self._workers.pop(host).stop()

    def close(self) -> None:
        """Take away all nodes and their network."""
        with ExitStack() as last:
            last.callback(self._nodes.close)
            for host in self._workers:
                last.callback(self.stop, host)

    def slow(self, host: str, cpu: float | None, network: str | None) -> None:
        """Change what a node may use; what is not named stays."""
        limits = self._nodes.limits(host)
        if cpu is not None:
            limits = replace(limits, cpu=cpu_share(cpu))
        if network is not None:
            limits = replace(limits, rate=link_rate(network))
        self._nodes.slow(host, limits)

    def cut_off(self, host: str) -> None:
        """Let nothing in or out of a node."""
        self._nodes.cut_off(host)

    def rejoin(self, host: str) -> None:
        """Undo :meth:`cut_off`."""
        self._nodes.rejoin(host)


def hosts_for(size: Size, folder: Path, isolation: Isolation, nodes: int) -> Hosts:
    """Return where the executors of a cluster that starts with so many ``nodes`` run."""
    if not isolation.wanted:
        return LoopbackHosts(size, folder)
    storage = folder / STORAGE if isolation.storage == NETWORK else None
    return IsolatedHosts(size, folder, isolation.checked(nodes), storage)
