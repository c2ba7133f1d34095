"""Spark answers the loop as the contract of its ports says."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest

from albic.control.ports import News
from albic.spark.elasticity import AskedExecutors
from albic.spark.providers import LocalNodes
from albic.spark.runtime import SparkRuntime
from albic.spark.session import LocalCluster
from tests.contracts.suite import ElasticityContract, PortsContract, measured
from tests.spark.conftest import PATIENCE_S, Watched, counts


@dataclass
class SparkRig:
    runtime: SparkRuntime
    cluster: LocalCluster
    watched: Watched

    @property
    def statistics(self) -> SparkRuntime:
        return self.runtime

    placement = statistics

    def run(self, batches: int) -> News:
        return self.until(lambda news: news.batches >= batches)

    def until(self, enough: Callable[[News], bool]) -> News:
        """Observe again and again, as the loop does, until the news are enough."""
        ends_s = time.monotonic() + PATIENCE_S
        told = News()
        while not enough(told):
            assert time.monotonic() < ends_s, f"no more than {told}"
            assert self.watched.query.isActive, self.watched.query.exception()
            news = self.runtime.observe()
            told = News(
                told.batches + news.batches, told.joined + news.joined, told.lost + news.lost
            )
            time.sleep(0.02)
        return told

    def lose(self) -> tuple[str, News]:
        """Kill the executor that owns the first key group; another takes its place first."""
        self.cluster.add_node()
        self.until(lambda news: len(news.joined) > 0)
        snapshot = self.runtime.snapshot()
        victim = snapshot.cluster.nodes[snapshot.allocation.owner[0]].id
        self.watched.executors.look()
        (host,) = [one.host for one in self.watched.executors.live() if one.id == victim]
        self.cluster.remove_node(host)
        return victim, self.until(lambda news: victim in news.lost)


@pytest.fixture
def made(spark, cluster, bridge, watch) -> Iterator[Callable[[], SparkRig]]:
    rigs: list[SparkRig] = []

    def make() -> SparkRig:
        watched = watch(counts(spark), f"ports_{time.monotonic_ns()}", "complete")
        runtime = SparkRuntime(bridge, [watched.query], {}, per_batch=2, steers=True)
        rigs.append(SparkRig(runtime, cluster, watched))
        return rigs[-1]

    yield make
    for rig in rigs:
        rig.runtime.close()


@dataclass
class ElasticSparkRig(SparkRig):
    elasticity: AskedExecutors


@pytest.fixture
def resized(cluster) -> Iterator[LocalCluster]:
    """Give the cluster to a test, and bring it back to as many nodes as it had."""
    nodes = len(cluster.hosts)
    yield cluster
    for host in cluster.hosts[nodes:]:
        cluster.remove_node(host)
    while len(cluster.hosts) < nodes:
        cluster.add_node()


class TestSparkElasticity(ElasticityContract):
    @pytest.fixture
    def elastic(self, made, resized, bridge) -> ElasticSparkRig:
        rig = made()
        rig.run(2)
        measured(rig)
        ends_s = time.monotonic() + PATIENCE_S
        while rig.runtime.usable() != bridge.executor_ids():
            assert time.monotonic() < ends_s, "not every executor became warm"
            rig.run(1)
        asked = AskedExecutors(bridge.manager(), LocalNodes(resized, bridge), rig.runtime)
        return ElasticSparkRig(rig.runtime, rig.cluster, rig.watched, asked)


class TestSparkRuntime(PortsContract):
    @pytest.fixture
    def unborn(self, made) -> SparkRig:
        return made()

    @pytest.fixture
    def rig(self, made) -> SparkRig:
        rig = made()
        rig.run(2)
        measured(rig)
        return rig
