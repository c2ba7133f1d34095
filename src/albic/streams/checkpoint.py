"""The files of a checkpoint: which batch ended last, and how far each source was read.

Spark keeps a log of offsets, written before a batch, and a log of commits, written after it. Both
are one small file a batch. The first lines of an entry are its version and Spark's words about the
batch; then comes a line for each of Spark's sources.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from albic.model import InvalidInput

#: The version of Spark's logs that is known here.
VERSION = "v1"
#: How Spark writes that a source has not been read yet.
NOTHING = "-"


@dataclass(frozen=True, slots=True)
class Batch:
    """One entry of the log of offsets: where each of Spark's sources ends, None where unread."""

    number: int
    about: Mapping[str, Any]
    offsets: tuple[str | None, ...]

    def text(self) -> str:
        """Return it as Spark writes it."""
        lines = [NOTHING if offset is None else offset for offset in self.offsets]
        return "\n".join([VERSION, json.dumps(self.about), *lines])


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint as it is now.

    ``last`` is the number of the last batch that ended. ``batches`` has that one, the one before it
    if there was one, and the next one if it has begun.
    """

    folder: Path
    query: str
    last: int
    batches: tuple[Batch, ...]

    @property
    def offsets(self) -> tuple[str | None, ...]:
        """Return how far each of Spark's sources was read by the last batch that ended."""
        return next(batch.offsets for batch in self.batches if batch.number == self.last)

    def file(self, log: str, number: int) -> Path:
        """Return the file of one batch in one log."""
        return self.folder / log / str(number)


def folder_of(checkpoint: str | Path) -> Path:
    """Return a checkpoint as a folder; refuse an address that is none."""
    text = str(checkpoint)
    scheme, colon, rest = text.partition(":")
    if colon and scheme == "file":
        return Path("/" + rest.lstrip("/"))
    if colon and "/" not in scheme:
        raise InvalidInput(
            f"the checkpoint {text} is not a folder that this machine can see; "
            f"mount it or copy it, and name the folder"
        )
    return Path(text)


def read_checkpoint(checkpoint: str | Path) -> Checkpoint:
    """Return what the logs say; refuse a folder that is no checkpoint, or a damaged one."""
    folder = folder_of(checkpoint)
    if not folder.is_dir():
        raise InvalidInput(f"there is no checkpoint {folder}")
    for name in ("metadata", "offsets", "commits", "state"):
        if not (folder / name).exists():
            raise InvalidInput(f"{folder} is no checkpoint of a network: it has no {name!r}")
    ended = _numbers(folder / "commits")
    if not ended:
        raise InvalidInput(f"no batch has ended in {folder} yet; there is nothing to take from it")
    last = max(ended)
    _, about = _entry(folder / "commits" / str(last), 2)
    if about.get("stateUniqueIds"):
        raise InvalidInput(
            f"{folder / 'commits' / str(last)} was written with format 2 of Spark's state "
            f"checkpoints; albic reads format 1"
        )
    begun = _numbers(folder / "offsets")
    if last not in begun:
        raise InvalidInput(f"{folder} is damaged: {folder / 'offsets' / str(last)} is not there")
    wanted = sorted({last - 1, last, last + 1} & begun)
    batches = tuple(_batch(folder / "offsets" / str(number), number) for number in wanted)
    return Checkpoint(folder, _query(folder / "metadata"), last, batches)


def _numbers(log: Path) -> set[int]:
    return {int(file.name) for file in log.iterdir() if file.name.isdecimal()}


def _query(file: Path) -> str:
    try:
        return str(json.loads(file.read_text(encoding="utf-8"))["id"])
    except (ValueError, KeyError, TypeError, OSError) as wrong:
        raise InvalidInput(f"{file} is damaged: it does not name a query") from wrong


def _batch(file: Path, number: int) -> Batch:
    lines, about = _entry(file, 3)
    offsets = tuple(None if line == NOTHING else line for line in lines[2:])
    return Batch(number, about, offsets)


def _entry(file: Path, least: int) -> tuple[list[str], dict[str, Any]]:
    """Return the lines of an entry, of which there are some, and Spark's words about its batch."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
        version, about = lines[0], json.loads(lines[1])
    except (ValueError, IndexError, OSError) as wrong:
        raise InvalidInput(f"{file} is damaged: {wrong}") from wrong
    if version != VERSION:
        raise InvalidInput(f"{file} is written in version {version!r}; albic reads {VERSION!r}")
    if len(lines) < least or not isinstance(about, dict):
        raise InvalidInput(f"{file} is damaged: it ends too early")
    return lines, about
