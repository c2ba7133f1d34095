"""What was measured becomes a load; what was not becomes no number at all."""

import numpy as np
import pytest

from albic.control.estimator import estimate
from albic.control.samples import GroupSample, NodeSample, Observation, RawBatch, StreamSample
from albic.model import NodeState, NotReady, Operator, Resource, Topology, metrics

TWO = Topology((Operator("count", 2),))


def batch(number: int, *samples: GroupSample, **more) -> RawBatch:
    """Return a batch of one second, back to back with the others."""
    given = {"background_s": {}, **more}
    return RawBatch(float(number), float(number + 1), samples, **given)


def observation(batches, earlier=(), **more) -> Observation:
    given = {
        "topology": TWO,
        "nodes": (NodeSample("1"), NodeSample("2")),
        "owner": ("1", "2"),
        "state_bytes": np.array([10, 20]),
        **more,
    }
    return Observation(batches=tuple(batches), earlier=tuple(earlier), **given)


def ran(group: int, node: str, busy_s: float, *, loaded: bool = False) -> GroupSample:
    return GroupSample(group, node, busy_s, loaded)


def loads(seen: Observation) -> list[float]:
    return [round(load, 6) for load in estimate(seen).usage[Resource.CPU].tolist()]


def test_load_is_the_share_of_a_slot_that_was_busy() -> None:
    batches = [
        batch(0, ran(0, "1", 0.5), ran(1, "2", 0.2)),
        batch(1, ran(0, "1", 0.3), ran(1, "2", 0.2)),
    ]
    seen = estimate(observation(batches))
    assert [round(x, 6) for x in seen.usage[Resource.CPU].tolist()] == [40, 20]
    assert seen.allocation.owner.tolist() == [0, 1]
    assert (seen.period.start_s, seen.period.end_s) == (0, 2)
    assert seen.state_bytes.tolist() == [10, 20]


def test_the_rest_of_the_trigger_interval_is_time_too() -> None:
    busy = (ran(0, "1", 0.5), ran(1, "2", 0.2))
    alone = estimate(observation([batch(0, *busy, interval_s=4.0)]))
    assert alone.usage[Resource.CPU].tolist() == pytest.approx([12.5, 5.0])
    late = estimate(observation([batch(0, *busy, interval_s=0.1)]))
    assert late.usage[Resource.CPU].tolist() == pytest.approx([50.0, 20.0])


def test_a_batch_stands_for_those_that_were_not_read() -> None:
    busy = (ran(0, "1", 0.5), ran(1, "2", 0.2))
    whole = estimate(observation([batch(at, *busy, background_s={"1": 0.1}) for at in range(3)]))
    once = RawBatch(0.0, 3.0, busy, {"1": 0.1}, batches=3)
    sampled = estimate(observation([once]))
    np.testing.assert_allclose(sampled.usage, whole.usage)
    assert sampled.background.tolist() == pytest.approx(whole.background.tolist())
    assert sampled.period == whole.period
    slow = RawBatch(0.0, 3.0, busy, {}, batches=3, interval_s=4.0)
    assert estimate(observation([slow])).period.end_s == 12


def test_a_node_with_more_slots_is_a_larger_node() -> None:
    batches = [batch(0, ran(0, "1", 0.5), ran(1, "2", 0.5))]
    seen = estimate(observation(batches, nodes=(NodeSample("1", 2), NodeSample("2", 1))))
    assert seen.cluster.capacities().tolist() == [1.0, 0.5]
    assert seen.usage[Resource.CPU].tolist() == [25, 25]
    assert [node.slots for node in seen.cluster.nodes] == [2, 1]


def test_a_batch_is_predicted_to_last_as_long_as_its_largest_task() -> None:
    # One second a batch: key group 0 works half of it, on one of two slots.
    batches = [batch(0, ran(0, "1", 0.5), ran(1, "1", 0.1))]
    two_slots = (NodeSample("1", 2), NodeSample("2", 2))
    seen = estimate(observation(batches, nodes=two_slots, owner=("1", "1")))
    assert metrics.makespan(seen, seen.allocation) == pytest.approx(50)
    assert metrics.stage_loads(seen, seen.allocation).max() == pytest.approx(30)


def test_time_on_a_fast_node_counts_for_more_and_the_node_is_larger() -> None:
    batches = [batch(0, ran(0, "1", 0.2), ran(1, "2", 0.4))]
    seen = estimate(observation(batches, nodes=(NodeSample("1", speed=2.0), NodeSample("2"))))
    assert seen.usage[Resource.CPU].tolist() == [40, 40]
    assert seen.cluster.capacities().tolist() == [2, 1]
    # What was measured is what the model says of the present allocation.
    assert metrics.node_loads(seen, seen.allocation).tolist() == [20, 40]


def test_network_is_what_a_group_reads_wherever_from() -> None:
    far = GroupSample(0, "1", 0.1, remote_bytes=100_000_000)
    near = GroupSample(1, "2", 0.1, local_bytes=25_000_000)
    seen = estimate(observation([batch(0, far, near)]))
    assert seen.usage[Resource.NETWORK].tolist() == [8, 2]


def test_memory_is_the_state_beside_the_memory_that_holds_it_and_zero_where_that_is_unknown() -> (
    None
):
    batches = [batch(0, ran(0, "1", 0.1), ran(1, "2", 0.1))]
    nodes = NodeSample("1", memory_bytes=200), NodeSample("2", memory_bytes=400)
    assert estimate(observation(batches, nodes=nodes)).usage[Resource.MEMORY].tolist() == [5, 10]
    assert not estimate(observation(batches)).usage[Resource.MEMORY].any()


def test_the_batch_of_a_load_does_not_count() -> None:
    batches = [
        batch(0, ran(0, "1", 0.1), ran(1, "1", 0.2)),
        batch(1, ran(0, "1", 0.1), ran(1, "2", 0.9, loaded=True)),
        batch(2, ran(0, "1", 0.1), ran(1, "2", 0.2)),
    ]
    assert loads(observation(batches)) == [10, 20]


def test_a_group_that_moved_all_period_long_keeps_its_earlier_load() -> None:
    earlier = [batch(0, ran(0, "1", 0.4), ran(1, "1", 0.3))]
    now = [batch(1, ran(0, "1", 0.1), ran(1, "2", 0.9, loaded=True))]
    assert loads(observation(now, earlier)) == [10, 30]


def test_what_the_batches_since_a_change_do_not_tell_is_taken_from_before_it() -> None:
    three = Topology((Operator("a", 2), Operator("b", 1)), ((0, 1),))
    sent = StreamSample(0, 2, np.array([[100.0], [300.0]]))
    now = [
        batch(0, ran(0, "1", 0.1), ran(1, "1", 0.4), ran(2, "1", 0.1), traffic=(sent,)),
        batch(1, ran(0, "1", 0.4), ran(1, "1", 0.1), ran(2, "2", 0.9, loaded=True)),
    ]
    seen = observation(now, topology=three, owner=("1", "1", "2"), state_bytes=np.array([1, 1, 1]))
    assert loads(seen) == [40, 10, 10], "of the groups that stayed, only the batch since the change"
    assert estimate(seen).traffic.toarray()[:, 2].tolist() == [100, 300, 0]


def test_a_period_without_a_batch_is_measured_by_those_before() -> None:
    earlier = [batch(0, ran(0, "1", 0.4), ran(1, "1", 0.3))]
    assert loads(observation([], earlier)) == [40, 30]


def test_queries_at_a_different_pace_are_counted_as_often_as_they_ran() -> None:
    often = [batch(number, ran(0, "1", 0.1)) for number in range(4)]
    seldom = [RawBatch(0.0, 4.0, (ran(1, "2", 2.0),), {})]
    assert loads(observation(often + seldom)) == [10, 50]


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        pytest.param(observation([]), "no batch", id="nothing ran"),
        pytest.param(
            observation([batch(0, ran(0, "1", 0.1))]),
            "1 of 2 key groups are measured; the first that is not: count, partition 1",
            id="a group did not run",
        ),
        pytest.param(
            observation([batch(0, ran(0, "1", 0.1, loaded=True), ran(1, "2", 0.1))]),
            "1 of 2 .* partition 0",
            id="a group was only loaded",
        ),
        pytest.param(
            observation([batch(0, ran(0, "1", 0.1), ran(1, "2", 0.1))], owner=("1", None)),
            "1 of 2 .* partition 1",
            id="a group has no owner",
        ),
        pytest.param(
            observation(
                [batch(0, ran(0, "1", 0.1), ran(1, "1", 0.1))],
                nodes=(NodeSample("1", lost=True),),
                owner=("1", "1"),
            ),
            "no live node",
            id="nobody is left",
        ),
    ],
)
def test_what_is_missing_is_named_and_never_zero(seen: Observation, told: str) -> None:
    with pytest.raises(NotReady, match=told):
        estimate(seen)


def test_a_lost_node_is_one_to_be_emptied() -> None:
    nodes = NodeSample("1"), NodeSample("2", lost=True)
    seen = estimate(observation([batch(0, ran(0, "1", 0.1), ran(1, "2", 0.1))], nodes=nodes))
    assert [node.state for node in seen.cluster.nodes] == [NodeState.ACTIVE, NodeState.DRAINING]


def test_work_for_no_group_is_background_of_its_node() -> None:
    batches = [batch(0, ran(0, "1", 0.1), ran(1, "2", 0.1), background_s={"2": 0.6, "gone": 1.0})]
    seen = estimate(observation(batches, nodes=(NodeSample("1"), NodeSample("2", 2))))
    assert seen.background.tolist() == [0, 30]


def test_traffic_is_a_rate_and_batches_whose_shuffle_is_gone_do_not_lower_it() -> None:
    chain = Topology((Operator("a", 1), Operator("b", 2)), ((0, 1),))
    work = ran(0, "1", 0.1), ran(1, "1", 0.1), ran(2, "2", 0.1)
    sent = StreamSample(0, 1, np.array([[100.0, 300.0]]))
    batches = [batch(0, *work, traffic=(sent,)), batch(1, *work)]
    seen = estimate(
        observation(batches, topology=chain, owner=("1", "1", "2"), state_bytes=np.array([1, 1, 1]))
    )
    assert seen.traffic.toarray().tolist() == [[0, 100, 300], [0, 0, 0], [0, 0, 0]]
