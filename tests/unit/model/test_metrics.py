"""The paper's measures on clusters that can be checked by hand."""

from dataclasses import replace

import pytest

from albic.model import Allocation, Move, Resource, metrics
from tests.worlds import request, world


def snapshot_of(drawing, **more):
    return world(drawing, **more).snapshot


@pytest.mark.parametrize(
    ("drawing", "mean", "distance"),
    [
        pytest.param("a: 30 20 | b: 10", 30, 20, id="equal nodes"),
        pytest.param("a: 1 | b: 0", 0.5, 0.5, id="the mean is not rounded"),
        pytest.param("a(x3): 30 | b: 10", 10, 0, id="capacities weigh"),
        pytest.param("a(+10): 10 | b: 40", 30, 10, id="background is load"),
        pytest.param("a: 10 | z(draining): 20", 30, 20, id="draining work has to go somewhere"),
        pytest.param("a: 10 | z(draining, +50): 20", 30, 20, id="draining background ends"),
        pytest.param("a(x2, +10): 10 | b: 0", 10, 10, id="background in percent of its node"),
    ],
)
def test_mean_and_load_distance(drawing, mean, distance):
    snapshot = snapshot_of(drawing)
    assert metrics.mean_load(snapshot) == pytest.approx(mean)
    assert metrics.load_distance(snapshot, snapshot.allocation) == pytest.approx(distance)


def test_the_mean_does_not_depend_on_where_the_work_is():
    snapshot = snapshot_of("a(x4): 4 | b: 7 9 | c(x2): 8 2")
    moved = replace(snapshot, allocation=Allocation([2, 2, 0, 1, 0]))
    assert metrics.mean_load(snapshot) == metrics.mean_load(moved)


def test_node_loads_are_percent_of_the_node_with_background():
    snapshot = snapshot_of("a(x2, +5): 30 20 | b: 10")
    assert metrics.node_loads(snapshot, snapshot.allocation).tolist() == [30, 10]


def test_the_bottleneck_is_the_most_used_resource_and_its_usage_is_the_load():
    snapshot = request([1, 2], [0, 1], memory=[5, 6], network=[0, 1]).snapshot
    assert metrics.bottleneck(snapshot) is Resource.MEMORY
    assert metrics.group_loads(snapshot).tolist() == [5, 6]


def test_the_first_of_equally_used_resources_is_the_bottleneck():
    snapshot = request([1, 2], [0, 1], memory=[2, 1]).snapshot
    assert metrics.bottleneck(snapshot) is Resource.CPU


def test_usage_of_a_resource_has_no_background():
    snapshot = request([9, 9], [0, 1], memory=[4, 2], capacities=[2, 1], background=[5, 5]).snapshot
    used = metrics.node_usage(snapshot, snapshot.allocation, Resource.MEMORY)
    assert used.tolist() == [2, 2]


def test_the_load_left_on_draining_nodes():
    snapshot = snapshot_of("a: 10 | z(draining): 5 7")
    assert metrics.draining_load(snapshot, snapshot.allocation) == 12
    assert metrics.draining_load(snapshot, Allocation([0, 0, 1])) == 7


def test_the_load_index_is_a_share_of_the_start():
    assert metrics.load_index(30.0, 60.0) == 0.5


def test_the_collocation_factor_is_the_local_share_of_all_bytes():
    snapshot = request([1] * 3, [0, 0, 1], traffic=[(0, 1, 30.0), (0, 2, 10.0)]).snapshot
    assert metrics.collocation_factor(snapshot.traffic, snapshot.allocation) == 0.75
    assert metrics.collocation_factor(snapshot.traffic, Allocation([0, 1, 1])) == 0
    assert metrics.collocation_factor(snapshot.traffic, Allocation([0, 0, 0])) == 1


def test_without_traffic_nothing_is_collocated():
    snapshot = snapshot_of("a: 1 1")
    assert metrics.collocation_factor(snapshot.traffic, snapshot.allocation) == 0


def test_the_migration_cost_is_the_sum_of_all_moves():
    assert metrics.migration_cost((Move(0, 0, 1, 5.0), Move(3, 1, 0, 2.5))) == 7.5
    assert metrics.migration_cost(()) == 0


def test_the_makespan_sums_the_busiest_node_of_every_stage():
    snapshot = request([10, 4, 3, 9], [0, 1, 0, 1], operators=[2, 2], background=[50, 50]).snapshot
    assert metrics.stage_loads(snapshot, snapshot.allocation).tolist() == [[10, 4], [3, 9]]
    assert metrics.makespan(snapshot, snapshot.allocation) == 19


def test_operators_of_one_stage_are_waited_for_once():
    snapshot = request([10, 4, 3, 9], [0, 1, 0, 1], operators=[1, 1, 2]).snapshot
    together = replace(snapshot, topology=replace(snapshot.topology, stages=(0, 0, 0)))
    assert metrics.makespan(snapshot, snapshot.allocation) == 23
    assert metrics.makespan(together, snapshot.allocation) == 13


def test_a_stage_is_faster_on_a_larger_node():
    snapshot = request([10, 4], [0, 1], operators=[1, 1], capacities=[2, 1]).snapshot
    assert metrics.makespan(snapshot, snapshot.allocation) == 9


def test_a_stage_lasts_as_long_as_its_largest_key_group_whatever_the_slots():
    # 80 points of work on two slots fill 80 points of time; one task of 60 needs 120 in its slot.
    alone = world("a(2 slots): 60 20 | b(2 slots): 10").snapshot
    assert metrics.stage_floors(alone).tolist() == [120]
    assert metrics.makespan(alone, alone.allocation) == 120
    even = world("a(2 slots): 40 40 40 | b(2 slots): 40").snapshot
    assert metrics.makespan(even, even.allocation) == 120, "here the work decides"


def test_the_largest_key_group_is_taken_at_the_speed_of_the_best_slot():
    snapshot = world("a(2 slots): 30 | b(x2, 2 slots):").snapshot
    assert metrics.stage_floors(snapshot).tolist() == [30]


def test_a_makespan_is_a_time_whatever_the_bottleneck():
    snapshot = world("a: 5 5 | b:", memory=[60, 10]).snapshot
    assert metrics.makespan(snapshot, snapshot.allocation) == 10


def test_even_loads_can_have_a_long_makespan():
    snapshot = request([10, 10], [0, 1], operators=[1, 1]).snapshot
    assert metrics.load_distance(snapshot, snapshot.allocation) == 0
    assert metrics.makespan(snapshot, snapshot.allocation) == 20


def test_a_node_that_people_keep_idle_does_not_count_as_uneven() -> None:
    asked = world("a: 55 | b: 35 | c: 5")
    present = asked.snapshot.allocation
    assert metrics.distance_asked(asked, present) == pytest.approx(80 / 3)
    kept = replace(asked, shut=(2,))
    assert metrics.left_idle(kept).tolist() == [False, False, True]
    assert metrics.distance_asked(kept, present) == pytest.approx(10.0)
    busy = replace(asked, shut=(0,))
    assert not metrics.left_idle(busy).any(), "one that carries much can give, and counts"
    assert not metrics.left_idle(replace(asked, shut=(0, 1, 2)))[0], "somebody always counts"
