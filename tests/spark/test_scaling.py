"""Executors come and go while a query runs: they get state, give it back, and no task fails."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

import albic
from albic.control import Settings, read_journal
from albic.control.adaptation import rehearsal
from albic.model import ScalingDecision, ScalingRequest
from albic.planners import PLANNERS
from albic.spark.bridge import Bridge
from albic.spark.elasticity import AskedExecutors
from albic.spark.providers import LocalNodes
from albic.spark.session import LocalCluster
from tests.spark.conftest import PATIENCE_S, counts, exact_counts

INACTIVE_TOO = False


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    PLANNERS["search"]().plan(rehearsal(Settings()))


@pytest.fixture
def spare(cluster: LocalCluster, bridge: Bridge) -> Iterator[LocalCluster]:
    """Give the cluster to a test, and take the nodes back that it added."""
    before = set(cluster.hosts)
    yield cluster
    bridge.manager().request(100)
    for host in set(cluster.hosts) - before:
        cluster.remove_node(host)
    ends_s = time.monotonic() + PATIENCE_S
    while len(bridge.executor_ids()) != len(cluster.hosts):
        assert time.monotonic() < ends_s, "the cluster did not get back to its old size"
        time.sleep(0.1)


class Script:
    """A policy that does what the test says next."""

    def __init__(self) -> None:
        self.next: ScalingDecision | None = None
        self.requests: list[ScalingRequest] = []

    def decide(self, request: ScalingRequest) -> ScalingDecision:
        self.requests.append(request)
        decision, self.next = self.next, None
        return decision or ScalingDecision("nothing to do")


@dataclass
class Stateless:
    """Nobody owns anything, and everybody there is ready."""

    bridge: Bridge

    def holding(self) -> frozenset[str]:
        return frozenset()

    def usable(self) -> frozenset[str]:
        return self.bridge.executor_ids()


def wait_until(true, what: str) -> None:
    ends_s = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < ends_s, what
        time.sleep(0.1)


def failed_tasks(bridge: Bridge) -> int:
    """Return how many tasks failed on executors that are there or were."""
    every = bridge._json.read(bridge._status.executorList(INACTIVE_TOO))
    return sum(executor["failedTasks"] for executor in every)


def test_a_node_joins_gets_state_gives_it_back_and_leaves(
    spark, spare, bridge, watch, tmp_path
) -> None:
    watched = watch(counts(spark), "elastic", "complete")
    old, failed = bridge.executor_ids(), failed_tasks(bridge)
    policy, path = Script(), tmp_path / "journal.jsonl"
    controller = albic.attach(
        watched.query, period="2 batches", scaling=policy, cluster=spare, journal=path
    )
    policy.next = ScalingDecision("the test wants one more", add=1)
    wait_until(lambda: len(bridge.executor_ids()) == len(old) + 1, "no executor came")
    (newcomer,) = bridge.executor_ids() - old
    owners = lambda: set(watched.placement.read_back().values())  # noqa: E731
    wait_until(lambda: newcomer in owners(), "the newcomer got no state")

    policy.next = ScalingDecision("the test wants one fewer", drain=(newcomer,))
    wait_until(lambda: newcomer not in bridge.executor_ids(), "the executor stayed")
    assert newcomer not in owners()
    begun = bridge.last_batch(watched.query)
    wait_until(lambda: bridge.last_batch(watched.query) > begun + 1, "the query stands still")
    assert controller.running
    assert controller.stop()
    watched.query.stop()
    exact_counts(spark, "elastic")
    assert failed_tasks(bridge) == failed

    records = read_journal(path)
    triggers = [record.trigger for record in records]
    assert "arrival" in triggers, "the newcomer was used at once"
    assert "loss" not in triggers, "nobody mourned the one that we let go"
    assert not [record.error for record in records if record.error]
    assert policy.requests[-1].throughput.batch_s > 0


def test_a_draining_node_that_dies_in_the_middle_is_replaced_like_any_other(
    spark, spare, bridge, watch, tmp_path
) -> None:
    watched = watch(counts(spark), "unlucky", "complete")
    old = bridge.executor_ids()
    policy, path = Script(), tmp_path / "journal.jsonl"
    controller = albic.attach(
        watched.query,
        period="2 batches",
        max_migrations=1,
        scaling=policy,
        cluster=spare,
        journal=path,
    )
    policy.next = ScalingDecision("the test wants one more", add=1)
    wait_until(lambda: len(bridge.executor_ids()) == len(old) + 1, "no executor came")
    (newcomer,) = bridge.executor_ids() - old
    owners = lambda: list(watched.placement.read_back().values())  # noqa: E731
    wait_until(lambda: newcomer in owners(), "the newcomer got no state")
    policy.next = ScalingDecision("the test wants one fewer", drain=(newcomer,))
    wait_until(lambda: policy.next is None, "no round came")
    spare.remove_node(spare.hosts[-1])
    begun = bridge.last_batch(watched.query)
    wait_until(lambda: bridge.last_batch(watched.query) > begun + 3, "the query stands still")
    wait_until(lambda: newcomer not in owners(), "its state stayed behind")
    assert controller.running
    controller.stop()
    watched.query.stop()
    exact_counts(spark, "unlucky")
    assert not [record.error for record in read_journal(path) if record.error]


def test_the_cluster_manager_gives_what_it_has_and_takes_it_back(spare, bridge) -> None:
    manager, old = bridge.manager(), bridge.executor_ids()
    assert manager.request(len(old)), "from here on, a worker alone brings no executor"
    spare.add_node()
    asked = AskedExecutors(manager, manager, Stateless(bridge))
    asked.grow(1)
    assert asked.fleet().coming == 1
    wait_until(lambda: asked.fleet().coming == 0, "no executor came")
    (newcomer,) = bridge.executor_ids() - old
    asked.release([newcomer])
    wait_until(lambda: not asked.fleet().notes and bridge.executor_ids() == old, "it stayed")


def test_fewer_executors_than_asked_for_are_told_and_the_wish_is_taken_back(spare, bridge) -> None:
    manager, there = bridge.manager(), len(spare.hosts)
    asked = AskedExecutors(manager, manager, Stateless(bridge), patience_s=1.0)
    asked.grow(5)
    notes: list[str] = []
    wait_until(lambda: bool(notes) or bool(notes.extend(asked.fleet().notes)), "nothing was told")
    assert notes == [
        f"5 executors did not come within 1 s; the wish was taken back, {there} are there"
    ]
    assert asked.fleet().coming == 0


class Doomed(LocalNodes):
    """Starts nodes that are gone as soon as their executor is there."""

    def __init__(self, cluster: LocalCluster, bridge: Bridge) -> None:
        super().__init__(cluster, bridge)
        self.cluster = cluster
        self.bridge = bridge

    def request(self, total: int) -> bool:
        before = self.bridge.executor_ids()
        taken = super().request(total)
        if len(self.cluster.hosts) > len(before):
            wait_until(lambda: self.bridge.executor_ids() > before, "no executor came")
            self.cluster.remove_node(self.cluster.hosts[-1])
            wait_until(lambda: self.bridge.executor_ids() == before, "the executor stayed")
        return taken


def test_one_that_dies_at_once_is_missed_and_then_the_wish_is_taken_back(spare, bridge) -> None:
    manager, old = bridge.manager(), bridge.executor_ids()
    asked = AskedExecutors(manager, Doomed(spare, bridge), Stateless(bridge), patience_s=0.0)
    asked.grow(1)
    (note,) = asked.fleet().notes
    assert note.startswith("1 executors did not come")
    assert asked.fleet().coming == 0
    assert (bridge.executor_ids(), len(spare.hosts)) == (old, len(old))


class Refusing(LocalNodes):
    """Ends nobody before it was asked a few times."""

    refusals = 2

    def end(self, executor_id: str) -> bool:
        self.refusals -= 1
        return self.refusals < 0 and super().end(executor_id)


def test_one_that_is_not_ended_gets_no_tasks_and_is_asked_until_it_goes(
    spark, spare, bridge
) -> None:
    manager, old = bridge.manager(), bridge.executor_ids()
    spare.add_node()
    wait_until(lambda: len(bridge.executor_ids()) == len(old) + 1, "no executor came")
    (newcomer,) = bridge.executor_ids() - old
    asked = AskedExecutors(manager, Refusing(spare, bridge), Stateless(bridge))
    asked.release([newcomer])
    notes: list[str] = []
    wait_until(lambda: bool(notes) or bool(notes.extend(asked.fleet().notes)), "nobody refused")
    assert notes == [f"executor {newcomer} was not ended; it is asked again"]

    def done() -> dict[str, int]:
        return {told["id"]: told["totalTasks"] for told in bridge.executors_ever()}

    before = done()
    assert spark.range(100, numPartitions=12).count() == 100
    assert done()[newcomer] == before[newcomer], "a retired executor got a task"
    wait_until(lambda: not asked.fleet().notes and bridge.executor_ids() == old, "it stayed")
