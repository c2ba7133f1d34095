"""Planners of other packages are found by name, and broken ones are told, not thrown."""

import logging
import sys
import tomllib
from pathlib import Path

import pytest

from albic.model import InvalidInput, PlanRejected
from albic.planners import PLANNERS, find_planner, planner_names
from albic.planners.hold import HoldPlanner
from tests.plugins import installed
from tests.worlds import world

EXAMPLE = Path(__file__).parents[3] / "examples" / "own_planner"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a way to install packages for the length of a test."""

    def install(name: str, code: str, **planners: str) -> None:
        folder = tmp_path / name
        installed(folder, name, {f"{name}.py": code}, planners)
        monkeypatch.syspath_prepend(folder)
        monkeypatch.delitem(sys.modules, name, raising=False)

    return install


def test_the_example_is_found_and_plans(tmp_path, monkeypatch) -> None:
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    code = (EXAMPLE / "one_by_one.py").read_text(encoding="utf-8")
    planners = project["entry-points"]["albic.planners"]
    installed(tmp_path, project["name"], {"one_by_one.py": code}, planners)
    monkeypatch.syspath_prepend(tmp_path)
    assert planner_names() == (*PLANNERS, "one-by-one")
    plan = find_planner("one-by-one").plan(world("a: 30 20 10 | b:"))
    assert sorted(plan.target.owner.tolist()) in ([0, 0, 1], [0, 1, 1])
    with pytest.raises(InvalidInput, match="did you mean one-by-one"):
        find_planner("one-by-two")


def test_without_packages_the_names_are_ours() -> None:
    assert planner_names() == tuple(PLANNERS)
    with pytest.raises(InvalidInput, match="there is no planner 'xyz'; known are albic"):
        find_planner("xyz")


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("import nothing_of_that_name", "cannot be loaded: ModuleNotFoundError"),
        ("def broken(:", "cannot be loaded: SyntaxError"),
        ("raise SystemExit(3)", "cannot be loaded: SystemExit"),
        ("", "cannot be loaded: AttributeError"),
        ("Mine = 3", "is no class or function"),
        ("class Mine:\n  def __init__(self, x): pass", "cannot be made: TypeError"),
        ("class Mine: pass", r"has no method plan\(request\)"),
        ("def Mine():\n  return dict", "is the class dict"),
    ],
)
def test_a_broken_package_is_named_with_what_is_wrong(package, code: str, told: str) -> None:
    package("broken_one", code, mine="broken_one:Mine")
    with pytest.raises(InvalidInput, match=told) as wrong:
        find_planner("mine")
    assert "the planner 'mine' of the package broken_one 1.0" in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_a_planner_that_fails_or_answers_nonsense_is_told(package) -> None:
    package("failing", "class Mine:\n  def plan(self, request): return 1 / 0", mine="failing:Mine")
    with pytest.raises(InvalidInput, match=r"package failing 1\.0 failed: ZeroDivisionError"):
        find_planner("mine").plan(world("a: 1 | b:"))
    package("mumbling", "class Other:\n  def plan(self, request): return 7", other="mumbling:Other")
    with pytest.raises(InvalidInput, match="answered with 'int'"):
        find_planner("other").plan(world("a: 1 | b:"))


def test_what_a_planner_says_on_purpose_is_passed_on(package) -> None:
    code = (
        "from albic.model import PlanRejected\n"
        "class Mine:\n  def plan(self, request): raise PlanRejected(['too many nodes'])"
    )
    package("honest", code, mine="honest:Mine")
    with pytest.raises(PlanRejected, match="too many nodes"):
        find_planner("mine").plan(world("a: 1 | b:"))


def test_a_name_of_ours_stays_ours(package, caplog) -> None:
    package("greedy_package", "Mine = 3", hold="greedy_package:Mine")
    assert isinstance(find_planner("hold"), HoldPlanner)
    with caplog.at_level(logging.WARNING):
        assert planner_names() == tuple(PLANNERS)
    assert "of the package greedy_package 1.0 is ignored" in caplog.text


def test_two_packages_with_one_name_are_both_told(package) -> None:
    package("first_one", "Mine = 3", mine="first_one:Mine")
    package("second_one", "Mine = 3", mine="second_one:Mine")
    with pytest.raises(InvalidInput, match="two packages bring a planner 'mine'"):
        find_planner("mine")


def test_an_object_that_plans_is_taken_as_it_is() -> None:
    mine = HoldPlanner()
    assert find_planner(mine) is mine
    with pytest.raises(InvalidInput, match="is 'int' and has no method plan"):
        find_planner(3)
    with pytest.raises(InvalidInput, match=r"the class HoldPlanner; make one: HoldPlanner\(\)"):
        find_planner(HoldPlanner)
