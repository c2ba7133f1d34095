"""DS2 (Kalavri et al., OSDI 2018): true processing rates say at once how many nodes are needed.

The true rate of an operator is what it processes in a second of useful work. Key groups of all
operators share the nodes here, so the seconds of work that one second of arrivals asks for are
summed over all of them, and that is the number of nodes.
"""

import math
from dataclasses import dataclass

from albic.model import Allocation, InvalidInput, ScalingRequest, Snapshot
from albic.scaling.demand import (
    Demand,
    mean_capacity,
    peak_pct,
    pressure,
    staying,
    total_load_pct,
)


@dataclass(frozen=True, slots=True)
class TrueRates:
    """Wants as many nodes as the arriving rows keep busy, and some headroom.

    ``headroom`` is the share of a node that is left free; with none, a node that is exactly full
    would never catch up.
    """

    headroom: float = 0.2

    def __post_init__(self) -> None:
        if not 0 <= self.headroom < 1:
            raise InvalidInput(f"headroom is {self.headroom:g}; it must be from 0 to below 1")

    def demand(self, request: ScalingRequest) -> Demand:
        """Return the nodes that keep up with what arrives, in one step."""
        snapshot, arrived = request.snapshot, request.throughput.arrived_share
        work = total_load_pct(snapshot) * arrived * pressure(request)
        busy_nodes = work / 100 / mean_capacity(snapshot)
        wanted = max(math.ceil(busy_nodes / (1 - self.headroom) - 1e-9), 1)
        return Demand(
            wanted,
            f"arriving rows keep {busy_nodes:.2f} of {staying(snapshot)} nodes busy "
            f"({arrived:.2f} arrive for each processed); {wanted} leave {self.headroom:.0%} free",
            overloaded=arrived > 1 or not self.bears(snapshot, request.plan.target, request),
        )

    def bears(self, snapshot: Snapshot, allocation: Allocation, request: ScalingRequest) -> bool:
        """Return whether the busiest staying node keeps up with what arrives."""
        arriving = request.throughput.arrived_share * pressure(request)
        return peak_pct(snapshot, allocation) * arriving <= 100
