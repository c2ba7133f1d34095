"""The import contracts hold, and each of them notices when it is broken."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

PLANTS = [
    pytest.param("model/metrics.py", "import albic.planners.problem", "layers", id="upwards"),
    pytest.param("optimize/assignment.py", "import albic.model", "layers", id="sideways"),
    pytest.param("utils.py", "", "layers", id="a module without a place"),
    pytest.param("model/allocation.py", "import albic.model.metrics", "acyclic", id="a cycle"),
    pytest.param("planners/problem.py", "import pyspark.sql", "pure-core", id="Spark in a planner"),
    pytest.param("optimize/assignment.py", "import random", "pure-core", id="global randomness"),
    pytest.param("cli/solve.py", "import albic.optimize", "solver-seam", id="solving elsewhere"),
    pytest.param("planners/problem.py", "import highspy", "highspy-home", id="HiGHS astray"),
    pytest.param("optimize/search.py", "import pymetis", "pymetis-home", id="METIS astray"),
    pytest.param("model/metrics.py", "from numba import njit", "numba-home", id="numba astray"),
    pytest.param("planners/problem.py", "import rich.table", "terminal-home", id="rich astray"),
    pytest.param("model/fields.py", "import typer", "terminal-home", id="typer astray"),
    pytest.param("control/loop.py", "import albic.planners", "layers", id="a loop that plans"),
    pytest.param("control/loop.py", "import pyspark", "pure-core", id="Spark in the loop"),
    pytest.param("advice/pace.py", "import albic.control", "layers", id="advice from the loop"),
    pytest.param("config/table.py", "import pyspark", "pure-core", id="Spark in the settings"),
    pytest.param("wiring.py", "import albic.spark.bridge", "jvm-seam", id="the JVM from outside"),
    pytest.param("spark/runtime.py", "import py4j", "py4j-home", id="py4j astray"),
    pytest.param(
        "cli/shared/batch_table.py", "import pyspark.sql", "pyspark-home", id="Spark astray"
    ),
    pytest.param("jobs/stores/sqlite.py", "import psycopg", "psycopg-home", id="psycopg astray"),
    pytest.param("control/loop.py", "import fastapi", "server-home", id="the web in the loop"),
    pytest.param("live/state.py", "import pydantic", "server-home", id="pydantic astray"),
    pytest.param("live/state.py", "import albic.serve", "layers", id="a state that serves"),
    pytest.param("serve/jobs.py", "import albic.wiring", "layers", id="a page that attaches"),
    pytest.param(
        "planners/problem.py", "def f():\n    import highspy", "highspy-home", id="in a function"
    ),
]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Return a copy of the package that may be spoilt."""
    package = tmp_path / "albic"
    shutil.copytree(ROOT / "src" / "albic", package, ignore=shutil.ignore_patterns("__pycache__"))
    return package


def broken(package: Path) -> set[str]:
    """Return the names of the contracts that ``package`` breaks."""
    lint = Path(sys.executable).with_name("lint-imports")
    config = ROOT / "pyproject.toml"
    done = subprocess.run(
        [lint, "--no-logo", "--no-cache", "--config", config],
        cwd=package.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Contracts:" in done.stdout, done.stdout + done.stderr
    return set(re.findall(r"^(.+?) BROKEN", done.stdout, re.MULTILINE))


def name_of(contract: str) -> str:
    config = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.search(rf'^id = "{contract}"\nname = "(.+)"$', config, re.MULTILINE)
    assert found, f"there is no contract {contract}"
    return found[1]


def test_the_code_keeps_all_contracts(copy: Path) -> None:
    assert broken(copy) == set()


@pytest.mark.parametrize(("file", "line", "contract"), PLANTS)
def test_a_planted_violation_is_noticed(copy: Path, file: str, line: str, contract: str) -> None:
    with (copy / file).open("a", encoding="utf-8") as spoilt:
        spoilt.write(f"\n{line}\n")
    assert name_of(contract) in broken(copy)
