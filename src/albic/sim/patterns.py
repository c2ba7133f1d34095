"""How demand changes over time, on top of any workload."""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from albic.arrays import Floats, Ints
from albic.model import Cluster, InvalidInput, Topology
from albic.sim.demand import Demand, DemandSource, Scene, Workload


class Pattern(Protocol):
    """Says by what the demand on each key group is multiplied."""

    def factor(self, number: int, groups: int) -> Floats:
        """Return the factor of each key group in a period; the same whenever it is asked."""
        ...


@dataclass(frozen=True, slots=True)
class Diurnal:
    """All demand swings like day and night, by ``swing`` either way over ``periods`` periods."""

    periods: int = 24
    swing: float = 0.5

    def factor(self, number: int, groups: int) -> Floats:
        """Return the same factor for all."""
        return np.full(groups, 1 + self.swing * np.sin(2 * np.pi * number / self.periods))


@dataclass(frozen=True, slots=True)
class FlashCrowd:
    """For a while a few key groups get ``times`` the demand, all at once."""

    begins: int
    lasts: int
    times: float = 3.0
    share: float = 0.05
    seed: int = 0

    def factor(self, number: int, groups: int) -> Floats:
        """Return ``times`` for the chosen while it lasts."""
        factor = np.ones(groups)
        if self.begins <= number < self.begins + self.lasts:
            factor[_some(groups, self.share, (self.seed,))] = self.times
        return factor


@dataclass(frozen=True, slots=True)
class HotKeys:
    """Some key groups are hot, and every ``every`` periods it is others."""

    every: int = 5
    times: float = 2.0
    share: float = 0.1
    seed: int = 0

    def factor(self, number: int, groups: int) -> Floats:
        """Return ``times`` for those that are hot now."""
        factor = np.ones(groups)
        factor[_some(groups, self.share, (self.seed, number // self.every))] = self.times
        return factor


def _some(groups: int, share: float, seed: tuple[int, ...]) -> Ints:
    """Return a random part of the key groups, at least one."""
    rng = np.random.default_rng(seed)
    return rng.choice(groups, size=max(1, round(share * groups)), replace=False)


@dataclass(frozen=True, slots=True, eq=False)
class Patterned:
    """A workload whose demand follows patterns."""

    base: Workload
    patterns: tuple[Pattern, ...]

    @property
    def topology(self) -> Topology:
        """Return the job."""
        return self.base.topology

    @property
    def length(self) -> int | None:
        """Return how long the workload lasts."""
        return self.base.length

    def begin(self) -> DemandSource:
        """Return a fresh run."""
        return _PatternedRun(self.base.begin(), self.patterns)


class _PatternedRun:
    """One run of a patterned workload."""

    def __init__(self, base: DemandSource, patterns: tuple[Pattern, ...]) -> None:
        self._base = base
        self._patterns = patterns

    def demand(self, number: int, owner: Ints) -> Demand:
        """Return the demand, multiplied by all patterns."""
        factor = np.ones(owner.size)
        for pattern in self._patterns:
            factor = factor * pattern.factor(number, owner.size)
        return self._base.demand(number, owner).scaled(factor)


def patterned(scene: Scene, *patterns: Pattern) -> Scene:
    """Return the scene with its demand following ``patterns``."""
    return replace(scene, workload=Patterned(scene.workload, patterns))


def heterogeneous(scene: Scene, spread: float, seed: int) -> Scene:
    """Return the scene on nodes whose capacities differ from 1 by up to ``spread`` either way."""
    if not 0 <= spread < 1:
        raise InvalidInput(f"spread is {spread}; it must be from 0 to below 1")
    rng = np.random.default_rng(seed)
    capacities = rng.uniform(1 - spread, 1 + spread, len(scene.cluster.nodes))
    nodes = tuple(
        replace(node, capacity=float(capacity))
        for node, capacity in zip(scene.cluster.nodes, capacities, strict=True)
    )
    return replace(scene, cluster=Cluster(nodes))
