"""Who has which number: a locked file each, which the kernel unlocks when its owner dies."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from albic.nodes.names import NETWORKS

#: Gone after a restart of the machine, as are namespaces; only root writes there.
FOLDER = Path("/run")
PREFIX = "albic-nodes-"


class Claim:
    """A number that is ours as long as we live, or until ``release``."""

    def __init__(self, number: int, lock: int) -> None:
        self.number = number
        self._lock = lock

    @classmethod
    def of(cls, number: int) -> "Claim | None":
        """Return the claim of a number, or None if somebody else has it."""
        path = _path(number)
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # Whoever had it may have removed the file between our two calls.
            if os.path.samestat(os.fstat(lock), path.stat()):
                return cls(number, lock)
        except OSError:
            pass
        os.close(lock)
        return None

    @classmethod
    def of_dead(cls, number: int) -> "Claim | None":
        """Return the claim of a number whose owner died, or None if there is no such owner."""
        return cls.of(number) if claimed(number) else None

    def release(self) -> None:
        """Let somebody else have the number."""
        with contextlib.suppress(FileNotFoundError):
            _path(self.number).unlink()
        os.close(self._lock)


def claimed(number: int) -> bool:
    """Return whether somebody has a number, or had it when he died."""
    return _path(number).exists()


def free() -> Iterator[Claim]:
    """Yield claims of numbers that nobody has, lowest first; let go of those that do not suit."""
    for number in range(NETWORKS):
        if not claimed(number) and (claim := Claim.of(number)) is not None:
            yield claim


def abandoned() -> Iterator[Claim]:
    """Yield the claims of owners that died."""
    for path in sorted(FOLDER.glob(f"{PREFIX}*.lock")):
        number = path.stem.removeprefix(PREFIX)
        if number.isdecimal() and (claim := Claim.of_dead(int(number))) is not None:
            yield claim


def _path(number: int) -> Path:
    return FOLDER / f"{PREFIX}{number}.lock"
