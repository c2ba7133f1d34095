"""A journal that somebody else writes, read a piece at a time.

It may not be there yet, have half a line at its end, have a damaged line in its midst, be rotated,
cut or deleted. None of that ends the reading.
"""

import os
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

from albic.control.journal import RoundRecord, record_of
from albic.control.ports import Journal
from albic.model import InvalidInput

#: The most that is read at a time: a long journal is shown while it is still being read.
PIECE_BYTES = 4_000_000
#: A line longer than this is no record of any cluster that we know of.
LONGEST_LINE_BYTES = 200_000_000


class JournalFollower:
    """Yields the records that were appended since the last look.

    ``damaged`` counts the lines that were no records, ``complaint`` is about the last of them.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.damaged = 0
        self.complaint: str | None = None
        self._stream: BinaryIO | None = None
        self._rest = b""
        self._line = 0

    @property
    def missing(self) -> bool:
        """Return whether there was no file at the last look."""
        return self._stream is None

    @property
    def behind_bytes(self) -> int:
        """Return how much of the file is still to be read."""
        if self._stream is None:
            return 0
        return max(os.fstat(self._stream.fileno()).st_size - self._stream.tell(), 0)

    def records(self) -> Iterator[RoundRecord]:
        """Yield what is new, at most a piece of it; an old file is read to its end first."""
        if self._stream is None:
            self._open()
        if self._stream is None:
            return
        yield from self._appended(self._stream)
        if not self.behind_bytes and self._is_another():
            # Whoever rotated or deleted it has written its last line before.
            self.close()
            self._open()
            if self._stream is not None:
                yield from self._appended(self._stream)

    def close(self) -> None:
        """Let the file go; the next look opens it again from its beginning."""
        if self._stream is not None:
            self._stream.close()
        self._stream, self._rest, self._line = None, b"", 0

    def _open(self) -> None:
        try:
            self._stream = self.path.open("rb")
        except OSError:
            self._stream = None
        else:
            # It stays open, or a new file could get the number of one that was deleted.
            weakref.finalize(self, self._stream.close)

    def _is_another(self) -> bool:
        """Return whether the path leads to another file by now, or to none, or to a cut one."""
        if self._stream is None:
            return True
        ours = os.fstat(self._stream.fileno())
        try:
            there = self.path.stat()
        except OSError:
            return True
        same = (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)
        return not same or there.st_size < self._stream.tell()

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
