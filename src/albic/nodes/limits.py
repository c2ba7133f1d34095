"""What each node may use, out of what people write."""

import math
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from albic.model import InvalidInput

#: Below this share a JVM takes minutes to start.
LEAST_CPU = 0.05
LEAST_RATE, MOST_RATE = 1_000_000, 100_000_000_000
UNITS = {"kbit": 10**3, "mbit": 10**6, "gbit": 10**9}
UNLIMITED = "unlimited"


@dataclass(frozen=True, slots=True)
class NodeLimits:
    """A share of a core, and bits a second each way; None is no limit."""

    cpu: float | None = None
    rate: int | None = None


def limits_of(
    nodes: int,
    cpu: float | Sequence[float] | None,
    network: str | Sequence[str] | None,
) -> tuple[NodeLimits, ...]:
    """Return the limits of each node; one value stands for all."""
    shares = [cpu_share(each) for each in _one_each("cpu", cpu, nodes)]
    rates = [link_rate(each) for each in _one_each("network", network, nodes)]
    return tuple(NodeLimits(*both) for both in zip(shares, rates, strict=True))


def cpu_share(given: object) -> float | None:
    """Return a share of a core, or refuse one that cannot be."""
    if given is None:
        return None
    cores = os.cpu_count() or 1
    number = isinstance(given, int | float) and not isinstance(given, bool)
    share = float(str(given)) if number else math.nan
    if not LEAST_CPU <= share <= cores:
        raise InvalidInput(
            f"cpu is {given!r}; a node's share is a number of cores from {LEAST_CPU} to {cores}, "
            f"which is what this machine has"
        )
    return share


def link_rate(given: object) -> int | None:
    """Return bits a second, or refuse a rate that cannot be."""
    if given is None or given == UNLIMITED:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]bit)", str(given).strip().lower())
    rate = round(float(found[1]) * UNITS[found[2]]) if found else 0
    if not LEAST_RATE <= rate <= MOST_RATE:
        raise InvalidInput(
            f"network is {given!r}; a link's rate is written like 100mbit or 1gbit, "
            f"from 1mbit to 100gbit, or {UNLIMITED}"
        )
    return rate


def _one_each(name: str, given: object, nodes: int) -> list[object]:
    """Return a value for each node."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        return [given] * nodes
    if len(given) != nodes:
        raise InvalidInput(
            f"{name} has {len(given)} values for {nodes} nodes; give one, or one a node"
        )
    return list(given)
