"""PoTC in the simulator: tuples are spread well, merging is paid for and not planned."""

import numpy as np
import pytest

from albic.model import InvalidInput
from albic.sim import World, real_job, simulate_potc, steady_scene, synthetic
from albic.sim.costs import CostModel
from albic.sim.potc import split, two_choices


def test_every_key_group_has_two_different_nodes() -> None:
    choices = two_choices(100, 7, seed=1)
    assert (choices[:, 0] != choices[:, 1]).all()
    assert ((choices >= 0) & (choices < 7)).all()
    with pytest.raises(InvalidInput, match="two nodes"):
        two_choices(10, 1, seed=1)


def test_tuples_go_to_the_less_busy_node() -> None:
    # Three key groups: one can go to a or b, and one each keeps a and c busy with b.
    choices = np.array([[0, 1], [0, 1], [0, 1]])
    found = split(np.array([10.0, 20.0, 30.0]), choices, np.ones(2), seed=0)
    sent = (np.array([10.0, 20.0, 30.0]) * found.share).sum()
    assert sent == pytest.approx(30.0, abs=1.5)


def test_a_faster_node_gets_more() -> None:
    found = split(np.array([30.0]), np.array([[0, 1]]), np.array([2.0, 1.0]), seed=0)
    assert found.share[0] == pytest.approx(2 / 3, abs=0.05)


def test_without_merging_two_choices_balance_well_and_merging_unbalances() -> None:
    scene = real_job(1, 4, seed=2).scene()
    free = World(
        costs=CostModel(serialise_s_per_byte=0.0, deserialise_s_per_byte=0.0, merge_s_per_byte=0.0)
    )
    paid = World(costs=CostModel(serialise_s_per_byte=0.0, deserialise_s_per_byte=0.0))
    balanced, merged = (simulate_potc(scene, 4, seed=1, world=world) for world in (free, paid))
    assert max(each.load_distance_pct for each in balanced) < 1.0
    assert min(each.load_distance_pct for each in merged) > 2.0
    assert all(each.merge_work_s == 0 for each in balanced)
    for before, after in zip(balanced, merged, strict=True):
        more_pct = 100 * after.merge_work_s / (20 * after.step_s)
        assert after.mean_load_pct == pytest.approx(before.mean_load_pct + more_pct)


def test_work_is_kept_and_the_workload_may_end_first() -> None:
    snapshot = synthetic(4, 40, 2, varies_pct=20, one_to_one=0.0, seed=3)
    world = World(
        costs=CostModel(serialise_s_per_byte=0, deserialise_s_per_byte=0, merge_s_per_byte=0)
    )
    (report,) = simulate_potc(steady_scene(snapshot), 1, seed=1, world=world)
    assert report.mean_load_pct == pytest.approx(snapshot.usage[0].sum() / 4)
    assert len(simulate_potc(real_job(2, 3, seed=1).scene(), 10, seed=1)) == 3


def test_the_same_seed_gives_the_same_run() -> None:
    scene = real_job(1, 2, seed=2).scene()
    one, same = (simulate_potc(scene, 2, seed=4) for _ in range(2))
    assert [each.load_distance_pct for each in one] == [each.load_distance_pct for each in same]
