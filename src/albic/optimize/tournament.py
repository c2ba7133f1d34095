"""A compiled tournament: the largest of many keys, found again in a few steps when one changes.

``tree`` holds positions of ``key``: the winner of all at 1, the winners of both halves at 2 and 3,
and so on down to the positions themselves. Of equals the lower position wins.
"""

import numpy as np

from albic.arrays import Floats, Ints
from albic.optimize.compiled import compiled, inlined


@compiled
def tournament(key: Floats) -> Ints:
    """Return the tree of a first round among all keys; there is at least one."""
    half = 1
    while half < key.size:
        half *= 2
    tree = np.full(2 * half, -1)
    tree[half : half + key.size] = np.arange(key.size)
    for node in range(half - 1, 0, -1):
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if right < 0 or key[left] >= key[right] else right
    return tree


@inlined
def play(tree: Ints, key: Floats, at: int) -> None:
    """Bring the tree up to date after ``key[at]`` changed."""
    node = (tree.size // 2 + at) // 2
    while node > 0:
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if right < 0 or key[left] >= key[right] else right
        node //= 2
