"""What is around a simulated job and not made by its load: tasks, links, memory, settings.

The laws of the simulator know work and where it lies. What else a controller hears of a job on
Spark is said here, so that advice about it can be tried on scenes.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from albic.advice import TaskCost
from albic.arrays import Floats, Ints, sealed
from albic.model import InvalidInput, Topology
from albic.sim.report import PeriodReport


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What the machines and the engine are like.

    Parameters
    ----------
    task_fixed_s
        What every task takes in every batch, whatever it reads.
    waiting_share
        The part of its time that a task would stand still if all of its rows came from other
        nodes; what is local does not keep it waiting.
    memory_bytes
        What a reference node has for state.
    wandering_share
        The part of all key groups that the engine moves by itself in every step.
    settings
        The settings of the engine, by name.
    """

    task_fixed_s: float = 0.0
    waiting_share: float = 0.0
    memory_bytes: float = math.inf
    wandering_share: float = 0.0
    settings: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.task_fixed_s) and self.task_fixed_s >= 0):
            raise InvalidInput(f"task_fixed_s is {self.task_fixed_s}; it must be 0 or more")
        if not self.memory_bytes > 0:
            raise InvalidInput(f"memory_bytes is {self.memory_bytes}; it must be above 0")
        for name in ("waiting_share", "wandering_share"):
            if not 0 <= getattr(self, name) <= 1:
                raise InvalidInput(f"{name} is {getattr(self, name)}; it must be from 0 to 1")

    def memory_pct(self, state_bytes: Ints) -> Floats:
        """Return what the state of each key group takes of a reference node's memory."""
        taken: Floats = 100 * state_bytes / self.memory_bytes
        return taken

    def task_costs(self, topology: Topology, done_s: Floats) -> tuple[TaskCost, ...]:
        """Return what a task of each stage takes when its rows take ``done_s``."""
        if not self.task_fixed_s:
            return ()
        stage_of = topology.stage_of()
        return tuple(
            TaskCost(
                stage,
                self.task_fixed_s + float(np.median(done_s[stage_of == stage])),
                self.task_fixed_s,
            )
            for stage in range(topology.stage_count)
        )

    def waited_s(self, steps: Sequence[PeriodReport]) -> tuple[float, float]:
        """Return how long tasks were busy in ``steps``, and stood still of that."""
        busy_s = [float(each.node_load_pct.sum()) / 100 * each.step_s for each in steps]
        remote = [1 - each.collocation for each in steps]
        waited = sum(many * part for many, part in zip(busy_s, remote, strict=True))
        return sum(busy_s), self.waiting_share * waited

    def wandered(self, owner: Ints, nodes: int, step: int) -> Ints:
        """Return the owners after a step in which some key groups went one node further."""
        many = round(self.wandering_share * owner.size)
        moved = np.random.default_rng(step).permutation(owner.size)[:many]
        after = owner.copy()
        after[moved] = (after[moved] + 1) % nodes
        return sealed(after, np.int64)
