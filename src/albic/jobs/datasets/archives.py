"""Files as they come from the web: plain, gzip, bzip2, xz, zip or tar, also one inside another.

What a file is shows in its first bytes; names lie, and sometimes there is none.
"""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

from albic.model import InvalidInput

#: A tar carries its mark behind the first file name.
_TAR_MARK = slice(257, 262)
_LOOK_BYTES = 512
_BUFFER_BYTES = 1 << 20

#: What the decompressors raise when the bytes are not what they should be.
BROKEN = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, tarfile.TarError, OSError)
#: Text packs to a tenth, the same line again and again to a thousandth. A file that unpacks to more
#: than this times its size holds nothing that anybody measured; a small one may all the same.
MOST_TIMES, FREE_BYTES = 200, 64 << 20
#: The most that is held in memory of an archive inside another.
MOST_INNER_BYTES = 512 << 20
#: A cover inside a cover is common (tar of gz); more than this is an attack or a mistake.
_MOST_COVERS = 4


@dataclass(frozen=True)
class Member:
    """One uncompressed file: its name, its bytes, and how far the outer file is read."""

    name: str
    stream: "io.BufferedReader[Any]"
    position: Callable[[], int]


def members(path: Path) -> Iterator[Member]:
    """Yield the files that ``path`` holds, one after another; read each before asking for the next.

    What the reading may raise is named by :func:`naming_damage`, which goes around the whole loop.
    """
    with io.BufferedReader(io.FileIO(path), _BUFFER_BYTES) as raw:
        room = Room(path, max(path.stat().st_size * MOST_TIMES, FREE_BYTES))
        yield from _opened(Member(path.name, raw, raw.tell), room, 0)


@contextmanager
def naming_damage(path: Path) -> Iterator[None]:
    """Turn whatever goes wrong while ``path`` is read into ``InvalidInput`` with its name."""
    try:
        yield
    except IsADirectoryError:
        raise InvalidInput(f"{str(path)!r} is a folder; name a file") from None
    except (FileNotFoundError, PermissionError) as wrong:
        raise InvalidInput(f"{str(path)!r} cannot be read: {wrong.strerror}") from None
    except (*BROKEN, zipfile.BadZipFile, RuntimeError, NotImplementedError) as wrong:
        raise InvalidInput(
            f"{str(path)!r} is damaged: its compressed data cannot be read ({wrong}); "
            "fetch it again"
        ) from None


def compressing(path: Path) -> IO[bytes]:
    """Return a stream that writes ``path``, compressed as its name says; no time stamp goes in."""
    if path.suffix == ".gz":
        return cast("IO[bytes]", gzip.GzipFile(path, "wb", mtime=0))
    if path.suffix == ".bz2":
        return bz2.open(path, "wb")
    if path.suffix == ".xz":
        return lzma.open(path, "wb")
    return path.open("wb")


class Room:
    """What a file may still unpack to, all of its covers and members together."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        self._path = path
        self._most_bytes = self._left_bytes = most_bytes

    def take(self, count: int) -> None:
        """Take room for bytes that were unpacked; refuse what has none left."""
        self._left_bytes -= count
        if self._left_bytes < 0:
            raise InvalidInput(
                f"{str(self._path)!r} unpacks to more than {self._most_bytes >> 20} MiB, which is "
                f"more than its size can mean; unpack it yourself if it is right"
            )


class _Counted(io.RawIOBase):
    """A stream that takes room for what is read from it."""

    def __init__(self, stream: IO[bytes], room: Room) -> None:
        self._stream = stream
        self._room = room

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401  what io hands over
        piece = self._stream.read(len(buffer))
        self._room.take(len(piece))
        buffer[: len(piece)] = piece
        return len(piece)


def _opened(member: Member, room: Room, covers: int) -> Iterator[Member]:
    """Yield what ``member`` covers, or itself where it covers nothing."""
    if covers > _MOST_COVERS:
        raise InvalidInput(f"{member.name!r} is compressed more than {_MOST_COVERS} times over")
    head = member.stream.peek(_LOOK_BYTES)
    inner = _decompressed(member, room, head)
    if inner is not None:
        yield from _opened(inner, room, covers + 1)
    elif head.startswith(b"PK\x03\x04"):
        yield from _unzipped(member, room, covers)
    elif head[_TAR_MARK] == b"ustar":
        yield from _untarred(member, room, covers)
    else:
        yield member


def _decompressed(member: Member, room: Room, head: bytes) -> Member | None:
    """Return the file that was compressed, or nothing."""
    stream: IO[bytes]
    if head.startswith(b"\x1f\x8b"):
        stream = cast("IO[bytes]", gzip.GzipFile(fileobj=member.stream, mode="rb"))
    elif head.startswith(b"BZh"):
        stream = bz2.BZ2File(member.stream, "rb")
    elif head.startswith(b"\xfd7zXZ\x00"):
        stream = lzma.LZMAFile(member.stream, "rb")  # noqa: SIM115  the caller reads it
    else:
        return None
    name = member.name.removesuffix(".gz").removesuffix(".bz2").removesuffix(".xz")
    return Member(name, _buffered(stream, room), member.position)


def _unzipped(member: Member, room: Room, covers: int) -> Iterator[Member]:
    """Yield the files of a zip archive, in the order of its list."""
    # The list of a zip is at its end, so one inside another is read whole.
    whole = member.stream if member.stream.seekable() else io.BytesIO(_whole(member))
    with zipfile.ZipFile(whole) as archive:
        for info in archive.infolist():
            if not info.is_dir():
                with archive.open(info) as stream:
                    inner = Member(info.filename, _buffered(stream, room), member.position)
                    yield from _opened(inner, room, covers + 1)


def _whole(member: Member) -> bytes:
    """Return all of an archive that is inside another."""
    found = member.stream.read(MOST_INNER_BYTES + 1)
    if len(found) > MOST_INNER_BYTES:
        raise InvalidInput(
            f"{member.name!r} is a zip inside an archive and longer than "
            f"{MOST_INNER_BYTES >> 20} MiB; unpack the outer one first"
        )
    return found


def _untarred(member: Member, room: Room, covers: int) -> Iterator[Member]:
    """Yield the files of a tar archive as they come."""
    with tarfile.open(fileobj=member.stream, mode="r|") as archive:
        for info in archive:
            stream = archive.extractfile(info) if info.isfile() else None
            if stream is not None:
                inner = Member(info.name, _buffered(stream, room), member.position)
                yield from _opened(inner, room, covers + 1)


def _buffered(stream: IO[bytes], room: Room) -> io.BufferedReader:
    """Return ``stream`` with a buffer that can be looked into."""
    return io.BufferedReader(_Counted(stream, room), _BUFFER_BYTES)
