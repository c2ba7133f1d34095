"""JSON files: read with care, written whole or not at all."""

import json
import os
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from albic.model.errors import InvalidInput
from albic.model.fields import Pairs

#: No file of ours is longer, and one that is would fill the memory before it could be refused. It
#: has room for ten million key groups, or for many times what a journal is allowed by default.
MOST_BYTES = 2**29
_PIECE_BYTES = 2**20


def read_bounded(path: Path) -> bytes:
    """Return what is in a file; refuse devices, and files that are too long to be ours."""
    with path.open("rb") as stream:
        return bounded(stream)


def bounded(stream: BinaryIO) -> bytes:
    """Return what is left of an open file, within the same bounds."""
    refuse_device(stream)
    found = bytearray()
    while piece := stream.read(_PIECE_BYTES):
        found += piece
        if len(found) > MOST_BYTES:
            raise InvalidInput(f"is longer than the {MOST_BYTES >> 20} MiB that are read")
    return bytes(found)


def load_document(path: Path) -> object:
    """Return what the JSON file at ``path`` holds; objects remember keys that came twice.

    NaN and Infinity pass here, so that whoever reads the field can name it.
    """
    try:
        text = read_bounded(path).decode("utf-8-sig")
    except OSError as wrong:
        raise InvalidInput(f"cannot be read: {_cause(wrong)}") from None
    except UnicodeDecodeError as wrong:
        raise InvalidInput(f"is not UTF-8 text (byte {wrong.start})") from None
    except ValueError:
        # A NUL in the path itself.
        raise InvalidInput("is not a path that can be read") from None
    try:
        return json.loads(text, object_pairs_hook=Pairs.of)
    except json.JSONDecodeError as wrong:
        raise InvalidInput(
            f"is not JSON: {wrong.msg} at line {wrong.lineno}, column {wrong.colno}"
        ) from None
    except RecursionError:
        raise InvalidInput("is nested too deeply") from None
    except ValueError:
        # Python refuses to read integers of more than 4,300 digits.
        raise InvalidInput("has a number with thousands of digits") from None


def refuse_device(stream: BinaryIO) -> None:
    """Refuse an open file that may have no end."""
    if stat.S_ISCHR(os.fstat(stream.fileno()).st_mode):
        raise InvalidInput("is a device; name a file")


@contextmanager
def blaming(path: Path) -> Iterator[None]:
    """Put the file's name in front of whatever is said to be wrong inside."""
    try:
        yield
    except InvalidInput as wrong:
        raise InvalidInput(f"{str(path)!r}: {wrong}") from None


def document_text(document: Mapping[str, object]) -> str:
    """Return ``document`` as JSON with one field a line; floats read back as they were."""
    fields = [f"  {json.dumps(key)}: {_value_text(value)}" for key, value in document.items()]
    return "{\n" + ",\n".join(fields) + "\n}\n"


def save_document(path: Path, document: Mapping[str, object]) -> None:
    """Write ``document`` to ``path`` as JSON."""
    save_text(path, document_text(document))


def save_text(path: Path, text: str) -> None:
    """Write ``text`` to ``path``; on any failure the old file, or none, is what is there."""
    save_bytes(path, text.encode("utf-8"))


def save_bytes(path: Path, content: bytes) -> None:
    """Write ``content`` to ``path``; on any failure the old file, or none, is what is there."""
    try:
        if path.exists() and not path.is_file():
            # A device or pipe cannot be replaced; a directory refuses by itself.
            path.write_bytes(content)
        else:
            # Through a link, the file it points to is the one to replace.
            _replace(path.resolve(), content)
    except OSError as wrong:
        raise InvalidInput(f"cannot be written: {_cause(wrong)}") from None
    except (ValueError, RuntimeError):
        # A NUL in the path, or links that point at each other.
        raise InvalidInput("is not a path that can be written") from None


def _replace(path: Path, content: bytes) -> None:
    """Put ``content`` into a new file beside ``path``, then let it take that name at one stroke."""
    # Not from tempfile, whose files only their owner may read.
    fresh = path.with_name(f".{secrets.token_hex(8)}.tmp")
    try:
        with fresh.open("xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _value_text(value: object) -> str:
    """Return one field; a list of objects gets a line each."""
    if isinstance(value, list) and value and isinstance(value[0], dict):
        rows = ",\n".join(f"    {json.dumps(row, allow_nan=False)}" for row in value)
        return f"[\n{rows}\n  ]"
    return json.dumps(value, allow_nan=False)


def _cause(wrong: OSError) -> str:
    """Return the system's word for what went wrong, as the middle of a sentence."""
    return (wrong.strerror or "unknown error").lower()
