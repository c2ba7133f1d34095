"""A journal that somebody else writes, read a piece at a time.

It may not be there yet, have half a line at its end, have a damaged line in its midst, be put
aside, cut or deleted. None of that ends the reading.
"""

import os
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from albic.control.journal import RoundRecord, record_of
from albic.control.ports import Journal
from albic.control.rotation import identity, newest_first
from albic.model import InvalidInput

#: The most that is read at a time: a long journal is shown while it is still being read.
PIECE_BYTES = 4_000_000
#: So much of a file tells it from others.
START_BYTES = 256
#: A line longer than this is no record of any cluster that we know of.
LONGEST_LINE_BYTES = 200_000_000


class JournalFollower:
    """Yields the records that were written since the last look, from the oldest that is kept.

    ``damaged`` counts the lines that were no records, ``complaint`` is about the last of them.
    """

    def __init__(self, path: Path) -> None:
        # A journal that is not there yet may come; these never will.
        if path.is_dir():
            raise InvalidInput(f"{str(path)!r} is a folder; name the journal in it")
        if not path.parent.is_dir():
            raise InvalidInput(f"{str(path)!r} cannot be a journal: its folder is not there")
        self.path = path
        self.damaged = 0
        self.complaint: str | None = None
        # The file at hand and those that came after it, open: who is open keeps its number.
        self._files: list[BinaryIO] = []
        self._done: set[bytes] = set()
        self._rest = b""
        self._line = 0

    @property
    def missing(self) -> bool:
        """Return whether there was no file at the last look."""
        return not self._files

    @property
    def behind_bytes(self) -> int:
        """Return how much is still to be read."""
        return sum(max(_size(file) - file.tell(), 0) for file in self._files)

    def records(self) -> Iterator[RoundRecord]:
        """Yield what is new, at most a piece of each file; one after the other."""
        if not self._files:
            self._files = self._later()
        while self._files:
            file = self._files[0]
            if _size(file) < file.tell():
                file.seek(0)
                self._rest, self._line = b"", 0
            yield from self._appended(file)
            if _size(file) > file.tell():
                return
            self._files += self._later()
            if len(self._files) == 1 and self.path.exists():
                return
            # Whoever put it aside or deleted it has written its last line before.
            yield from self._appended(file)
            self._done.add(_start(file))
            self._files.pop(0).close()
            self._rest, self._line = b"", 0

    def close(self) -> None:
        """Let the files go; the next look begins with the oldest that was not read."""
        for file in self._files:
            file.close()
        self._files, self._rest, self._line = [], b"", 0

    def _later(self) -> list[BinaryIO]:
        """Return the files that came after those at hand, oldest first; all if there is none."""
        known = {identity(file) for file in self._files}
        found: list[BinaryIO] = []
        for file in newest_first(self.path):
            is_aside = (not found and not self.path.exists()) or bool(found)
            if identity(file) in known or (is_aside and _start(file) in self._done):
                file.close()
                break
            weakref.finalize(self, file.close)
            found.append(file)
        return found[::-1]

    def _appended(self, stream: BinaryIO) -> Iterator[RoundRecord]:
        """Yield the records of the next piece; half a line is kept for the next look."""
        try:
            piece = self._rest + stream.read(PIECE_BYTES)
        except OSError as wrong:
            self._complain(str(wrong))
            return
        *lines, self._rest = piece.split(b"\n")
        if len(self._rest) > LONGEST_LINE_BYTES:
            self._complain(f"line {self._line + 1} has no end")
            self._rest = b""
        for line in lines:
            self._line += 1
            if not line.strip():
                continue
            try:
                # Where the file lies is nobody's business.
                yield record_of(Path(self.path.name), self._line, line.decode("utf-8"))
            except (InvalidInput, UnicodeDecodeError) as wrong:
                self._complain(str(wrong))

    def _complain(self, what: str) -> None:
        self.damaged += 1
        self.complaint = what


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def _start(file: BinaryIO) -> bytes:
    """Return how a file begins: with the number and the time of a round, as no other does.

    Its number on disk would not do: that is given to another file when it is deleted.
    """
    at = file.tell()
    file.seek(0)
    start = file.read(START_BYTES)
    file.seek(at)
    return start


class MemoryFollower:
    """Yields the records of a journal that is kept in this process."""

    missing = False
    damaged = 0
    complaint: str | None = None
    behind_bytes = 0

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._last: RoundRecord | None = None

    def records(self) -> Iterator[RoundRecord]:
        """Yield what is new; the journal may have let go of older ones."""
        new: list[RoundRecord] = []
        for record in reversed(self._journal.records()):
            if record is self._last:
                break
            new.append(record)
        if new:
            self._last = new[0]
        yield from reversed(new)


class Source(Protocol):
    """Where records come from."""

    @property
    def missing(self) -> bool:
        """Return whether there is nothing to read from."""
        ...

    @property
    def damaged(self) -> int:
        """Return how many lines were no records."""
        ...

    @property
    def complaint(self) -> str | None:
        """Return what was wrong with the last of these."""
        ...

    @property
    def behind_bytes(self) -> int:
        """Return how much is still to be read."""
        ...

    def records(self) -> Iterator[RoundRecord]:
        """Yield what is new."""
        ...
