"""Who owns what."""

from dataclasses import dataclass

import numpy as np

from albic.arrays import Ints, sealed


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """Which node (by position) owns each key group."""

    owner: Ints

    def __post_init__(self) -> None:
        object.__setattr__(self, "owner", sealed(self.owner, np.int64))

    def moved_from(self, before: "Allocation") -> Ints:
        """Return the key groups whose owner differs from ``before``, in order."""
        changed: Ints = np.flatnonzero(self.owner != before.owner)
        return changed
