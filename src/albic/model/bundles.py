"""Key groups that move as one."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from albic.arrays import Ints, sealed
from albic.model.allocation import Allocation
from albic.model.errors import InvalidInput


@dataclass(frozen=True, slots=True, eq=False)
class Bundles:
    """The indivisible units of a plan: one unit a key group, or several key groups in one.

    ``unit_of`` numbers the units from 0 without gaps; ``pinned`` names the node that a unit must
    be on, as (unit, node). The paper's added constraints of ALBIC, as data.
    """

    unit_of: Ints
    pinned: tuple[tuple[int, int], ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "unit_of", sealed(self.unit_of, np.int64))

    @classmethod
    def of(
        cls,
        key_groups: int,
        sets: Iterable[Iterable[int]] = (),
        pinned: Iterable[tuple[int, int]] = (),
    ) -> "Bundles":
        """Return bundles from disjoint ``sets`` of key groups.

        ``pinned`` here names any key group of the unit, as (key group, node).
        """
        leader = np.arange(key_groups)
        for members in sets:
            ordered = sorted(members)
            leader[ordered] = ordered[0]
        _, unit_of = np.unique(leader, return_inverse=True)
        return cls(unit_of, tuple((int(unit_of[group]), node) for group, node in pinned))

    @property
    def units(self) -> int:
        """Return how many units there are."""
        return int(self.unit_of.max()) + 1

    def home(self, allocation: Allocation, nodes: int) -> Ints:
        """Return the node of each unit: where it is pinned, else where its members are now."""
        home = np.full(self.units, -1, dtype=np.int64)
        home[self.unit_of] = allocation.owner
        for unit, node in self.pinned:
            if not 0 <= node < nodes:
                raise InvalidInput(f"bundle {unit} is pinned to node {node}; there are {nodes}")
            home[unit] = node
        fixed = np.zeros(self.units, dtype=bool)
        fixed[[unit for unit, _ in self.pinned]] = True
        torn = np.flatnonzero((home[self.unit_of] != allocation.owner) & ~fixed[self.unit_of])
        if torn.size:
            raise InvalidInput(
                f"bundle {self.unit_of[torn[0]]} lies on several nodes; pin it to one of them"
            )
        return home
