"""A server in this process: a job under a controller, and one that only has a journal."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason='the page needs "albic[serve]"')

from fastapi.testclient import TestClient

from albic.control import Controller, Settings
from albic.control.clock import WallClock
from albic.control.planner_choice import ChosenPlanner
from albic.control.ports import News
from albic.planners import find_planner
from albic.serve import Job, Jobs, Serving, job_of_controller, jobs_of_journals
from albic.serve.app import application
from tests.unit.control.fakes import World, controller
from tests.unit.live.journals import story, written

TOKEN = "a-token-for-tests-only"  # noqa: S105  not a secret
MAY = {"Authorization": f"Bearer {TOKEN}"}
HERE = Serving(token=TOKEN)
BASE = "http://127.0.0.1:8777"


class Endless(World):
    """A job that goes on, and whose load comes back after every plan."""

    def observe(self) -> News:
        return News()

    def apply(self, plan, snapshot) -> None:
        super().apply(plan, snapshot)
        self.present = None


def begun(steady: Controller) -> Controller:
    """Start a controller and return it once it plans: until then every round is not ready."""
    steady.start()
    ended_s = time.monotonic() + 30
    while steady._rehearsal.ident is None and time.monotonic() < ended_s:
        time.sleep(0.01)
    steady._rehearsal.join(30)
    return steady


@dataclass
class Site:
    """A server, the job behind it and its controller."""

    client: TestClient
    job: Endless
    steady: Controller
    journal: Path
    jobs: Jobs


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Return a server with a controller at work ("orders") and a journal ("old")."""
    job = Endless()
    steady = controller(
        job,
        Settings(time_limit_s=5.0),
        planner=ChosenPlanner(find_planner, "flux"),
        clock=WallClock(),
    )
    journal = written(tmp_path / "old.jsonl", *story())
    old: list[Job] = list(jobs_of_journals([journal]))
    jobs = Jobs([job_of_controller(steady, "orders"), *old])
    app = application(jobs, HERE, ("flux", "hold"))
    begun(steady)
    with TestClient(app, base_url=BASE, raise_server_exceptions=False) as client:
        yield Site(client, job, steady, journal, jobs)
    steady.stop()
