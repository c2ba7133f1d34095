"""Operators, the streams between them, and the numbering of key groups."""

from dataclasses import dataclass

import numpy as np

from albic.arrays import Ints, sealed
from albic.model.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Operator:
    """One operator of a job; paper: O_i.

    ``chain`` are the names of several that run in the same tasks and so move as one.
    """

    name: str
    key_groups: int
    stateful: bool = True
    chain: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.key_groups < 1:
            raise InvalidInput(
                f"operator {self.name!r} has {self.key_groups} key groups; it needs at least 1"
            )


@dataclass(frozen=True, slots=True)
class Topology:
    """The operator network ⟨O, E⟩; key groups are numbered operator after operator.

    ``stages`` says for each operator in which stage of a batch it runs; those of one stage run at
    the same time. Left out, each operator is a stage of its own.
    """

    operators: tuple[Operator, ...]
    streams: tuple[tuple[int, int], ...] = ()
    stages: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        names = [operator.name for operator in self.operators]
        if not names:
            raise InvalidInput("operators is empty; a job has at least one operator")
        seen: set[str] = set()
        for position, name in enumerate(names):
            if name in seen:
                raise InvalidInput(f"operators[{position}]: the name {name!r} is used twice")
            seen.add(name)
        for position, ends in enumerate(self.streams):
            for end in ends:
                if not 0 <= end < len(names):
                    raise InvalidInput(
                        f"streams[{position}] names operator {end}; there are {len(names)}, "
                        f"numbered from 0"
                    )
        self._expect_stages()
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

    @property
    def stage_count(self) -> int:
        """Return how many stages a batch has."""
        return max(self.stages) + 1 if self.stages else len(self.operators)

    def stage_of(self) -> Ints:
        """Return the stage of each key group."""
        stages = np.array(self.stages or range(len(self.operators)), dtype=np.int64)
        return sealed(stages[self.operator_of()], np.int64)

    def downstream(self, operator: int) -> tuple[int, ...]:
        """Return the operators that ``operator`` feeds, each once."""
        return tuple(dict.fromkeys(down for up, down in self.streams if up == operator))

    def _expect_stages(self) -> None:
        """Refuse stages that are not one for each operator, numbered from 0 without a gap."""
        if not self.stages:
            return
        if len(self.stages) != len(self.operators):
            raise InvalidInput(
                f"stages has {len(self.stages)} entries; there are {len(self.operators)} operators"
            )
        if min(self.stages) < 0 or len(set(self.stages)) != max(self.stages) + 1:
            raise InvalidInput("stages must be numbered from 0, and each must have an operator")
        if self.stages == tuple(range(len(self.operators))):
            # There is one way to say that each is a stage of its own.
            object.__setattr__(self, "stages", ())

    def _on_a_cycle(self) -> tuple[int, ...]:
        """Return the operators left when those without a source are taken away one by one."""
        feeds: list[list[int]] = [[] for _ in self.operators]
        sources = [0] * len(self.operators)
        for up, down in self.streams:
            feeds[up].append(down)
            sources[down] += 1
        free = [operator for operator, count in enumerate(sources) if count == 0]
        while free:
            for down in feeds[free.pop()]:
                sources[down] -= 1
                if sources[down] == 0:
                    free.append(down)
        return tuple(operator for operator, count in enumerate(sources) if count > 0)
