"""GeoHash: a place on earth as a short text; places with the same beginning are near each other."""

import numpy as np
import numpy.typing as npt

from albic.arrays import Floats, Ints

ALPHABET = np.array(list("0123456789bcdefghjkmnpqrstuvwxyz"))
BITS = 5


def geohash(latitude: Floats, longitude: Floats, length: int) -> npt.NDArray[np.str_]:
    """Return the GeoHash of each place, with ``length`` letters."""
    bits = BITS * length
    # Turn by turn, longitude first, each a half of what is left.
    codes = np.zeros(len(latitude), np.int64)
    east, north = _steps(longitude, 180.0, -(-bits // 2)), _steps(latitude, 90.0, bits // 2)
    for bit in range(bits):
        which, taken = (east, -(-bits // 2)) if bit % 2 == 0 else (north, bits // 2)
        codes = codes << 1 | which >> (taken - 1 - bit // 2) & 1
    letters = [ALPHABET[codes >> BITS * (length - 1 - at) & 31] for at in range(length)]
    found: npt.NDArray[np.str_] = letters[0]
    for letter in letters[1:]:
        found = np.char.add(found, letter)
    return found


def _steps(degrees: Floats, reach: float, bits: int) -> Ints:
    """Return in which of the equal parts of the axis a place is."""
    parts = 1 << bits
    steps: Ints = np.clip((degrees + reach) / (2 * reach) * parts, 0, parts - 1).astype(np.int64)
    return steps
