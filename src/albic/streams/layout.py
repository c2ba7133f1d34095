"""Where everything goes: operators to levels, key groups to partitions, rows to their next stage.

Spark has one number of partitions for all stages of a query, and a checkpoint fixes it. So it is
the number of key groups of the widest level, and the partitions that narrower levels do not need
stay without rows. Key groups of a level follow each other, operator after operator.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from albic import model
from albic.model import Topology
from albic.streams.graph import levels
from albic.streams.hashing import labels
from albic.streams.parts import Operator


@dataclass(frozen=True, slots=True)
class Place:
    """Where an operator runs: its key groups are partitions ``first`` and up of stage ``level``."""

    level: int
    first: int
    key_groups: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The stages of a network: level 1 and up, each with ``partitions`` partitions.

    ``places`` has the operators in their order in the network, ``used`` how many partitions of each
    level have a key group.
    """

    operators: tuple[str, ...]
    places: tuple[Place, ...]
    used: tuple[int, ...]
    partitions: int

    @property
    def depth(self) -> int:
        """Return how many stages there are."""
        return len(self.used)

    def topology(self, streams: Sequence[tuple[int, int]]) -> Topology:
        """Return the network as planners see it: key groups are partitions, stage after stage.

        Partitions without a key group are there too, as idle operators: each costs a task.
        ``streams`` are positions of operators in the network.
        """
        found: list[model.Operator] = []
        stages: list[int] = []
        position: dict[int, int] = {}
        for stage, used in enumerate(self.used):
            for number, (name, place) in enumerate(zip(self.operators, self.places, strict=True)):
                if place.level == stage + 1:
                    position[number] = len(found)
                    found.append(model.Operator(name, place.key_groups))
            if used < self.partitions:
                found.append(model.Operator(f"idle in stage {stage + 1}", self.partitions - used))
            stages += [stage] * (len(found) - len(stages))
        ends = tuple((position[up], position[down]) for up, down in streams)
        return Topology(tuple(found), ends, tuple(stages))

    def labels(self) -> tuple[int, ...]:
        """Return the label that leads to each partition."""
        return labels(self.partitions)

    def hop(self, level: int, target: int, partition: int) -> int:
        """Return the partition of stage ``level`` through which a row reaches its ``partition``.

        On the way to a later stage a row passes through the partition of the same number, so that
        the load of passing spreads as the rows do.
        """
        return partition if level == target else partition % self.used[level - 1]

    def located(self, level: int, partition: int) -> tuple[int, int]:
        """Return the operator and the key group in a used partition."""
        for number, place in enumerate(self.places):
            if place.level == level and 0 <= partition - place.first < place.key_groups:
                return number, partition - place.first
        raise LookupError(f"partition {partition} of level {level} has no key group")


def layout(operators: Sequence[Operator]) -> Layout:
    """Return the stages of a network."""
    level_of: Mapping[str, int] = levels(operators)
    used = [0] * max(level_of.values())
    places = []
    for operator in operators:
        level = level_of[operator.name]
        places.append(Place(level, used[level - 1], operator.key_groups))
        used[level - 1] += operator.key_groups
    names = tuple(operator.name for operator in operators)
    return Layout(names, tuple(places), tuple(used), max(used))
