"""Where everything goes: operators to levels, key groups to partitions, rows to their next stage.

Spark has one number of partitions for all stages of a query, and a checkpoint fixes it. So it is
the number of key groups of the widest level, and the partitions that narrower levels do not need
stay without rows. Key groups of a level follow each other, chain after chain; the operators of a
chain share their partitions, key group by key group.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from albic import model
from albic.model import Topology
from albic.streams.chains import AUTO, NEVER, chains
from albic.streams.hashing import labels
from albic.streams.leveling import SOURCE, fewest_idle, longest_paths
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
    level have a key group. ``chains`` are positions of operators: those of one run in one task, and
    so have the same place.
    """

    operators: tuple[str, ...]
    places: tuple[Place, ...]
    used: tuple[int, ...]
    partitions: int
    chains: tuple[tuple[int, ...], ...]

    @property
    def depth(self) -> int:
        """Return how many stages there are."""
        return len(self.used)

    @property
    def tasks(self) -> int:
        """Return how many tasks the stages of a batch have, idle ones included."""
        return self.depth * self.partitions

    def topology(self, streams: Sequence[tuple[int, int]]) -> Topology:
        """Return the network as planners see it: key groups are partitions, stage after stage.

        A chain is one operator, for it moves as one. Partitions without a key group are there too,
        as idle operators: each costs a task. ``streams`` are positions of operators in the network.
        """
        found: list[model.Operator] = []
        stages: list[int] = []
        position: dict[int, int] = {}
        for stage, used in enumerate(self.used):
            for chain in self.chains:
                place, names = self.places[chain[0]], [self.operators[number] for number in chain]
                if place.level == stage + 1:
                    position |= dict.fromkeys(chain, len(found))
                    chained = tuple(names) if len(names) > 1 else ()
                    found.append(model.Operator(" > ".join(names), place.key_groups, chain=chained))
            if used < self.partitions:
                found.append(model.Operator(f"idle in stage {stage + 1}", self.partitions - used))
            stages += [stage] * (len(found) - len(stages))
        ends = dict.fromkeys((position[up], position[down]) for up, down in streams)
        between = tuple((up, down) for up, down in ends if up != down)
        return Topology(tuple(found), between, tuple(stages))

    def labels(self) -> tuple[int, ...]:
        """Return the label that leads to each partition."""
        return labels(self.partitions)

    def hop(self, level: int, target: int, partition: int) -> int:
        """Return the partition of stage ``level`` through which a row reaches its ``partition``.

        On the way to a later stage a row passes through the partition of the same number, so that
        the load of passing spreads as the rows do.
        """
        return partition if level == target else partition % self.used[level - 1]

    def located(self, level: int, partition: int) -> tuple[tuple[int, ...], int]:
        """Return the operators of the chain in a used partition, and their key group."""
        for chain in self.chains:
            place = self.places[chain[0]]
            if place.level == level and 0 <= partition - place.first < place.key_groups:
                return chain, partition - place.first
        raise LookupError(f"partition {partition} of level {level} has no key group")


def layout(operators: Sequence[Operator], chain: str = AUTO) -> Layout:
    """Return the stages of a network; with ``never``, each operator at its longest path, alone."""
    joined = chains(operators, chain)
    widths = tuple(operators[members[0]].key_groups for members in joined)
    streams = _streams(operators, joined)
    level_of = (
        longest_paths(len(joined), streams) if chain == NEVER else fewest_idle(widths, streams)
    )
    used = [0] * max(level_of)
    places: dict[int, Place] = {}
    for members, width, level in zip(joined, widths, level_of, strict=True):
        places |= dict.fromkeys(members, Place(level, used[level - 1], width))
        used[level - 1] += width
    names = tuple(operator.name for operator in operators)
    placed = tuple(places[number] for number in range(len(operators)))
    return Layout(names, placed, tuple(used), max(used), joined)


def _streams(
    operators: Sequence[Operator], joined: Sequence[Sequence[int]]
) -> tuple[tuple[int, int], ...]:
    """Return the streams between chains, and from sources to them."""
    at = {operators[number].name: here for here, chain in enumerate(joined) for number in chain}
    ends = {
        (at.get(name, SOURCE), at[operator.name])
        for operator in operators
        for name in operator.input_names()
    }
    return tuple(sorted((up, down) for up, down in ends if up != down))
