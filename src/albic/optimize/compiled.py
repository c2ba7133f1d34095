"""How functions are compiled.

The compiled code is kept in the user's cache folder (:mod:`albic.optimize.compile_cache`), so that
only the first call of a version on a machine compiles. All of it lets other threads run.
"""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

from albic.optimize.compile_cache import kept

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile a function that may make arrays of its own."""
    return cast(F, kept(njit(function, error_model="numpy", nogil=True)))


def lean(function: F) -> F:
    """Compile a function without reference counts; it must not make arrays.

    Counting the references of the arrays in a state made a proposal five times as slow.
    """
    return cast(F, kept(_njit(function, error_model="numpy", nogil=True, _nrt=False)))


def inlined(function: F) -> F:
    """Make a lean function part of every caller: for what runs millions of times a second."""
    return cast(F, kept(_njit(function, inline="always", _nrt=False)))


#: ``_nrt`` is an option of numba's own code and in no published signature.
_njit: Any = njit
