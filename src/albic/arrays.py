"""The array types everyone uses, and the one way to freeze them."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Sparse: TypeAlias = sp.csr_array[np.float64, tuple[int, int]]


def sealed(values: npt.ArrayLike, dtype: type[np.generic]) -> npt.NDArray[Any]:
    """Return a private copy of ``values`` that refuses writes."""
    copy = np.array(values, dtype=dtype)
    copy.setflags(write=False)
    return copy
