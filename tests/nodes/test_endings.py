"""However the owner of nodes ends, nothing of them stays."""

import os
import signal
import subprocess
import sys
import time

import pytest

from albic.nodes.isolated import IsolatedNodes
from tests.nodes.programs import left, number_of

SCRIPT = """
import signal, subprocess, sys, time
from pathlib import Path
from albic.nodes.isolated import IsolatedNodes
from albic.nodes.limits import NodeLimits
# Whoever runs the tests in the background ignores it, and so would we.
signal.signal(signal.SIGINT, signal.default_int_handler)
nodes = IsolatedNodes(Path(sys.argv[1]))
host = nodes.add(NodeLimits(cpu=0.5, rate=10**8))
subprocess.Popen([*nodes.entry(host), "sleep", "100"], stdin=-3, stdout=-3)  # -3: DEVNULL
print(nodes.address, nodes._watchdog.pid, flush=True)
time.sleep(100)
"""


def started(tmp_path) -> tuple[subprocess.Popen[str], int, int]:
    """Return a process that owns nodes, their number, and the process that sweeps up."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    address, watchdog = process.stdout.readline().split()
    return process, number_of(address), int(watchdog)


def gone(number: int) -> bool:
    ends_s = time.monotonic() + 30
    while left(number):
        if time.monotonic() > ends_s:
            return False
        time.sleep(0.05)
    return True


@pytest.mark.parametrize(
    "signal_", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT], ids=["TERM", "KILL", "INT"]
)
def test_nothing_stays_of_an_owner_that_was_killed(signal_, tmp_path) -> None:
    process, number, _ = started(tmp_path)
    assert left(number)
    process.send_signal(signal_)
    process.communicate(timeout=20)
    assert gone(number), left(number)


def test_what_nobody_swept_is_swept_at_the_next_start(tmp_path) -> None:
    process, number, watchdog = started(tmp_path)
    os.kill(watchdog, signal.SIGKILL)
    process.kill()
    process.communicate(timeout=20)
    assert left(number)
    nodes = IsolatedNodes()
    mine = number_of(nodes.address)
    nodes.close()
    assert mine == number or left(number) == []
    assert left(mine) == []


def test_what_has_an_owner_is_not_swept(tmp_path) -> None:
    process, number, _ = started(tmp_path)
    before = left(number)
    IsolatedNodes().close()
    assert left(number) == before
    process.kill()
    process.communicate(timeout=20)
    assert gone(number)
