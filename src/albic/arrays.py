"""The array types everyone uses, and the one way to freeze them."""

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def sealed(values: npt.ArrayLike, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Return a private copy of ``values`` that refuses writes."""
    copy = np.array(values, dtype=dtype)
    copy.setflags(write=False)
    return copy
