"""The tutorial is run as it stands on its page."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "tutorial.md"
BLOCK = re.compile(r"<!-- run: tests/spark/test_tutorial.py -->\n```(\w*)\n(.*?)^```$", re.M | re.S)

pytestmark = [
    pytest.mark.spark,
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux has 127.0.0.10 by itself"),
]


def program() -> str:
    """Return the blocks of the page as one program; commands of the shell are called from it."""
    parts = ["import shlex", "import subprocess", "import sys"]
    for language, text in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
        if language == "python":
            parts.append(text)
        else:
            words = text.strip().removeprefix("albic ")
            parts.append(f"told = [sys.executable, '-m', 'albic', *shlex.split({words!r})]")
            parts.append("subprocess.run(told, check=True)")
    return "\n".join(parts)


def test_the_tutorial_runs_as_it_stands_and_leaves_a_journal_that_can_be_read(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", program()], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "proposed" in done.stdout or "held" in done.stdout or "applied" in done.stdout
    assert (tmp_path / "views-checkpoint" / "albic-journal.jsonl").stat().st_size > 0
