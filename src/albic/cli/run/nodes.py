"""The nodes that jobs run on: isolated ones where this machine can have them, loopback else."""

import os

from albic.nodes import missing
from albic.nodes.isolation import Isolation, isolation_of
from albic.nodes.limits import LEAST_CPU

RATE = "100mbit"
#: What nodes leave of the cores, for the driver, storage and whoever looks on.
SPARE = 0.2


def share(nodes: int, cores: int) -> float:
    """Return the share of a core that each node can have at the same time."""
    return max(min(round((1 - SPARE) * cores / max(nodes, 1), 2), 1.0), LEAST_CPU)


def usual_isolation(nodes: int, cpu: str | None, network: str | None, storage: str) -> Isolation:
    """Return what was asked for, and the usual limits where nothing was and the rights allow it."""
    if missing(storage) is None:
        cpu = cpu or str(share(nodes, os.cpu_count() or 1))
        network = network or RATE
    return isolation_of(cpu, network, storage)


def told(nodes: int, isolation: Isolation) -> str:
    """Return what the nodes are, and why they are no more than that."""
    lacks = None if isolation.wanted else missing(isolation.storage)
    return f"{nodes} {isolation.described()}{f' ({lacks})' if lacks else ''}"
