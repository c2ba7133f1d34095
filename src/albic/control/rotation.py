"""A text file that does not grow for ever: full ones are put aside under a number, oldest highest.

``journal.jsonl`` is written; ``journal.jsonl.1`` was before it, and ``.2`` before that. Files only
ever get higher numbers. So who opens them newest first may meet one twice, but misses none.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

#: The size at which a file is full, and how many are kept: a day of rounds every 20 s with a
#: thousand key groups, and still quick to read.
MOST_BYTES, KEPT_FILES = 64 * 2**20, 4
#: Numbers are tried up to here; nobody keeps more files.
MOST_FILES = 1000

#: What tells a file from others whatever it is called.
Identity = tuple[int, int]


def aside(path: Path, number: int) -> Path:
    """Return the name of a file that was put aside; 0 is the one that is written."""
    return path.with_name(f"{path.name}.{number}") if number else path


def rotate(path: Path, keep: int) -> None:
    """Put a full file aside, and delete what is more than ``keep`` files with the next one."""
    last = next(n for n in range(MOST_FILES) if not aside(path, n).exists())
    for number in range(last - 1, -1, -1):
        with contextlib.suppress(FileNotFoundError):
            if number >= keep - 1:
                aside(path, number).unlink()
            else:
                aside(path, number).replace(aside(path, number + 1))


def exists(path: Path) -> bool:
    """Return whether there is a file, or one that was put aside."""
    return path.exists() or aside(path, 1).exists()


def ends_midway(path: Path) -> bool:
    """Return whether the last line of a file that holds something has no end."""
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read() != b"\n"


def identity(stream: BinaryIO) -> Identity:
    """Return who an open file is, whatever it is called by now."""
    told = os.fstat(stream.fileno())
    return told.st_dev, told.st_ino


def newest_first(path: Path) -> Iterator[BinaryIO]:
    """Yield the files at ``path``, open, each once; one that is missing does not end it."""
    seen: set[Identity] = set()
    missing = 0
    for number in range(MOST_FILES):
        try:
            stream = aside(path, number).open("rb")
        except FileNotFoundError:
            # In the midst of a rotation one name is free for a moment.
            missing += 1
            if missing > 1:
                return
            continue
        if identity(stream) in seen:
            stream.close()
            continue
        seen.add(identity(stream))
        yield stream
