"""The folder in which a checkpoint is made: gone after errors, swept after a kill, else kept."""

import os
import signal
import subprocess
import sys

import pytest

from albic.streams import beside as module
from albic.streams.beside import beside, sweep_beside

#: Makes the folder with something in it, says so, and waits to be killed.
OWNER = """
import sys
from pathlib import Path
from albic.streams.beside import beside
with beside(Path(sys.argv[1])) as folder:
    (folder / "half").mkdir()
    print("made", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def owner(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", OWNER, tmp_path / "new"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout.readline() == "made\n"
        yield process
        process.kill()


def names(folder) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


def test_an_error_takes_the_folder_away(tmp_path) -> None:
    def fail() -> None:
        with beside(tmp_path / "new") as folder:
            assert folder.is_dir()
            raise RuntimeError("no space left")

    with pytest.raises(RuntimeError, match="no space"):
        fail()
    assert names(tmp_path) == []


def test_what_a_killed_owner_left_is_swept_and_what_a_live_one_has_is_not(owner, tmp_path) -> None:
    before = names(tmp_path)
    assert len(before) == 2
    sweep_beside(tmp_path / "new")
    assert names(tmp_path) == before
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    assert names(tmp_path) == before
    sweep_beside(tmp_path / "other")
    assert names(tmp_path) == before
    sweep_beside(tmp_path / "new")
    assert names(tmp_path) == []


def test_it_is_found_although_the_place_has_got_its_folder_since(owner, tmp_path) -> None:
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    (tmp_path / "later").mkdir()
    sweep_beside(tmp_path / "later" / "new")
    assert names(tmp_path) == ["later"]


def test_what_another_machine_left_is_not_touched(owner, tmp_path, monkeypatch) -> None:
    os.kill(owner.pid, signal.SIGKILL)
    owner.wait()
    before = names(tmp_path)
    monkeypatch.setattr(module.socket, "gethostname", lambda: "elsewhere")
    sweep_beside(tmp_path / "new")
    assert names(tmp_path) == before
