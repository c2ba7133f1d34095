"""Compiled proposals of the local search: up to three items change bins together, or none does."""

import numpy as np

from albic.optimize.candidates import (
    any_resident,
    some_partner,
    some_resident,
    some_traveller,
    wanted_weight,
)
from albic.optimize.compiled import inlined, lean
from albic.optimize.kernel import (
    ENERGY,
    MOVED,
    SPENT,
    UNHAPPY,
    State,
    Table,
    draw,
    place,
    settle,
    shift,
    undo,
)

#: Kinds of proposals, by the highest of eight equally likely numbers; the rest is an exchange.
RELOCATE, SWAP, INSERT, REROUTE, REPLACE = 1, 2, 3, 4, 6

#: First row of the dimension, unhappy bin, where to take from, where to put, and what weight.
Spot = tuple[int, int, int, int, float]


@inlined
def _note(state: State, at: int, item: int, target: int) -> None:
    """Write one move of the proposal down."""
    state.moves[at, 0] = item
    state.moves[at, 1] = target


@inlined
def _refunded(table: Table, state: State, budget: float, at: int) -> bool:
    """Send a traveller home as move ``at`` of the proposal if the budget is spent otherwise."""
    if state.sums[SPENT] <= budget:
        return True
    item = some_traveller(table, state, state.moves[0, 1])
    if item < 0 or item == state.moves[0, 0] or table.closed[table.home[item]]:
        return False
    _note(state, at, item, table.home[item])
    return True


@inlined
def _relocation(table: Table, state: State, spot: Spot, budget: float) -> bool:
    """Propose that one resident leaves the fuller bin for the emptier one."""
    offset, _, source, target, wanted = spot
    item = some_resident(table, state, offset + source, wanted, wanted)
    if item < 0:
        return False
    _note(state, 0, item, target)
    return _refunded(table, state, budget - table.charge[item], 1)


@inlined
def _swap(table: Table, state: State, spot: Spot) -> bool:
    """Propose that two residents change places."""
    offset, _, source, target, wanted = spot
    item = any_resident(table, state, offset + source)
    if item < 0 or table.closed[source]:
        return False
    size = table.primary_weight[item] - wanted
    other = some_resident(table, state, offset + target, size, wanted)
    _note(state, 0, item, target)
    _note(state, 1, other, source)
    return other >= 0


@inlined
def _insertion(table: Table, state: State, spot: Spot, budget: float) -> bool:
    """Propose that the unhappy bin takes a traveller in and sends one of its own on instead."""
    offset, bin_, source, _, wanted = spot
    if state.counts[MOVED] == 0 or table.closed[bin_]:
        return False
    traveller = state.moved[draw(state, state.counts[MOVED])]
    now = state.owner[traveller]
    size = table.primary_weight[traveller] + (wanted if source == bin_ else -wanted)
    item = some_resident(table, state, offset + bin_, size, wanted)
    if item < 0 or now == bin_:
        return False
    _note(state, 0, traveller, bin_)
    _note(state, 1, item, now)
    return _refunded(table, state, budget - table.charge[item], 2)


@inlined
def _replacement(table: Table, state: State, spot: Spot, traveller: int) -> bool:
    """Propose that a traveller goes home and another item of its home takes its place."""
    _, bin_, source, _, wanted = spot
    home, now = table.home[traveller], state.owner[traveller]
    lighter = (now == bin_) == (source == bin_)
    size = table.primary_weight[traveller] + (-wanted if lighter else wanted)
    row = table.primary[traveller] * table.closed.size + home
    item = some_resident(table, state, row, size, wanted)
    _note(state, 0, traveller, home)
    _note(state, 1, item, now)
    return item >= 0 and not table.closed[home]


@inlined
def _exchange(state: State, traveller: int) -> bool:
    """Propose that two travellers change places."""
    other, now = state.moved[draw(state, state.counts[MOVED])], state.owner[traveller]
    _note(state, 0, traveller, state.owner[other])
    _note(state, 1, other, now)
    return state.owner[other] != now


@inlined
def _spot(table: Table, state: State, goal_dims: int) -> Spot:
    """Return a random unhappy bin and what to do about it; its source is -1 if nothing."""
    bins = table.closed.size
    row = state.unhappy[draw(state, state.counts[UNHAPPY])]
    over = state.load[row] > state.high[row]
    bin_, dimension = row % bins, row // bins
    if dimension >= goal_dims:
        dimension = draw(state, goal_dims)
    partner = some_partner(table, state, dimension * bins, bin_, 1 if over else -1)
    source = bin_ if over and partner >= 0 else partner
    # Half of the time the size matters, half of the time chance decides.
    wanted = wanted_weight(table, state, row, bin_) if draw(state, 2) == 0 else 0.0
    return dimension * bins, bin_, source, partner if over else bin_, wanted


@inlined
def _onward(table: Table, state: State, spot: Spot, traveller: int, kind: int) -> bool:
    """Propose something for an item that is away from home."""
    if kind == REROUTE:
        _note(state, 0, traveller, spot[3])
        return state.owner[traveller] != spot[3]
    if kind <= REPLACE:
        return _replacement(table, state, spot, traveller)
    return _exchange(state, traveller)


@inlined
def proposed(table: Table, state: State, goal_dims: int, budget: float) -> bool:
    """Write a proposal that may help an unhappy row into ``state.moves``."""
    spot = _spot(table, state, goal_dims)
    if spot[2] < 0:
        return False
    kind = draw(state, 8)
    state.moves[:, 0] = -1
    if kind <= RELOCATE:
        return _relocation(table, state, spot, budget)
    if kind == SWAP:
        return _swap(table, state, spot)
    if kind == INSERT:
        return _insertion(table, state, spot, budget)
    traveller = some_traveller(table, state, spot[1])
    return traveller >= 0 and _onward(table, state, spot, traveller, kind)


@inlined
def permitted(table: Table, state: State, budget: float) -> bool:
    """Return whether the bins take in what the proposal brings, and the budget allows it."""
    extra = 0.0
    for entry in range(state.moves.shape[0]):
        item = state.moves[entry, 0]
        if item < 0:
            break
        goes, away = state.moves[entry, 1] != table.home[item], state.moved_at[item] >= 0
        if goes and not table.enterable[state.moves[entry, 1]]:
            return False
        if goes != away:
            extra += table.charge[item] if goes else -table.charge[item]
    return extra <= 0.0 or state.sums[SPENT] + extra <= budget


@inlined
def _accept(table: Table, state: State, temperature: float) -> None:
    """Carry the proposal out if the Metropolis rule allows it."""
    before = state.sums[ENERGY]
    for entry in range(state.moves.shape[0]):
        item = state.moves[entry, 0]
        if item < 0:
            break
        shift(table, state, item, state.owner[item], state.moves[entry, 1])
    worse = state.sums[ENERGY] - before
    chance = (draw(state, 1 << 30) + 0.5) / (1 << 30)
    if worse > 0.0 and worse > -temperature * np.log(chance):
        undo(state, before)
        return
    settle(state)
    for entry in range(state.moves.shape[0]):
        if state.moves[entry, 0] < 0:
            break
        place(table, state, state.moves[entry, 0], state.moves[entry, 1])


@lean
def anneal(
    table: Table, state: State, goal_dims: int, budget: float, schedule: tuple[int, float, float]
) -> int:
    """Return how many of the scheduled proposals it took until every row was content."""
    proposals, hot, cold = schedule
    cooling = (cold / hot) ** (1.0 / max(proposals, 1))
    temperature = hot
    for step in range(proposals):
        if state.counts[UNHAPPY] == 0:
            return step
        temperature *= cooling
        if proposed(table, state, goal_dims, budget) and permitted(table, state, budget):
            _accept(table, state, temperature)
    return proposals
