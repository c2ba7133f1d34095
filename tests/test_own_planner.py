"""The example of a planner of one's own: found by the command line, and held to the laws."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.plugins import installed

ROOT = Path(__file__).parent.parent
EXAMPLE = ROOT / "examples" / "own_planner"


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    """Return an environment in which the example is installed."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    code = (EXAMPLE / "one_by_one.py").read_text(encoding="utf-8")
    planners = project["entry-points"]["albic.planners"]
    installed(tmp_path / "site", project["name"], {"one_by_one.py": code}, planners)
    path = [str(tmp_path / "site"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, path))}


def ran(environment: dict[str, str], *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_line_compares_it_with_ours(environment) -> None:
    asked = ("compare", "examples/snapshot.json", "--planners", "one-by-one,search")
    done = ran(environment, "albic", *asked, "--max-migrations", "4")
    assert done.returncode == 0, done.stderr
    assert "one-by-one" in done.stdout


def test_a_broken_package_ends_the_command_with_a_sentence(environment, tmp_path) -> None:
    (tmp_path / "site" / "one_by_one.py").write_text("1 / 0", encoding="utf-8")
    asked = ("plan", "examples/snapshot.json", "--planner", "one-by-one", "--max-migrations", "4")
    done = ran(environment, "albic", *asked)
    assert done.returncode == 2
    assert "package one-by-one 1.0 cannot be loaded: ZeroDivisionError" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_documentation_shows_it_whole_and_it_is_short() -> None:
    code = (EXAMPLE / "one_by_one.py").read_text(encoding="utf-8")
    page = (ROOT / "docs" / "own-planner.md").read_text(encoding="utf-8")
    assert f"```python\n{code}```" in page
    assert len(code.splitlines()) <= 30


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_it_obeys_the_laws(environment) -> None:
    asked = (
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "tests/laws",
        "-k",
        "one-by-one",
        "-m",
        "not slow",
    )
    done = ran({**environment, "HYPOTHESIS_PROFILE": "dev"}, *asked)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert " passed" in done.stdout
