"""A journal read while it is written: across rotations, damaged lines and deleted files."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from albic.control.journal import RoundRecord, record_of
from albic.control.rotation import Identity, identity, newest_first
from albic.model import InvalidInput

#: So much of a file tells it from others.
START_BYTES = 256


@dataclass(frozen=True, slots=True)
class NewRecords:
    """What came since the last look; ``damaged`` says in a sentence each what was passed over."""

    records: tuple[RoundRecord, ...] = ()
    damaged: tuple[str, ...] = ()


class JournalFollower:
    """Reads each record of a journal once, from the oldest that is kept.

    A file that is not there yet, or not any more, is no error: it may come.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stream: BinaryIO | None = None
        self._half = b""
        self._line = 0
        self._done: set[bytes] = set()

    def take(self) -> NewRecords:
        """Return what was written since the last time."""
        records: list[RoundRecord] = []
        damaged: list[str] = []
        for line in self._lines():
            self._line += 1
            if not line:
                continue
            try:
                text = line.decode("utf-8", errors="replace")
                records.append(record_of(self._path, self._line, text))
            except InvalidInput as wrong:
                damaged.append(str(wrong))
        return NewRecords(tuple(records), tuple(damaged))

    def close(self) -> None:
        """Let go of the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def __enter__(self) -> "JournalFollower":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _lines(self) -> Iterator[bytes]:
        """Yield whole lines: the rest of the file at hand, then those that came after it."""
        if self._stream is not None:
            self._begin_anew_if_cut()
            yield from self._rest()
        for stream in self._later():
            if self._stream is not None:
                # Once more: it may have grown between the last look and its being put aside.
                yield from self._rest()
                self._done.add(_start(self._stream))
                self._stream.close()
            self._stream, self._half, self._line = stream, b"", 0
            yield from self._rest()

    def _rest(self) -> Iterator[bytes]:
        """Yield the lines that are whole by now; half a line waits for its end."""
        if self._stream is None:
            return
        *whole, self._half = (self._half + self._stream.read()).split(b"\n")
        yield from whole

    def _begin_anew_if_cut(self) -> None:
        """Go back to the start of a file that became shorter than what was read."""
        if self._stream is not None and os.fstat(self._stream.fileno()).st_size < self._told():
            self._stream.seek(0)
            self._half, self._line = b"", 0

    def _told(self) -> int:
        """Return how far the file was read."""
        return 0 if self._stream is None else self._stream.tell()

    def _later(self) -> Iterator[BinaryIO]:
        """Yield the files that came after the one at hand, oldest first; all if there is none."""
        known: Identity | None = None if self._stream is None else identity(self._stream)
        found: list[BinaryIO] = []
        for stream in newest_first(self._path):
            if identity(stream) == known or _start(stream) in self._done:
                stream.close()
                break
            found.append(stream)
        yield from reversed(found)


def _start(stream: BinaryIO) -> bytes:
    """Return how a file begins: with the number and the time of a round, as no other does.

    A file's number on disk would not do: it is given to the next one when the file is deleted.
    """
    stream.seek(0)
    start = stream.read(START_BYTES)
    stream.seek(0)
    return start
