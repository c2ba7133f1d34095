"""Operators, the streams between them, and the numbering of key groups."""

from dataclasses import dataclass

import numpy as np

from albic.arrays import Ints, sealed
from albic.model.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator of a job; paper: O_i."""

    name: str
    key_groups: int
    stateful: bool = True

    def __post_init__(self) -> None:
        if self.key_groups < 1:
            raise InvalidInput(
                f"operator {self.name!r} has {self.key_groups} key groups; it needs at least 1"
            )


@dataclass(frozen=True, slots=True)
class Topology:
    """The operator network ⟨O, E⟩; key groups are numbered operator after operator."""

    operators: tuple[Operator, ...]
    streams: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        names = [operator.name for operator in self.operators]
        if not names:
            raise InvalidInput("operators is empty; a job has at least one operator")
        for position, name in enumerate(names):
            if name in names[:position]:
                raise InvalidInput(f"operators[{position}]: the name {name!r} is used twice")
        for position, ends in enumerate(self.streams):
            for end in ends:
                if not 0 <= end < len(names):
                    raise InvalidInput(
                        f"streams[{position}] names operator {end}; there are {len(names)}, "
                        f"numbered from 0"
                    )
        if stuck := self._on_a_cycle():
            raise InvalidInput(
                f"streams form a cycle through {', '.join(repr(names[o]) for o in stuck)}; "
                f"a job is acyclic"
            )

    @property
    def key_groups(self) -> int:
        """Return how many key groups the job has."""
        return sum(operator.key_groups for operator in self.operators)

    def offsets(self) -> Ints:
        """Return where each operator's key groups begin, and the total at the end."""
        sizes = [operator.key_groups for operator in self.operators]
        return sealed(np.concatenate(([0], np.cumsum(sizes))), np.int64)

    def operator_of(self) -> Ints:
        """Return the operator of each key group."""
        sizes = [operator.key_groups for operator in self.operators]
        return sealed(np.repeat(np.arange(len(sizes)), sizes), np.int64)

    def downstream(self, operator: int) -> tuple[int, ...]:
        """Return the operators that ``operator`` feeds, each once."""
        return tuple(dict.fromkeys(down for up, down in self.streams if up == operator))

    def _on_a_cycle(self) -> tuple[int, ...]:
        """Return the operators left when sources are peeled off again and again."""
        left = set(range(len(self.operators)))
        while free := left - {down for up, down in self.streams if up in left}:
            left -= free
        return tuple(sorted(left))
