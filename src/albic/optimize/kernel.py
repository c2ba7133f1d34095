"""The compiled state of the local search: loads, windows, who is away from home, and undo.

The search knows windows only: a row (one dimension of one bin) is content while its load lies
between ``low`` and ``high``. The energy is the sum of squared distances to the windows; zero means
that the goal is reached. How windows follow from a goal is decided in ``search``.
"""

from typing import NamedTuple

import numpy as np

from albic.arrays import Bools, Floats, Ints
from albic.optimize.compiled import inlined, lean

#: Positions in ``State.counts``.
MOVED, UNHAPPY, LOGGED = 0, 1, 2
#: Positions in ``State.sums``.
SPENT, ENERGY = 0, 1


class Table(NamedTuple):
    """What does not change while a problem is searched; rows are ``dimension * bins + bin``."""

    pointer: Ints
    dimension: Ints
    weight: Floats
    primary: Ints
    primary_weight: Floats
    home: Ints
    charge: Floats
    movable: Bools
    resident_pointer: Ints
    resident: Ints
    resident_weight: Floats
    inverse_capacity: Floats
    closed: Bools
    enterable: Bools
    open_bins: Ints
    least: Floats


class State(NamedTuple):
    """An assignment with everything that makes the next proposal cheap."""

    owner: Ints
    load: Floats
    low: Floats
    high: Floats
    moved: Ints
    moved_at: Ints
    unhappy: Ints
    unhappy_at: Ints
    log_row: Ints
    log_load: Floats
    sums: Floats
    counts: Ints
    moves: Ints
    random: np.ndarray[tuple[int], np.dtype[np.uint64]]


@inlined
def draw(state: State, below: int) -> int:
    """Return a random integer in [0, below); xorshift, so that a seed means the same everywhere."""
    x = state.random[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state.random[0] = x
    number: int = np.int64(((x >> np.uint64(32)) * np.uint64(below)) >> np.uint64(32))  # type: ignore[assignment]
    return number


@inlined
def gap_of(state: State, row: int) -> float:
    """Return how far a row is outside its window."""
    load = state.load[row]
    if load > state.high[row]:
        return load - state.high[row]
    if load < state.low[row]:
        return state.low[row] - load
    return 0.0


@inlined
def _change_row(state: State, row: int, amount: float) -> None:
    """Change one row's load, remembering how to undo it."""
    logged = state.counts[LOGGED]
    state.log_row[logged] = row
    state.log_load[logged] = state.load[row]
    state.counts[LOGGED] = logged + 1
    before = gap_of(state, row)
    state.load[row] += amount
    after = gap_of(state, row)
    state.sums[ENERGY] += after * after - before * before


@inlined
def shift(table: Table, state: State, item: int, source: int, target: int) -> None:
    """Change the loads as if ``item`` went from ``source`` to ``target``."""
    bins = table.closed.size
    for entry in range(table.pointer[item], table.pointer[item + 1]):
        offset = table.dimension[entry] * bins
        weight = table.weight[entry]
        _change_row(state, offset + source, -weight * table.inverse_capacity[source])
        _change_row(state, offset + target, weight * table.inverse_capacity[target])


@inlined
def undo(state: State, energy: float) -> None:
    """Take back all logged changes."""
    for entry in range(state.counts[LOGGED] - 1, -1, -1):
        state.load[state.log_row[entry]] = state.log_load[entry]
    state.counts[LOGGED] = 0
    state.sums[ENERGY] = energy


@inlined
def settle(state: State) -> None:
    """Keep all logged changes and bring the list of unhappy rows up to date."""
    for entry in range(state.counts[LOGGED]):
        row = state.log_row[entry]
        outside = gap_of(state, row) > 0.0
        at = state.unhappy_at[row]
        if outside and at < 0:
            state.unhappy_at[row] = state.counts[UNHAPPY]
            state.unhappy[state.counts[UNHAPPY]] = row
            state.counts[UNHAPPY] += 1
        elif not outside and at >= 0:
            last = state.unhappy[state.counts[UNHAPPY] - 1]
            state.unhappy[at] = last
            state.unhappy_at[last] = at
            state.unhappy_at[row] = -1
            state.counts[UNHAPPY] -= 1
    state.counts[LOGGED] = 0


@inlined
def place(table: Table, state: State, item: int, target: int) -> None:
    """Record that ``item`` is now at ``target``; loads are changed elsewhere."""
    at = state.moved_at[item]
    if target != table.home[item] and at < 0:
        state.moved_at[item] = state.counts[MOVED]
        state.moved[state.counts[MOVED]] = item
        state.counts[MOVED] += 1
        state.sums[SPENT] += table.charge[item]
    elif target == table.home[item] and at >= 0:
        last = state.moved[state.counts[MOVED] - 1]
        state.moved[at] = last
        state.moved_at[last] = at
        state.moved_at[item] = -1
        state.counts[MOVED] -= 1
        state.sums[SPENT] -= table.charge[item]
    state.owner[item] = target


@lean
def relocate(table: Table, state: State, item: int, target: int) -> None:
    """Move ``item`` to ``target`` for good."""
    shift(table, state, item, state.owner[item], target)
    settle(state)
    place(table, state, item, target)


@lean
def refresh(state: State) -> None:
    """Recompute energy and unhappy rows, after the windows changed or to shed rounding."""
    state.counts[UNHAPPY] = 0
    state.counts[LOGGED] = 0
    energy = 0.0
    for row in range(state.load.size):
        gap = gap_of(state, row)
        energy += gap * gap
        state.unhappy_at[row] = -1
        if gap > 0.0:
            state.unhappy_at[row] = state.counts[UNHAPPY]
            state.unhappy[state.counts[UNHAPPY]] = row
            state.counts[UNHAPPY] += 1
    state.sums[ENERGY] = energy


@lean
def restore(table: Table, state: State, items: Ints, owners: Ints) -> None:
    """Go back to the assignment in which just ``items`` are away from home, at ``owners``."""
    while state.counts[MOVED] > 0:
        item = state.moved[state.counts[MOVED] - 1]
        relocate(table, state, item, table.home[item])
    for entry in range(items.size):
        relocate(table, state, items[entry], owners[entry])
