"""The compiled start of the local search: empty what must be emptied."""

import numpy as np

from albic.arrays import Ints
from albic.optimize.compiled import compiled
from albic.optimize.kernel import SPENT, State, Table, relocate

#: An improvement below this is rounding.
NOTHING = 1e-9


@compiled
def fits(table: Table, state: State, goal_dims: int, item: int, target: int) -> bool:
    """Return whether ``target`` may take in ``item``, and stays within its limits with it."""
    if not table.enterable[target]:
        return False
    bins = table.closed.size
    for entry in range(table.pointer[item], table.pointer[item + 1]):
        if table.dimension[entry] < goal_dims:
            continue
        row = table.dimension[entry] * bins + target
        load = state.load[row] + table.weight[entry] * table.inverse_capacity[target]
        if load > state.high[row] + NOTHING:
            return False
    return True


@compiled
def evacuate(table: Table, state: State, goal_dims: int, budget: float, order: Ints) -> None:
    """Move the items of ``order`` one by one to the bin that is emptiest with them in it."""
    bins = table.closed.size
    for item in order:
        if state.sums[SPENT] + table.charge[item] > budget:
            continue
        offset = table.primary[item] * bins
        weight = 0.0
        for entry in range(table.pointer[item], table.pointer[item + 1]):
            if table.dimension[entry] == table.primary[item]:
                weight = table.weight[entry]
        best, lowest = -1, np.inf
        for target in table.open_bins:
            load = state.load[offset + target] + weight * table.inverse_capacity[target]
            if load < lowest and fits(table, state, goal_dims, item, target):
                best, lowest = target, load
        if best >= 0:
            relocate(table, state, item, best)
