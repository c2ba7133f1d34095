"""The embedded cluster leaves nothing behind, however it ends."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from albic.model import InvalidInput
from albic.spark.session import local_cluster

SCRIPT = """
import sys
from albic.spark.session import local_cluster
cluster = local_cluster(nodes=1)
print(cluster.logs, flush=True)
{ending}
"""


def started(ending: str) -> tuple[subprocess.Popen[str], Path]:
    """Return a process with a cluster of its own, once that is up, and the cluster's folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT.format(ending=ending)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def mentioning(folder: Path) -> list[int]:
    """Return the processes whose command line names ``folder``; all JVMs of a cluster do."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if folder.name.encode() in command:
                found.append(int(entry.name))
    return found


def gone(folder: Path) -> bool:
    """Wait until no process of the cluster is left."""
    ends_s = time.monotonic() + 40
    while mentioning(folder):
        if time.monotonic() > ends_s:
            return False
        time.sleep(0.1)
    return True


def test_a_script_that_ends_with_an_error_leaves_no_process_and_no_file() -> None:
    process, folder = started("raise RuntimeError('on purpose')")
    assert folder.name.startswith("albic-cluster-")
    _, said = process.communicate(timeout=100)
    assert process.returncode == 1
    last = said.strip().splitlines()
    assert last[-1] == "RuntimeError: on purpose"
    assert not any("WARN" in line for line in last), "Spark's log is on the screen"
    assert gone(folder)
    assert not folder.exists()


def test_a_killed_script_leaves_no_process() -> None:
    process, folder = started("import time; time.sleep(100)")
    assert mentioning(folder)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=10)
    assert gone(folder)
    # Nobody was left to delete its files.
    shutil.rmtree(folder)


def test_nonsense_is_refused_before_anything_starts() -> None:
    with pytest.raises(InvalidInput, match="nodes is 0"):
        local_cluster(nodes=0)
    with pytest.raises(InvalidInput, match="slots is 0"):
        local_cluster(slots=0)


def test_one_process_has_one_cluster(cluster) -> None:
    assert cluster.spark is not None
    with pytest.raises(InvalidInput, match="already runs"):
        local_cluster(nodes=1)
