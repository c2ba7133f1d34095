"""The nodes that jobs run on: isolated ones where this machine can have them, loopback else."""

import os
from collections.abc import Sequence

from albic.nodes import missing
from albic.nodes.limits import LEAST_CPU, LOCAL, NETWORK
from albic.spark.hosts import Isolation

#: Stands for a limit that nobody gave.
DEFAULT = "default"
RATE = "100mbit"
#: What nodes leave of the cores, for the driver and for Spark's master.
SPARE = 0.1


def share(nodes: int, cores: int) -> float:
    """Return the share of a core that each node can have at the same time."""
    return max(min(round((1 - SPARE) * cores / nodes, 2), 1.0), LEAST_CPU)


def isolation(
    nodes: int,
    cpu: float | Sequence[float] | str | None = DEFAULT,
    network: str | Sequence[str] | None = DEFAULT,
    storage: str = LOCAL,
) -> Isolation:
    """Return the limits of nodes: those that were given, else the usual ones where rights allow."""
    possible = missing(storage) is None
    if isinstance(cpu, str):
        cpu = share(nodes, os.cpu_count() or 1) if possible else None
    if network == DEFAULT:
        network = RATE if possible else None
    return Isolation(cpu, network, storage)


def told(nodes: int, limits: Isolation) -> str:
    """Return what the nodes are, in a sentence."""
    if not limits.wanted:
        lacks = missing(limits.storage)
        why = f" ({lacks})" if lacks else ""
        return (
            f"{nodes} executors on loopback addresses share the processor, and bytes between them "
            f"cost nothing{why}."
        )
    cpu = "no limit of the processor" if limits.cpu is None else f"{_each(limits.cpu)} of a core"
    link = "a link without a limit" if limits.network is None else f"{_each(limits.network)} a link"
    where = "storage over the network" if limits.storage == NETWORK else "the local disk"
    return f"{nodes} isolated nodes with {cpu}, {link} and checkpoints on {where}."


def _each(given: float | str | Sequence[float] | Sequence[str]) -> str:
    """Return one limit, or one a node."""
    if isinstance(given, str | int | float):
        return str(given)
    return ", ".join(map(str, given))
