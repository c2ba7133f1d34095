"""Links: every node has a namespace and a cable of its own into a switch, slowed at both ends.

The machine itself has one cable into the same switch, so that a driver outside the namespaces is
reached. Nobody has a way further: there is no route but to the cluster's own addresses.
"""

import contextlib

from albic.nodes.commands import CommandFailed, ip, run
from albic.nodes.names import HOST, STORAGE, Names

BRIDGE, LINK = "switch", "eth0"
#: How long a packet may queue for its turn, and how much may pass at once: a hundredth of a second.
QUEUE_MS = 200
LEAST_BURST_BYTES = 256 * 1024
BURSTS_PER_S = 100


class Network:
    """The namespaces and links of one cluster."""

    def __init__(self, names: Names) -> None:
        self._names = names
        switch, own = names.switch, names.root
        ip(
            [
                f"netns add {switch}",
                f"-n {switch} link set lo up",
                f"-n {switch} link add {BRIDGE} type bridge",
                f"-n {switch} link set {BRIDGE} up",
                f"link add {own} type veth peer name host netns {switch}",
                f"-n {switch} link set host master {BRIDGE} up",
                f"addr add {names.address(HOST)}/24 dev {own}",
                f"link set {own} up",
            ]
        )

    def add(self, node: int, rate: int | None) -> None:
        """Make a node's namespace and link; ``rate`` is in bits a second."""
        self._join(self._names.node(node), f"n{node}", self._names.node_address(node))
        self.limit(node, rate)

    def add_storage(self) -> None:
        """Make the storage node. It answers nodes and nobody else, so the machine cannot ask it.

        What it serves are files with the rights of root, which other users of this machine
        must not reach through it.
        """
        names = self._names
        self._join(names.storage, "storage", names.address(STORAGE))
        ip([f"-n {names.storage} route add blackhole {names.address(HOST)}/32"])

    def limit(self, node: int, rate: int | None) -> None:
        """Let a link carry ``rate`` bits a second each way, or as much as it can."""
        name = self._names.node(node)
        for namespace, device in ((name, LINK), (self._names.switch, f"n{node}")):
            about = ("-n", namespace, "qdisc")
            if rate is None:
                # There is none where the link was never limited.
                with contextlib.suppress(CommandFailed):
                    run("tc", *about, "del", "dev", device, "root")
                continue
            burst = max(LEAST_BURST_BYTES, rate // 8 // BURSTS_PER_S)
            limits = ("rate", f"{rate}bit", "burst", f"{burst}", "latency", f"{QUEUE_MS}ms")
            run("tc", *about, "replace", "dev", device, "root", "tbf", *limits)

    def cut(self, node: int) -> None:
        """Pull a node's cable out of the switch."""
        ip([f"-n {self._names.switch} link set n{node} down"])

    def mend(self, node: int) -> None:
        """Put a node's cable back in."""
        ip([f"-n {self._names.switch} link set n{node} up"])

    def _join(self, namespace: str, port: str, address: str) -> None:
        switch = self._names.switch
        ip(
            [
                f"netns add {namespace}",
                f"-n {namespace} link set lo up",
                f"-n {switch} link add {port} type veth peer name {LINK} netns {namespace}",
                f"-n {switch} link set {port} master {BRIDGE} up",
                f"-n {namespace} addr add {address}/24 dev {LINK}",
                f"-n {namespace} link set {LINK} up",
            ]
        )


def namespaces(names: Names) -> tuple[str, ...]:
    """Return the namespaces of a cluster that are there."""
    listed = (line.split()[0] for line in run("ip", "netns", "list").splitlines() if line)
    return tuple(name for name in listed if name.startswith(f"{names.root}-"))


def processes(namespace: str) -> tuple[int, ...]:
    """Return the processes in a namespace."""
    return tuple(int(word) for word in run("ip", "netns", "pids", namespace).split())


def remove_network(names: Names) -> None:
    """Remove the namespaces and links of a cluster; their processes have ended."""
    with contextlib.suppress(CommandFailed):
        run("ip", "link", "del", names.root)
    for namespace in namespaces(names):
        with contextlib.suppress(CommandFailed):
            run("ip", "netns", "del", namespace)


def taken(names: Names) -> bool:
    """Return whether this machine uses an address of the cluster's network for something else."""
    ours = names.address(0).removesuffix("0")
    words = run("ip", "-o", "-4", "addr", "show").split()
    return any(word.startswith(ours) for word in words)
