"""Every planner, ready to be held to the laws."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis.strategies import SearchStrategy

from albic.model import Plan, PlanRequest
from albic.optimize.solver import Solver
from albic.planners import Planner, find_planner, planner_names

#: So much time, for so little work, that a slow machine finds the same plans as a fast one.
AMPLE_S = 10.0
PROPOSALS_PER_S = 6_000
#: Programs take their time; a tenth of the examples is still every kind of request.
EXACT = {"auto", "milp"}


@dataclass(frozen=True, slots=True)
class Subject:
    """A planner under the laws, with all the time it needs."""

    name: str
    planner: Planner
    keeps_budget: bool

    def plan(self, asked: PlanRequest) -> Plan:
        """Return the plan that does not depend on the machine."""
        return self.planner.plan(replace(asked, time_limit_s=AMPLE_S))

    def obeys(self, law: Callable[..., None], *requests: SearchStrategy[object]) -> None:
        """Hold the planner to ``law`` on many requests."""
        examples = settings.default.max_examples
        share = 5 if self.name in EXACT else 1
        settings(max_examples=max(examples // share, 1))(given(*requests)(law))()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give laws more time than other tests: they try many examples, and the machine may be busy."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.timeout(300))


@pytest.fixture(autouse=True)
def _no_race(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the search few proposals for its time; only here, other tests share the process."""
    monkeypatch.setattr("albic.planners.search.PROPOSALS_PER_S", PROPOSALS_PER_S)


@pytest.fixture(scope="session")
def highs() -> Iterator[Solver]:
    """Return a solver that is running already."""
    with Solver() as running:
        yield running


@pytest.fixture
def subject_of(highs: Solver) -> Callable[[str], Subject]:
    """Return a way to the planner of a name."""

    def made(name: str) -> Subject:
        planner = find_planner(name)
        keeps_budget = planner.keeps_budget  # type: ignore[attr-defined]
        if name in EXACT:
            planner = replace(planner, solver=lambda: nullcontext(highs))  # type: ignore[type-var]
        return Subject(name, planner, keeps_budget)

    return made


@pytest.fixture(params=planner_names())
def subject(request: pytest.FixtureRequest, subject_of: Callable[[str], Subject]) -> Subject:
    """Return each planner in turn."""
    return subject_of(request.param)
