"""The examples run as they are."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"
APPLICATIONS = ("account_balances", "ad_clicks", "sensor_readings", "windowed_counts")


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


@pytest.mark.parametrize("name", APPLICATIONS)
def test_an_application_is_short_and_has_one_line_of_ours(name):
    lines = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 60
    assert sum("albic.attach" in line for line in lines) == 1


@pytest.mark.spark
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has 127.0.0.10 by itself")
@pytest.mark.timeout(400)
@pytest.mark.parametrize("name", APPLICATIONS)
def test_an_application_runs_moves_state_to_the_newcomer_and_leaves_nothing(name, tmp_path):
    here = {"TMPDIR": f"{tmp_path}", "JAVA_TOOL_OPTIONS": f"-Djava.io.tmpdir={tmp_path}"}
    done = subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py"],
        capture_output=True,
        text=True,
        check=False,
        timeout=380,
        env=os.environ | here,
    )
    assert done.returncode == 0, done.stderr
    *table, moved = done.stdout.splitlines()
    assert sum(line.startswith("|") for line in table) > 3, "there is nothing to look at"
    assert re.fullmatch(r"moved: (\d to \d(, )?)+", moved), done.stderr
    # The two that are there from the start are 0 and 1.
    assert " to 2" in moved
    assert "applied" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []
