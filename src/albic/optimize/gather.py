"""The compiled search that brings items with affinity into one bin, within windows of load.

The energy is the window energy of ``kernel`` minus what is local. A bin cannot take an item in for
free, so the typical proposal is a cycle: an item joins its partner, one from there joins its own
partner in the first bin or in a third, and one from the third comes back. Every item of such a
cycle gains, and the loads hardly change.
"""

import numpy as np

from albic.optimize.bin_affinity import Affinity, are_partners, gain_of, wishing, wishing_for
from albic.optimize.candidates import resident_of_size
from albic.optimize.compiled import inlined, lean
from albic.optimize.kernel import (
    ENERGY,
    MOVED,
    UNHAPPY,
    State,
    Table,
    draw,
    place,
    settle,
    shift,
    undo,
)
from albic.optimize.proposals import permitted, proposed

#: How often a random draw is repeated before a proposal is given up.
DRAWS = 4


@inlined
def _note(state: State, at: int, item: int, target: int) -> None:
    """Write one move of the proposal down."""
    state.moves[at, 0] = item
    state.moves[at, 1] = target


@inlined
def _swap_back(table: Table, state: State, first: int, second: int) -> int:
    """Let one or two residents of the second bin make up for what the first one lost."""
    item = state.moves[0, 0]
    row = table.primary[item] * table.closed.size + second
    lost, count = table.primary_weight[item], 1
    while count < 3 and lost > 0.0:
        other = resident_of_size(table, state, row, lost)
        if other < 0 or other == item or other == state.moves[1, 0]:
            break
        _note(state, count, other, first)
        count += 1
        lost -= 1.5 * table.primary_weight[other]
    return count


@inlined
def _close(table: Table, affinity: Affinity, state: State, first: int, second: int) -> int:
    """Add moves that bring back to the first bin what it lost, and return how many there are.

    Best by an item that wishes to go just there, else over a third bin, else by any item.
    """
    back = wishing_for(affinity, state, second, first)
    # Partners that change places are as far apart as before.
    if back >= 0 and not are_partners(affinity, state.moves[0, 0], affinity.wish[back]):
        _note(state, 1, affinity.wish[back], first)
        return 2
    for _ in range(DRAWS):
        onward = wishing(
            affinity, state, affinity.wish_pointer[second], affinity.wish_pointer[second + 1]
        )
        third = affinity.wish_bin[onward] if onward >= 0 else first
        if third == first or table.closed[third] or affinity.wish[onward] == state.moves[0, 0]:
            continue
        back = wishing_for(affinity, state, third, first)
        if back >= 0 and affinity.wish[back] != state.moves[0, 0]:
            _note(state, 1, affinity.wish[onward], third)
            _note(state, 2, affinity.wish[back], first)
            return 3
    return _swap_back(table, state, first, second)


@inlined
def _successor(table: Table, state: State, bin_: int, start: int) -> int:
    """Return an item away from ``bin_``, the first found from ``start`` on, or -1."""
    count = state.counts[MOVED]
    for step in range(count):
        item = state.moved[(start + step) % count]
        if table.home[item] == bin_:
            return item
    return -1


@inlined
def _release(table: Table, state: State, count: int) -> bool:
    """Add the return of a traveller and of those that its journey made room for."""
    travellers = state.counts[MOVED]
    if travellers == 0:
        return False
    start = draw(state, travellers)
    item = state.moved[start]
    for at in range(count, min(count + 3, state.moves.shape[0])):
        if item < 0 or table.closed[table.home[item]]:
            return at > count
        for entry in range(at):
            if state.moves[entry, 0] == item:
                return at > count
        _note(state, at, item, table.home[item])
        item = _successor(table, state, state.owner[item], start)
    return True


@inlined
def _gathering(table: Table, affinity: Affinity, state: State, budget: float) -> bool:
    """Propose that an item joins its partner, mostly with others that close a cycle."""
    item = affinity.wish[draw(state, affinity.wish.size)]
    degree = affinity.pointer[item + 1] - affinity.pointer[item]
    first = state.owner[item]
    second = state.owner[affinity.partner[affinity.pointer[item] + draw(state, degree)]]
    if first == second or table.closed[second]:
        return False
    state.moves[:, 0] = -1
    _note(state, 0, item, second)
    count = 1
    if draw(state, 8) > 0 and not table.closed[first]:
        count = _close(table, affinity, state, first, second)
    if permitted(table, state, budget):
        return True
    return _release(table, state, count) and permitted(table, state, budget)


@inlined
def _decide(
    table: Table, affinity: Affinity, state: State, worth: float, temperature: float
) -> float:
    """Carry the proposal out if the Metropolis rule allows it, and return what became local."""
    before, gain, count = state.sums[ENERGY], 0.0, 0
    for entry in range(state.moves.shape[0]):
        item, target = state.moves[entry, 0], state.moves[entry, 1]
        if item < 0:
            break
        affinity.before[entry] = state.owner[item]
        gain += gain_of(affinity, state, item, target)
        shift(table, state, item, state.owner[item], target)
        state.owner[item] = target
        count += 1
    worse = state.sums[ENERGY] - before - worth * gain
    chance = (draw(state, 1 << 30) + 0.5) / (1 << 30)
    if worse > 0.0 and worse > -temperature * np.log(chance):
        undo(state, before)
        for entry in range(count - 1, -1, -1):
            state.owner[state.moves[entry, 0]] = affinity.before[entry]
        return 0.0
    settle(state)
    for entry in range(count):
        place(table, state, state.moves[entry, 0], state.moves[entry, 1])
    return gain


@inlined
def _keep(affinity: Affinity, state: State) -> None:
    """Write the present assignment down as the best."""
    count = state.counts[MOVED]
    affinity.best_count[0] = count
    for entry in range(count):
        affinity.best_item[entry] = state.moved[entry]
        affinity.best_owner[entry] = state.owner[state.moved[entry]]


@lean
def gather(
    table: Table,
    affinity: Affinity,
    state: State,
    goal_dims: int,
    budget: float,
    schedule: tuple[int, float, float, float],
) -> float:
    """Return the most that became local while every row was content; the best is kept.

    ``schedule`` is the number of proposals, the first and the last temperature, and what a unit of
    affinity is worth as a multiple of the temperature: what is wished for stays as likely while the
    windows harden. Minus infinity means that no assignment contented every row.
    """
    proposals, hot, cold, worth = schedule
    cooling = (cold / hot) ** (1.0 / max(proposals, 1))
    temperature, local, best = hot, 0.0, -np.inf
    for _ in range(proposals):
        temperature *= cooling
        if state.counts[UNHAPPY] > 0 and draw(state, 2) == 0:
            found = proposed(table, state, goal_dims, budget)
            found = found and permitted(table, state, budget)
        else:
            found = _gathering(table, affinity, state, budget)
        if found:
            local += _decide(table, affinity, state, worth * temperature, temperature)
        if local > best + 1e-9 and state.counts[UNHAPPY] == 0:
            best = local
            _keep(affinity, state)
    return best
