"""The examples run as they are."""

import subprocess
import sys
from pathlib import Path

EXAMPLES = Path(__file__).parent.parent / "examples"


def test_three_planners_answer_the_same_request_from_python():
    done = subprocess.run(
        [sys.executable, EXAMPLES / "compare_planners.py", EXAMPLES / "snapshot.json"],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert [line.split(":")[0] for line in lines] == ["flux", "search", "joint"]
    assert all(line.endswith(" 0 faults") for line in lines)
