"""The embedded cluster leaves nothing behind, however it ends."""

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from albic.model import InvalidInput
from albic.spark.session import LocalCluster, local_cluster

SCRIPT = """
import sys
from albic.spark.session import local_cluster
cluster = local_cluster(nodes=1, settings={{"spark.sql.shuffle.partitions": "2"}})
# Work that leaves files: state, shuffles, what the JVMs unpack.
source = cluster.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 9)
stream = source.load().groupBy("value").count()
query = stream.writeStream.format("noop").outputMode("update").trigger(availableNow=True).start()
query.awaitTermination()
print(cluster.logs, flush=True)
{ending}
"""


STARTING = """
import time
from albic.spark.session import local_cluster
print("starting", flush=True)
cluster = local_cluster(nodes=1)
time.sleep(100)
"""


def launched(script: str, tmp_path: Path) -> subprocess.Popen[str]:
    """Return a process with a folder of its own for temporary files: what is left there shows."""
    return subprocess.Popen(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def started(ending: str, tmp_path: Path) -> tuple[subprocess.Popen[str], Path]:
    """Return a process with a cluster of its own, once that is up, and the cluster's folder."""
    process = launched(SCRIPT.format(ending=ending), tmp_path)
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
    ends_s = time.monotonic() + 90
    while mentioning(folder):
        if time.monotonic() > ends_s:
            return False
        time.sleep(0.1)
    return True


def left(folder: Path) -> list[str]:
    """Return what is in ``folder``."""
    return sorted(path.name for path in folder.iterdir())


def test_a_script_that_ends_with_an_error_leaves_no_process_and_no_file(tmp_path) -> None:
    process, folder = started("raise RuntimeError('on purpose')", tmp_path)
    assert folder.name.startswith("albic-cluster-")
    _, said = process.communicate(timeout=100)
    assert process.returncode == 1
    last = said.strip().splitlines()
    assert last[-1] == "RuntimeError: on purpose"
    assert not any("WARN" in line for line in last), "Spark's log is on the screen"
    assert gone(folder)
    assert left(tmp_path) == []


@pytest.mark.parametrize("signal_", [signal.SIGTERM, signal.SIGKILL], ids=["TERM", "KILL"])
def test_a_killed_script_leaves_no_process_and_no_file(signal_, tmp_path) -> None:
    process, folder = started("import time; time.sleep(100)", tmp_path)
    assert mentioning(folder)
    process.send_signal(signal_)
    process.communicate(timeout=10)
    assert process.returncode == -signal_
    assert gone(folder)
    assert left(tmp_path) == []


@pytest.mark.parametrize("after_s", [0.2, 0.8, 3.0])
def test_ctrl_c_while_the_cluster_starts_leaves_no_process_and_no_file(after_s, tmp_path) -> None:
    process = launched(STARTING, tmp_path)
    assert process.stdout is not None
    assert process.stdout.readline() == "starting\n"
    time.sleep(after_s)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=100)
    assert process.returncode == -signal.SIGINT, said
    assert said.strip().splitlines()[-1] == "KeyboardInterrupt"
    assert gone(tmp_path)
    assert left(tmp_path) == []


def test_nonsense_is_refused_before_anything_starts() -> None:
    with pytest.raises(InvalidInput, match="nodes is 0"):
        local_cluster(nodes=0)
    with pytest.raises(InvalidInput, match="slots is 0"):
        local_cluster(slots=0)


def test_one_process_has_one_cluster(cluster) -> None:
    assert cluster.spark is not None
    with pytest.raises(InvalidInput, match="already runs"):
        local_cluster(nodes=1)


def test_what_a_cluster_keeps_is_for_its_owner_alone(cluster: LocalCluster) -> None:
    assert stat.S_IMODE(cluster.logs.stat().st_mode) == 0o700
