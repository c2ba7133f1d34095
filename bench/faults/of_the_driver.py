"""The fault of all faults: the driver is gone from one moment to the next."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

from bench.child import ROOT
from bench.faults.fault import Fault, Struck

KILL = "kill -9 the driver"
#: The batch in whose middle it dies; by then something was moved.
AFTER_BATCHES = 3
MODULE = "bench.faults.driver"


def _by_itself(struck: Struck) -> None:
    """Strike nothing here: a driver of its own dies, with a cluster of its own."""
    del struck


def killed_and_restarted(folder: Path, case: str, mode: str, seed: int) -> dict[str, Any]:
    """Run a job in a driver that is killed, and again from its checkpoint; return what came out."""
    words = [sys.executable, "-m", MODULE, str(folder), case, mode, str(seed)]
    with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as first:  # noqa: S603
        try:
            _read_until(first.stdout, f"batch {AFTER_BATCHES}")
        finally:
            first.send_signal(signal.SIGKILL)
    done = subprocess.run(  # noqa: S603  our own program
        [*words, "--again"], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )
    if done.returncode:
        raise RuntimeError(f"the driver that was started again failed:\n{done.stderr[-2000:]}")
    said: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return said


def _read_until(stream: IO[str] | None, line: str) -> None:
    for said in stream or ():
        if said.strip() == line:
            return
    raise RuntimeError(f"the driver ended before it said {line!r}")


FAULTS = (Fault(KILL, "and start again from the checkpoint", _by_itself),)
