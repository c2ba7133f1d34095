"""How uneven keys are, and how fast the busy ones change."""

from collections import Counter
from collections.abc import Iterable, Mapping

import numpy as np

from albic.arrays import Floats

#: How many of the busiest keys are compared from one slice of time to the next.
TOP = 20
_STEEPEST = 10.0
_HALVINGS = 60


def zipf_exponent(counts: Iterable[int]) -> float:
    """Return the exponent with which Zipf's law makes these counts likeliest.

    Under the law, the key of rank r gets a share proportional to r to the power of minus the
    exponent; 0 is even. The number of keys is taken as given, ranks go by count.
    """
    ranked = np.sort(np.asarray(list(counts), float))[::-1]
    if len(ranked) < 2 or ranked.sum() == 0:
        return 0.0
    logs = np.log(np.arange(1, len(ranked) + 1))
    mean_log = float(ranked @ logs / ranked.sum())
    low, high = 0.0, _STEEPEST
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        # The steeper the law, the smaller the mean logarithm of ranks that it expects.
        if _expected_log(middle, logs) > mean_log:
            low = middle
        else:
            high = middle
    return low


def zipf_shares(keys: int, exponent: float) -> Floats:
    """Return the share of each rank under Zipf's law."""
    weights = np.arange(1, keys + 1, dtype=float) ** -exponent
    shares: Floats = weights / weights.sum()
    return shares


def drift(slices: Mapping[int, Counter[str]]) -> float | None:
    """Return which part of the busiest keys is not among the busiest in the next slice of time.

    ``slices`` has the counts of keys by number of slice. Nothing comes back without two slices
    that follow each other. Among equals the first by name are the busiest.
    """
    gone = []
    for number, counts in sorted(slices.items()):
        after = slices.get(number + 1)
        if after is None or not counts:
            continue
        before, next_top = _top(counts), _top(after)
        gone.append(1 - len(before & next_top) / len(before))
    return float(np.mean(gone)) if gone else None


def _top(counts: Counter[str]) -> set[str]:
    """Return the busiest keys."""
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {key for key, _ in ranked[:TOP]}


def _expected_log(exponent: float, logs: Floats) -> float:
    """Return the mean logarithm of the rank under Zipf's law."""
    # Shifted by the largest power, which is 1: nothing overflows.
    weights = np.exp(-exponent * logs)
    return float(weights @ logs / weights.sum())
