"""What the loop may count on, whoever answers its ports.

A subclass brings a fixture ``rig`` whose job has ended its first batches, and one ``unborn`` whose
job has ended none. Whoever holds these tests can be steered by the loop.
"""

from collections.abc import Iterable
from typing import Protocol

import numpy as np
import pytest

from albic.control.ports import Elasticity, News, Placement, StatisticsSource
from albic.model import (
    Allocation,
    Budget,
    NotReady,
    Outcome,
    Plan,
    PlanRejected,
    PlanRequest,
    SearchReport,
    Snapshot,
    metrics,
    plan_for,
    violations,
)

#: A plan is carried out over a few batches, and each may be followed by one that shows it.
BATCHES_TO_FOLLOW = 8


class Rig(Protocol):
    """A job and those who answer for it."""

    statistics: StatisticsSource
    placement: Placement

    def run(self, batches: int) -> News:
        """Let the job run for so many batches, observing as the loop does; return all news."""
        ...

    def lose(self) -> tuple[str, News]:
        """Let a node fail that owns something; return it, and the news that tell of it."""
        ...


class ElasticRig(Rig, Protocol):
    """A job whose nodes come and go as the loop asks."""

    elasticity: Elasticity


def plan_to(snapshot: Snapshot, owner: Iterable[int]) -> Plan:
    """Return a sound plan that leads to these owners."""
    request = PlanRequest(snapshot, Budget(np.inf))
    target = Allocation(np.array(list(owner)))
    return plan_for(request, target, SearchReport("test", Outcome.HEURISTIC, "as the test says"))


def named(snapshot: Snapshot) -> list[str]:
    """Return the id of each key group's node."""
    return [snapshot.cluster.nodes[at].id for at in snapshot.allocation.owner]


def active(snapshot: Snapshot) -> list[int]:
    """Return the positions of the nodes that stay."""
    positions: list[int] = np.flatnonzero(~snapshot.cluster.draining()).tolist()
    return positions


def measured(rig: Rig) -> Snapshot:
    """Return the first snapshot; a key group that was only seen while it was loaded makes none."""
    for _ in range(BATCHES_TO_FOLLOW):
        try:
            return rig.statistics.snapshot()
        except NotReady:
            rig.run(1)
    return rig.statistics.snapshot()


def carry_out(rig: Rig, plan: Plan, snapshot: Snapshot) -> Snapshot:
    """Apply ``plan`` and return the first snapshot whose owners are the planned ones."""
    rig.placement.apply(plan, snapshot)
    wanted = [snapshot.cluster.nodes[at].id for at in plan.target.owner]
    for _ in range(BATCHES_TO_FOLLOW):
        rig.run(1)
        after = measured(rig)
        if named(after) == wanted:
            return after
    raise AssertionError(f"{BATCHES_TO_FOLLOW} batches after the plan, owners are not as planned")


class PortsContract:
    """StatisticsSource and Placement."""

    def test_before_the_first_batch_there_is_no_snapshot(self, unborn: Rig) -> None:
        with pytest.raises(NotReady):
            unborn.statistics.snapshot()

    def test_news_count_batches_and_each_is_told_once(self, rig: Rig) -> None:
        assert rig.run(2).batches >= 2

    def test_a_snapshot_covers_every_key_group(self, rig: Rig) -> None:
        snapshot = rig.statistics.snapshot()
        assert snapshot.period.end_s > snapshot.period.start_s
        assert metrics.group_loads(snapshot).sum() > 0
        assert (metrics.node_loads(snapshot, snapshot.allocation) >= 0).all()
        assert not snapshot.cluster.draining().any()
        assert not violations(plan_to(snapshot, snapshot.allocation.owner), ask(snapshot))

    def test_throughput_tells_of_the_period(self, rig: Rig) -> None:
        kept = rig.statistics.throughput()
        assert kept.batch_s is not None
        assert kept.batch_s > 0
        assert kept.arrived_share >= 0

    def test_owners_follow_a_plan_within_a_few_batches(self, rig: Rig) -> None:
        snapshot = rig.statistics.snapshot()
        turned = (snapshot.allocation.owner + 1) % len(snapshot.cluster.nodes)
        after = carry_out(rig, plan_to(snapshot, turned), snapshot)
        rig.run(1)
        assert named(rig.statistics.snapshot()) == named(after), "and they stay there"

    def test_moves_that_are_dropped_are_not_made_and_the_others_stay(self, rig: Rig) -> None:
        snapshot = rig.statistics.snapshot()
        turned = (snapshot.allocation.owner + 1) % len(snapshot.cluster.nodes)
        plan = plan_to(snapshot, turned)
        rig.placement.apply(plan, snapshot)
        left = rig.placement.drop()
        assert 0 <= left < len(plan.moves), "some are made at once"
        assert rig.placement.drop() == 0
        rig.run(3)
        pairs = zip(named(snapshot), named(measured(rig)), strict=True)
        assert sum(before != after for before, after in pairs) == len(plan.moves) - left

    def test_a_plan_that_moves_nothing_changes_nothing(self, rig: Rig) -> None:
        snapshot = rig.statistics.snapshot()
        rig.placement.apply(plan_to(snapshot, snapshot.allocation.owner), snapshot)
        rig.run(1)
        assert named(rig.statistics.snapshot()) == named(snapshot)

    def test_batches_are_judged_and_told_once(self, rig: Rig) -> None:
        rig.placement.effect()
        rig.run(3)
        shown = rig.placement.effect()
        assert shown.batches >= 3
        assert shown.batch_s is not None
        assert shown.batch_s > 0
        assert 0 < shown.compliant <= shown.judged
        assert rig.placement.effect().batches == 0

    def test_a_new_period_forgets_the_batches_before(self, rig: Rig) -> None:
        before = rig.statistics.snapshot()
        rig.statistics.new_period()
        rig.run(2)
        after = rig.statistics.snapshot()
        assert after.period.start_s >= before.period.end_s
        assert named(after) == named(before)

    def test_a_lost_nodes_groups_are_to_be_moved_and_can_be(self, rig: Rig) -> None:
        stale = rig.statistics.snapshot()
        lost, news = rig.lose()
        assert lost in news.lost
        turned = (stale.allocation.owner + 1) % len(stale.cluster.nodes)
        with pytest.raises(PlanRejected):
            rig.placement.apply(plan_to(stale, turned), stale)
        snapshot = rig.statistics.snapshot()
        going = [
            node.id
            for at, node in enumerate(snapshot.cluster.nodes)
            if snapshot.cluster.draining()[at]
        ]
        assert set(going) <= {lost}, "a lost node is listed while it owns something"
        stays = active(snapshot)
        owner = [
            at if at in stays else stays[group % len(stays)]
            for group, at in enumerate(snapshot.allocation.owner.tolist())
        ]
        plan = plan_to(snapshot, owner)
        assert not violations(plan, ask(snapshot))
        after = carry_out(rig, plan, snapshot)
        assert lost not in [node.id for node in after.cluster.nodes]
        assert metrics.group_loads(after).sum() > 0

    def test_closing_leaves_the_job_running_where_it_is(self, rig: Rig) -> None:
        before = named(rig.statistics.snapshot())
        rig.placement.close()
        assert rig.run(2).batches >= 2
        assert named(rig.statistics.snapshot()) == before


class ElasticityContract:
    """Elasticity, beside a StatisticsSource and a Placement."""

    def test_a_node_is_coming_until_it_is_news(self, elastic: ElasticRig) -> None:
        nodes = len(measured(elastic).cluster.nodes)
        elastic.elasticity.grow(1)
        assert elastic.elasticity.fleet().coming == 1
        joined: tuple[str, ...] = ()
        for _ in range(100):
            joined += elastic.run(1).joined
            if joined:
                break
        assert len(joined) == 1
        assert elastic.elasticity.fleet().coming == 0
        for _ in range(100):
            snapshot = measured(elastic)
            if len(snapshot.cluster.nodes) == nodes + 1:
                break
            elastic.run(1)
        assert joined[0] in [node.id for node in snapshot.cluster.nodes]

    def test_a_plan_from_before_a_node_came_is_refused(self, elastic: ElasticRig) -> None:
        stale = measured(elastic)
        elastic.elasticity.grow(1)
        for _ in range(100):
            if elastic.run(1).joined:
                break
        turned = (stale.allocation.owner + 1) % len(stale.cluster.nodes)
        with pytest.raises(PlanRejected):
            elastic.placement.apply(plan_to(stale, turned), stale)

    def test_an_emptied_node_can_be_let_go_and_one_that_owns_something_cannot(
        self, elastic: ElasticRig
    ) -> None:
        snapshot = measured(elastic)
        last = len(snapshot.cluster.nodes) - 1
        goes, stays = snapshot.cluster.nodes[last].id, snapshot.cluster.nodes[0].id
        after = carry_out(elastic, plan_to(snapshot, snapshot.allocation.owner % last), snapshot)
        assert goes not in named(after)
        assert stays in named(after)
        assert elastic.elasticity.release((goes, stays)) == (goes,)
        for _ in range(100):
            left = measured(elastic)
            if goes not in [node.id for node in left.cluster.nodes]:
                break
            elastic.run(1)
            elastic.elasticity.fleet()
        assert goes not in [node.id for node in left.cluster.nodes]
        assert named(left) == named(after)


def ask(snapshot: Snapshot) -> PlanRequest:
    """Return the request that the judge holds a plan of these tests against."""
    return PlanRequest(snapshot, Budget(np.inf))
