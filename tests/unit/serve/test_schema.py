"""Whatever is asked of the API, the answer is one that its own description allows."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings

from albic.control.clock import WallClock
from albic.control.planner_choice import ChosenPlanner
from albic.planners import find_planner
from albic.serve import Jobs, job_of_controller
from albic.serve.app import application
from tests.unit.control.fakes import controller
from tests.unit.serve.conftest import HERE, MAY, Endless, begun

OPERATIONS = [
    (method.upper(), path)
    for path, methods in application(Jobs([]), HERE).openapi()["paths"].items()
    for method in methods
]
#: A failing request is told as it is; to look for a smaller one takes longer than it helps.
CHANCE = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)
#: No description says which planners there are, nor that a period is above 0.
NOT_SAID = {"PATCH": [schemathesis.checks.positive_data_acceptance]}
every_operation = pytest.mark.parametrize(
    ("method", "path"), OPERATIONS, ids=[" ".join(operation) for operation in OPERATIONS]
)


@pytest.fixture(scope="module")
def api() -> Iterator[object]:
    """Return the description of the API of a server with one controller at work."""
    steady = controller(Endless(), planner=ChosenPlanner(find_planner, "flux"), clock=WallClock())
    begun(steady)
    # The name by which Schemathesis calls an application in its own process.
    here = replace(HERE, hosts=("testserver",))
    app = application(Jobs([job_of_controller(steady, "orders")]), here, ("flux", "hold"))
    yield schemathesis.openapi.from_asgi("/api/openapi.json", app)
    steady.stop()


@every_operation
def test_no_request_brings_the_server_down(api, method: str, path: str) -> None:
    @CHANCE
    @given(case=api[path][method].as_strategy())
    def holds(case) -> None:
        if "job" in (case.path_parameters or {}) and len(str(case.path_parameters["job"])) % 2:
            # Names made of chance are never those of a job; every other asks for the one there is.
            case.path_parameters["job"] = "orders"
        case.call_and_validate(headers=MAY, excluded_checks=NOT_SAID.get(method, []))

    holds()


@every_operation
def test_without_the_token_no_request_changes_anything(api, method: str, path: str) -> None:
    @settings(CHANCE, max_examples=5)
    @given(case=api[path][method].as_strategy())
    def holds(case) -> None:
        status = case.call(headers={"Authorization": "Bearer nothing"}).status_code
        assert status < 500
        assert method == "GET" or status == 401

    holds()
