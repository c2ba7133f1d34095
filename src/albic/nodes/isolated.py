"""A cluster's isolated nodes: made, changed while they run, and gone with their owner."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from albic.model import InvalidInput
from albic.nodes import number_locks
from albic.nodes.commands import CommandFailed
from albic.nodes.limits import NodeLimits
from albic.nodes.names import HOST, MOST_NODES, NETWORKS, Names
from albic.nodes.network import Network, taken
from albic.nodes.number_locks import Claim
from albic.nodes.processor import Processor
from albic.nodes.storage import Storage
from albic.nodes.sweeping import end, sweep, sweep_abandoned

#: Joins the control group and becomes the program, so that all it starts is in the group too.
JOINING = 'echo $$ > "$1" && shift && exec "$@"'


class IsolatedNodes:
    """Namespaces, links, processor shares and storage of one cluster.

    Parameters
    ----------
    storage
        A folder that every node shall reach over its own link only; None for no such folder.
    """

    def __init__(self, storage: Path | None = None) -> None:
        sweep_abandoned()
        self._claim = _claimed()
        self._names = Names(self._claim.number)
        self._nodes: dict[str, int] = {}
        self._limits: dict[str, NodeLimits] = {}
        self._entries: dict[str, tuple[str, ...]] = {}
        self._started = 0
        self._closed = False
        self._storage: Storage | None = None
        self._watchdog = _watchdog(self._claim.number)
        try:
            self._network = Network(self._names)
            self._processor = Processor(self._names.root)
            if storage is not None:
                self._network.add_storage()
                self._storage = Storage(self._names, storage)
        except (CommandFailed, OSError) as wrong:
            self.close()
            raise InvalidInput(f"isolated nodes cannot be made here: {wrong}") from wrong
        except BaseException:
            self.close()
            raise

    @property
    def address(self) -> str:
        """Return the machine's own address on the cluster's network."""
        return self._names.address(HOST)

    def add(self, limits: NodeLimits) -> str:
        """Make one more node and return its address."""
        if self._started == MOST_NODES:
            raise InvalidInput(f"the cluster has used its {MOST_NODES} addresses; start a new one")
        self._started += 1
        number, name = self._started, self._names.node(self._started)
        try:
            self._network.add(number, limits.rate)
            group = self._processor.add(name, limits.cpu)
            inside: tuple[str, ...] = (f"--net=/run/netns/{name}",)
            if self._storage is not None:
                holder = self._storage.mount(name)
                inside = ("-t", str(holder), "--net", "--mount")
        except (CommandFailed, OSError) as wrong:
            raise InvalidInput(f"an isolated node cannot be made here: {wrong}") from wrong
        host = self._names.node_address(number)
        self._nodes[host], self._limits[host] = number, limits
        self._entries[host] = ("/bin/sh", "-c", JOINING, "sh", str(group), "nsenter", *inside)
        return host

    def entry(self, host: str) -> Sequence[str]:
        """Return the words that, put before a command, run it on a node."""
        return self._entries[host]

    def slow(self, host: str, limits: NodeLimits) -> None:
        """Change what a node may use from now on."""
        number = self._nodes[host]
        try:
            self._processor.limit(self._names.node(number), limits.cpu)
            self._network.limit(number, limits.rate)
        except (CommandFailed, OSError) as wrong:
            raise InvalidInput(f"node {host} cannot be changed: {wrong}") from wrong
        self._limits[host] = limits

    def limits(self, host: str) -> NodeLimits:
        """Return what a node may use."""
        return self._limits[host]

    def cut_off(self, host: str) -> None:
        """Let nothing in or out of a node; what runs there goes on."""
        self._network.cut(self._nodes[host])

    def rejoin(self, host: str) -> None:
        """Undo :meth:`cut_off`."""
        self._network.mend(self._nodes[host])

    def kill(self, host: str) -> None:
        """Kill all that runs on a node.

        Its namespace stays until the cluster closes: others hear of the end over its link.
        """
        end(self._names.node(self._nodes.pop(host)))

    def close(self) -> None:
        """Kill all that runs on the nodes and remove everything; safe to call twice."""
        if self._closed:
            return
        self._closed = True
        with ExitStack() as last:
            # Unwinds from the bottom line up, each step even if one before it failed.
            last.callback(self._watchdog.communicate)
            last.callback(self._watchdog.kill)
            last.callback(self._claim.release)
            if self._storage is not None:
                last.callback(self._storage.close)
            last.callback(sweep, self._names)


def _claimed() -> Claim:
    """Return a number of our own whose addresses nobody uses."""
    for claim in number_locks.free():
        # Whoever had the number last may have been stopped in the midst of sweeping.
        sweep(Names(claim.number))
        if not taken(Names(claim.number)):
            return claim
        claim.release()
    raise InvalidInput(f"all {NETWORKS} networks of 198.18.0.0/15 are in use on this machine")


def _watchdog(number: int) -> subprocess.Popen[bytes]:
    """Start the process that sweeps up if we cannot."""
    return subprocess.Popen(  # noqa: S603  our own words
        [sys.executable, "-m", "albic.nodes.sweeping", str(number)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a Ctrl-C at the terminal is not for it
    )
