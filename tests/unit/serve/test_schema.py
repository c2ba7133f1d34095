"""Whatever is asked of the API, the answer is one that its own description allows."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, settings

schemathesis = pytest.importorskip("schemathesis")

from albic.control.choice import ChosenPlanner  # noqa: E402
from albic.control.clock import WallClock  # noqa: E402
from albic.planners import find_planner  # noqa: E402
from albic.serve import Jobs, job_of_controller  # noqa: E402
from albic.serve.app import application  # noqa: E402
from tests.unit.control.fakes import controller  # noqa: E402
from tests.unit.serve.conftest import HERE, MAY, Endless, begun  # noqa: E402


@pytest.fixture(scope="module")
def api():
    """Return the description of the API of a server with one controller at work."""
    steady = controller(Endless(), planner=ChosenPlanner(find_planner, "flux"), clock=WallClock())
    begun(steady)
    # The name by which Schemathesis calls an application in its own process.
    here = replace(HERE, hosts=("testserver",))
    app = application(Jobs([job_of_controller(steady, "orders")]), here, ("flux", "hold"))
    yield schemathesis.openapi.from_asgi("/api/openapi.json", app)
    steady.stop()


schema = schemathesis.pytest.from_fixture("api")


@schema.parametrize()
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_no_request_brings_the_server_down(case) -> None:
    if "job" in (case.path_parameters or {}) and len(str(case.path_parameters["job"])) % 2:
        # Names made of chance are never those of a job; every other one asks for the one there is.
        case.path_parameters["job"] = "orders"
    case.call_and_validate(headers=MAY)


@schema.parametrize()
@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
def test_without_the_token_no_request_changes_anything(case) -> None:
    answer = case.call(headers={"Authorization": "Bearer nothing"})
    assert answer.status_code < 500
    if case.method not in {"GET", "HEAD", "OPTIONS"}:
        assert answer.status_code in {401, 404, 405, 413}
