"""What happens to the nodes of a simulated cluster, and when."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from albic.model import InvalidInput


@dataclass(frozen=True, slots=True)
class Join:
    """A node is there when a period ends, without having been asked for."""

    period: int
    capacity: float = 1.0


@dataclass(frozen=True, slots=True)
class Loss:
    """A node fails when a period ends, without notice; the loop sees it at once."""

    period: int
    node: str


@dataclass(frozen=True, slots=True)
class Degradation:
    """A node does only a part of its work after a period; 1 makes it well again."""

    period: int
    node: str
    speed: float

    def __post_init__(self) -> None:
        if not 0 < self.speed <= 10:
            raise InvalidInput(f"speed is {self.speed}; it must be above 0 and at most 10")


Event = Join | Loss | Degradation


def random_events(
    nodes: Sequence[str], periods: int, chance: float, seed: int
) -> tuple[Event, ...]:
    """Return joins, losses and degradations, each with ``chance`` a period.

    No more than half of ``nodes`` are ever lost, and each of them once.
    """
    rng = np.random.default_rng(seed)
    victims = list(rng.permutation(list(nodes)))[: len(nodes) // 2]
    events: list[Event] = []
    for period in range(1, periods):
        joins, loses, degrades = rng.random(3) < chance
        if joins:
            events.append(Join(period))
        if loses and victims:
            events.append(Loss(period, str(victims.pop())))
        if degrades and victims:
            events.append(Degradation(period, str(victims[0]), float(rng.uniform(0.3, 0.9))))
    return tuple(events)
