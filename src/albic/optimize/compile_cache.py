"""Where compiled code is kept, and found again: a folder for each version in the user's cache.

numba's own place is beside the sources, where every environment compiles anew, and where it does
not see that a function changed which it made part of another file's function. Here the folder is
named after all sources of the compiled code, so both are cured. See decision 014.
"""

import hashlib
import logging
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    UserProvidedCacheLocator,
    UserWideCacheLocator,
)
from numba.core.dispatcher import Dispatcher
from numba.misc.appdirs import AppDirs

log = logging.getLogger(__name__)

#: Folders of other sources that stay: who works on the compiled code makes many.
MOST_FOLDERS = 8


def kept(function: Any) -> Any:  # noqa: ANN401  what numba makes of a function has no type
    """Let a compiled function keep its machine code for the next process."""
    # numba makes nothing of a function where somebody turned it off to find an error.
    if isinstance(function, Dispatcher):
        keeping: Any = function
        keeping._cache = _Kept(function.py_func)
    return function


@cache
def folder() -> Path:
    """Return where the code of this version is kept; the user's cache says where that may be."""
    sources = sorted(Path(__file__).parent.glob("*.py"))
    text = b"".join(source.name.encode() + source.read_bytes() for source in sources)
    digest = hashlib.sha256(text).hexdigest()[:12]
    home = Path(AppDirs(appname="albic", appauthor=False).user_cache_dir)
    return home / "compiled" / f"{digest}-numba{numba.__version__}"


class _Folder(UserWideCacheLocator):
    """Tells numba the folder, and that what is in it is fresh: its name says so."""

    def __init__(self, py_func: Any, py_file: str) -> None:  # noqa: ANN401  numba's own
        super().__init__(py_func, py_file)
        self._cache_path = str(folder())

    def ensure_cache_path(self) -> None:
        """Make the folder once a process."""
        _made(folder())

    def get_source_stamp(self) -> str:
        """Return the name of the folder, in which all sources are."""
        return folder().name


class _Places(CompileResultCacheImpl):
    """What the user names for numba comes first; without a writable home, numba's own places do."""

    _locator_classes = [  # noqa: RUF012  as numba has it
        UserProvidedCacheLocator,
        _Folder,
        *CompileResultCacheImpl._locator_classes,
    ]


class _Kept(FunctionCache):
    """numba's cache of one function, which says when there is nothing in it."""

    _impl_class = _Places

    def load_overload(self, sig: Any, target_context: Any) -> Any:  # noqa: ANN401  numba's own
        """Return what is kept; if nothing is, numba compiles next, and somebody waits for it."""
        found = super().load_overload(sig, target_context)
        if found is None:
            _tell()
        return found


@cache
def _tell() -> None:
    """Say once why the first plan takes its time.

    A warning, because that is what Python shows where nobody chose what to show.
    """
    log.warning("compiling the search for this machine; takes half a minute, once a version")


@cache
def _made(place: Path) -> None:
    """Make the folder, mark it as used, and remove those that were used longest ago."""
    place.mkdir(parents=True, exist_ok=True)
    os.utime(place)
    others = [other for other in place.parent.iterdir() if other.is_dir() and other != place]
    # Another process may be cleaning up as well.
    used = {other: other.stat().st_mtime for other in others if other.exists()}
    for other in sorted(used, key=lambda other: used[other], reverse=True)[MOST_FOLDERS:]:
        shutil.rmtree(other, ignore_errors=True)
