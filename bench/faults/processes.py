"""The processes of a Spark application on this machine, by what they were started with."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

EXECUTOR = b"org.apache.spark.executor.CoarseGrainedExecutorBackend"
PYTHON = b"pyspark.daemon"


def executors(application: str) -> list[int]:
    """Return the processes of the executors of an application."""
    asked = application.encode()
    return sorted(process for process, words in _all() if EXECUTOR in words and asked in words)


def python_workers(application: str) -> list[int]:
    """Return the Python processes that work for the executors of an application."""
    parents = {process: _parent(process) for process, words in _all() if PYTHON in words}
    daemons = {process for process, parent in parents.items() if parent in executors(application)}
    # A daemon forks the workers; killing it would be another fault.
    return sorted(process for process, parent in parents.items() if parent in daemons)


def of_application(application: str) -> list[int]:
    """Return everything that was started for an application."""
    return sorted(process for process, words in _all() if application.encode() in words)


def send(process: int, what: signal.Signals) -> None:
    """Send a signal; one that is gone already needs none."""
    with suppress(ProcessLookupError):
        os.kill(process, what)


def _all() -> Iterator[tuple[int, list[bytes]]]:
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield int(entry.name), (entry / "cmdline").read_bytes().split(b"\0")


def _parent(process: int) -> int | None:
    with suppress(OSError):
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
    return None
