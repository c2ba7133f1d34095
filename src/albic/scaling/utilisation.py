"""Utilisation in a band: the simplest policy, and the one that people know."""

import math
from dataclasses import dataclass

from albic.model import Allocation, InvalidInput, ScalingRequest, Snapshot, metrics
from albic.scaling.demand import (
    Demand,
    mean_capacity,
    peak_pct,
    pressure,
    staying,
    total_load_pct,
)


@dataclass(frozen=True, slots=True)
class Utilisation:
    """Keeps the mean load inside a band; outside of it, aims at the target.

    The target is Flink's; the ends of the band are between Flink's (0.4 and 1) and those of
    Spark's own scaling of DStreams (0.3 and 0.9). With a trigger interval, load is the share of
    the time that planning and commits leave of it: at 100 % batches are late.
    """

    target: float = 0.7
    low: float = 0.4
    high: float = 0.9

    def __post_init__(self) -> None:
        if not 0 < self.low < self.target < self.high:
            raise InvalidInput(
                f"utilisation wants 0 < low < target < high, but got low {self.low:g}, "
                f"target {self.target:g}, high {self.high:g}"
            )

    def demand(self, request: ScalingRequest) -> Demand:
        """Return the nodes that bring the mean load back to the target."""
        snapshot, pressed = request.snapshot, pressure(request)
        now, mean_pct = staying(snapshot), pressed * metrics.mean_load(snapshot)
        band = f"{100 * self.low:.0f}-{100 * self.high:.0f} %"
        if 100 * self.low <= mean_pct <= 100 * self.high:
            return Demand(now, f"mean load {mean_pct:.0f} % is inside {band}")
        per_node_pct = 100 * self.target * mean_capacity(snapshot)
        wanted = max(math.ceil(pressed * total_load_pct(snapshot) / per_node_pct - 1e-9), 1)
        side = "above" if mean_pct > 100 * self.high else "below"
        return Demand(
            wanted,
            f"mean load {mean_pct:.0f} % is {side} {band}; {wanted} nodes would have "
            f"{100 * self.target:.0f} % or less",
            overloaded=not self.bears(snapshot, request.plan.target, request),
        )

    def bears(self, snapshot: Snapshot, allocation: Allocation, request: ScalingRequest) -> bool:
        """Return whether the busiest staying node is inside the band."""
        return pressure(request) * peak_pct(snapshot, allocation) <= 100 * self.high
