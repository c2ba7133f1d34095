"""What an extra brings may be missing: the rest works, and a sentence names the remedy."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from albic.extras import EXTRA_OF, MissingExtra, lacking

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BARE = f"import sys; sys.modules.update(dict.fromkeys({sorted(set(EXTRA_OF) - {'pydantic'})}))\n"


def bare(program: str) -> subprocess.CompletedProcess[str]:
    """Run a program where no extra is installed."""
    # pydantic comes with typer as well, so an environment without extras may have it.
    return subprocess.run(
        [sys.executable, "-c", BARE + program], capture_output=True, text=True, check=False
    )


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return bare(f"from albic.cli import main; sys.exit(main({list(arguments)}))")


def test_the_table_names_extras_that_exist() -> None:
    assert set(EXTRA_OF.values()) == set(PROJECT["optional-dependencies"])


def test_the_table_has_what_each_extra_asks_for() -> None:
    for extra, asked in PROJECT["optional-dependencies"].items():
        names = {re.split(r"[\[ ><=]", one)[0].replace("-", "_") for one in asked}
        brought = {package for package, brings in EXTRA_OF.items() if brings == extra}
        assert names - {"protobuf"} <= brought


@pytest.mark.parametrize("arguments", [["--version"], ["reproduce", "--list"], ["config", "show"]])
def test_what_needs_no_extra_works_without(arguments: list[str]) -> None:
    done = command(*arguments)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_plan_needs_no_extra(tmp_path: Path) -> None:
    made = str(tmp_path / "s.json")
    assert command("snapshot", "synth", "--nodes", "4", "-o", made).returncode == 0
    assert command("plan", made, "--max-migrations", "2", "--json").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "remedy"),
    [
        (["demo"], "spark,figures"),
        (["run", "job1"], "spark,data,figures"),
        (["run", "swing"], "spark,data,figures"),
        (["serve", "journal.jsonl"], "serve"),
        (["reproduce", "all", "--quick"], "figures"),
        (["data", "list"], "spark"),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(value),
)
def test_a_command_names_the_extra_it_lacks(arguments: list[str], remedy: str) -> None:
    done = command(*arguments)
    assert done.returncode == 2
    (told,) = done.stderr.splitlines()
    assert told.endswith(f'pip install "albic[{remedy}]"')


@pytest.mark.parametrize(
    ("program", "remedy"),
    [
        ("import albic; albic.attach", "spark"),
        ("import albic; albic.local_cluster", "spark"),
        ("import albic.streams", "spark"),
        ("import albic.serve", "serve"),
        ("from albic.jobs.datasets import flights", "spark"),
        ("from albic.jobs.stores import opened; opened('postgresql://h/d')", "postgres"),
    ],
)
def test_a_name_in_python_names_the_extra_it_lacks(program: str, remedy: str) -> None:
    told = bare(program).stderr.splitlines()[-1]
    assert told.endswith(f'pip install "albic[{remedy}]"')


def test_a_module_of_ours_that_is_missing_is_no_matter_of_extras() -> None:
    missing = ModuleNotFoundError("No module named 'albic.nope'", name="albic.nope")
    assert lacking("albic plan", missing) is missing


def test_what_was_named_once_is_not_named_again() -> None:
    missing = ModuleNotFoundError(name="pyspark.sql")
    named = lacking("albic demo", missing, "spark,figures")
    assert isinstance(named, MissingExtra)
    assert lacking("albic", named) is named
