"""A folder beside the place of a new checkpoint, which goes away however its owner ends.

Errors and interrupts take it away at once. An owner that is killed cannot; the kernel unlocks his
file, and the next who wants the same place finds that and sweeps.
"""

import contextlib
import fcntl
import glob
import os
import shutil
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def beside(place: Path) -> Iterator[Path]:
    """Make a folder on the same disk, and take it away whatever happens."""
    above = next(folder for folder in place.parents if folder.is_dir())
    while True:
        file = above / f"{_prefix(place)}{uuid.uuid4().hex}.lock"
        held = _locked(file, os.O_CREAT | os.O_EXCL)
        # Somebody who sweeps may be faster than our lock; then we take another name.
        if held is not None:
            break
    folder = file.with_suffix("")
    try:
        folder.mkdir()
        yield folder
    finally:
        _remove(folder, file)
        os.close(held)


def sweep_beside(place: Path) -> None:
    """Take away what owners that died left beside a place; those that live keep theirs.

    Locks of other machines cannot be trusted on every shared disk, so theirs is left to them.
    """
    for above in place.parents:
        for file in above.glob(f"{glob.escape(_prefix(place))}*.lock"):
            held = _locked(file, 0)
            if held is not None:
                _remove(file.with_suffix(""), file)
                os.close(held)


def _prefix(place: Path) -> str:
    return f".{place.name}-{socket.gethostname()}-"


def _locked(file: Path, flags: int) -> int | None:
    """Return a lock on a file that is still there, or None if somebody else has it."""
    try:
        lock = os.open(file, os.O_RDWR | flags, 0o600)
    except (FileNotFoundError, PermissionError):
        if flags:
            raise
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(os.fstat(lock), file.stat()):
            return lock
    except OSError:
        pass
    os.close(lock)
    return None


def _remove(folder: Path, file: Path) -> None:
    """Remove a folder and then its lock; as long as something is left, it can be found by that."""
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        with contextlib.suppress(FileNotFoundError):
            file.unlink()
