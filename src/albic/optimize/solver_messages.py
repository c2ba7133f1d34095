"""What goes over the pipe between us and the solver's process; light, for both sides load it."""

import io
from enum import StrEnum
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

#: What every message begins with; anything else on the pipe is nonsense.
MARK = b"albic/1:"
#: The bytes after it, which tell how long the message is.
LENGTH = 8

Message = dict[str, npt.NDArray[Any]]


class Status(StrEnum):
    """How a solve ended, or that it has not."""

    OPTIMAL = "optimal"
    TIME_LIMIT = "time_limit"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    FAILED = "failed"
    RUNNING = "running"


def send(stream: BinaryIO, **parts: npt.ArrayLike) -> None:
    """Write one message: named arrays, preceded by mark and length."""
    body = io.BytesIO()
    arrays: dict[str, Any] = {name: np.asarray(part) for name, part in parts.items()}
    np.savez(body, **arrays)
    stream.write(MARK + body.tell().to_bytes(LENGTH, "little"))
    stream.write(body.getbuffer())
    stream.flush()


def receive(stream: BinaryIO) -> Message | None:
    """Return the next message, or None where the stream ends or is no stream of messages."""
    header = stream.read(len(MARK) + LENGTH)
    if len(header) < len(MARK) + LENGTH or not header.startswith(MARK):
        return None
    size = int.from_bytes(header[len(MARK) :], "little")
    body = stream.read(size)
    if len(body) < size:
        return None
    with np.load(io.BytesIO(body), allow_pickle=False) as parts:
        return dict(parts)
