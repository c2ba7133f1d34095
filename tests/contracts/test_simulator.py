"""The simulator answers the loop as Spark does."""

from dataclasses import dataclass

import pytest

from albic.control.ports import News
from albic.sim import COMPUTE_ONLY, Loss, SimulatedJob, World, steady_scene, synthetic
from tests.contracts.suite import ElasticityContract, PortsContract


@dataclass
class SimulatedRig:
    job: SimulatedJob

    @property
    def statistics(self) -> SimulatedJob:
        return self.job

    placement = elasticity = statistics

    def run(self, batches: int) -> News:
        told: list[News] = []
        while sum(news.batches for news in told) < batches:
            self.job.clock.sleep_until(self.job.next_step_ends_s)
            told.append(self.job.observe())
        return News(
            batches=sum(news.batches for news in told),
            joined=sum((news.joined for news in told), ()),
            lost=sum((news.lost for news in told), ()),
        )

    def lose(self) -> tuple[str, News]:
        """Run until the script of the rig takes its node away."""
        news = self.run(20 - len(self.job.history))
        return "node-002", news


def rig_at(batches: int) -> SimulatedRig:
    """Return three nodes and twelve key groups; the third node fails at the 20th step's end."""
    snapshot = synthetic(3, 12, 2, varies_pct=20, one_to_one=0.5, seed=1)
    world = World(costs=COMPUTE_ONLY, step_s=10.0, events=(Loss(19, "node-002"),))
    rig = SimulatedRig(SimulatedJob(steady_scene(snapshot), world))
    rig.run(batches)
    return rig


class TestSimulatedJob(PortsContract, ElasticityContract):
    @pytest.fixture
    def unborn(self) -> SimulatedRig:
        return rig_at(0)

    @pytest.fixture
    def rig(self) -> SimulatedRig:
        return rig_at(2)

    @pytest.fixture
    def elastic(self) -> SimulatedRig:
        return rig_at(2)
