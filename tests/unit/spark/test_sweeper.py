"""A cluster's folder goes even when its program is killed."""

import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
import sys, time
from pathlib import Path
from albic.spark.sweeper import sweeper
held = sweeper(Path(sys.argv[1]))
print("ready", flush=True)
time.sleep(100)
"""


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL], ids=["TERM", "KILL"])
def test_the_folder_goes_with_its_program(ending, tmp_path) -> None:
    folder = tmp_path / "with space"
    (folder / "state").mkdir(parents=True)
    (folder / "state" / "file").touch()
    command = [sys.executable, "-c", PROGRAM, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        assert folder.exists()
        program.send_signal(ending)
    ends_s = time.monotonic() + 40
    while folder.exists():
        assert time.monotonic() < ends_s, "nobody deleted it"
        time.sleep(0.05)
    # It stays tidy for executors that are slower to end.
    folder.mkdir()
    while folder.exists():
        assert time.monotonic() < ends_s, "it looked only once"
        time.sleep(0.05)
