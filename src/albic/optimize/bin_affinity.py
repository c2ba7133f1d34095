"""Who wants to be in one bin with whom, and the compiled questions about it."""

from typing import NamedTuple

from albic.arrays import Floats, Ints
from albic.optimize.compiled import inlined
from albic.optimize.kernel import State, draw


class Affinity(NamedTuple):
    """Who wants to be with whom, both ways, and the scratch of the search for it.

    ``wish`` lists the movable items at home in one bin with a partner at home in ``wish_bin``,
    ordered by both; ``wish_pointer`` says where the wishes of each bin begin. ``best_item`` and
    ``best_owner`` hold the best assignment so far, ``before`` the owners to go back to.
    """

    pointer: Ints
    partner: Ints
    rate: Floats
    wish_pointer: Ints
    wish: Ints
    wish_bin: Ints
    best_item: Ints
    best_owner: Ints
    best_count: Ints
    before: Ints


@inlined
def gain_of(affinity: Affinity, state: State, item: int, target: int) -> float:
    """Return how much more is local when ``item`` goes to ``target``."""
    gain = 0.0
    for entry in range(affinity.pointer[item], affinity.pointer[item + 1]):
        where = state.owner[affinity.partner[entry]]
        if where == target:
            gain += affinity.rate[entry]
        elif where == state.owner[item]:
            gain -= affinity.rate[entry]
    return gain


@inlined
def are_partners(affinity: Affinity, item: int, other: int) -> bool:
    """Return whether two items want to be together."""
    for entry in range(affinity.pointer[item], affinity.pointer[item + 1]):
        if affinity.partner[entry] == other:
            return True
    return False


@inlined
def wishing(affinity: Affinity, state: State, start: int, end: int) -> int:
    """Return the position of a random wish in a range whose item is at home, or -1."""
    if start == end:
        return -1
    at = start + draw(state, end - start)
    return at if state.moved_at[affinity.wish[at]] < 0 else -1


@inlined
def _first_wish(affinity: Affinity, bin_: int, towards: int) -> int:
    """Return the position of the first wish of ``bin_`` for ``towards`` or a bin behind it."""
    first, above = affinity.wish_pointer[bin_], affinity.wish_pointer[bin_ + 1]
    while first < above:
        middle = (first + above) // 2
        if affinity.wish_bin[middle] < towards:
            first = middle + 1
        else:
            above = middle
    return first


@inlined
def wishing_for(affinity: Affinity, state: State, bin_: int, towards: int) -> int:
    """Return the position of a random wish of ``bin_`` for ``towards``, or -1."""
    start = _first_wish(affinity, bin_, towards)
    return wishing(affinity, state, start, _first_wish(affinity, bin_, towards + 1))
