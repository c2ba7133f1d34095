"""Faults of the checkpoint; it lies on a file system of its own, so that nobody else is struck."""

import subprocess
import time
from pathlib import Path

from bench.faults.fault import MOUNTS, Fault, Struck

#: Room for a checkpoint and not much more.
ROOM_MB = 96
PATIENCE_S = 10.0


def mount(folder: Path) -> None:
    """Put a small file system of its own at ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    _run("mount", "-t", "tmpfs", "-o", f"size={ROOM_MB}m", "tmpfs", str(folder))


def unmount(folder: Path) -> None:
    """Take it away with all that is on it."""
    _run("umount", "--lazy", str(folder))


def _run(*words: str) -> None:
    subprocess.run(words, check=True, capture_output=True)  # noqa: S603  our own words


def _fill(struck: Struck) -> None:
    filler = struck.folder / "checkpoint" / "filler"
    try:
        with filler.open("wb", buffering=0) as stream:
            while True:
                stream.write(b"\0" * 2**20)
    except OSError:
        struck.healing.append(filler.unlink)


def _read_only(struck: Struck) -> None:
    folder = struck.folder / "checkpoint"
    ends_s = time.monotonic() + PATIENCE_S
    # As long as a file there is being written, the system refuses.
    while True:
        try:
            _run("mount", "-o", "remount,ro", str(folder))
            break
        except subprocess.CalledProcessError:
            if time.monotonic() > ends_s:
                raise
            time.sleep(0.02)
    struck.healing.append(lambda: _run("mount", "-o", "remount,rw", str(folder)))


def _remove_state(struck: Struck) -> None:
    files = [path for path in (struck.folder / "checkpoint" / "state").rglob("*") if path.is_file()]
    versions = [path for path in files if path.suffix in {".changelog", ".delta", ".zip"}]
    newest = max(versions, key=lambda path: path.stat().st_mtime, default=None)
    if newest is not None:
        newest.unlink(missing_ok=True)
        newest.with_name(f".{newest.name}.crc").unlink(missing_ok=True)


FAULTS = (
    Fault(
        "fill the disk", "no room in the checkpoint for the rest of the batch", _fill, needs=MOUNTS
    ),
    Fault("make the disk read-only", "for the rest of the batch", _read_only, needs=MOUNTS),
    Fault("remove the newest state file", "one version of one store", _remove_state, fatal=True),
)
