"""Demand that changes over time, the same for the same seed."""

from itertools import pairwise

import numpy as np
import pytest

from albic.model import InvalidInput
from albic.sim import (
    COMPUTE_ONLY,
    PAPER_COSTS,
    Diurnal,
    FlashCrowd,
    HotKeys,
    demand_of,
    drifting_scene,
    heterogeneous,
    patterned,
    steady_scene,
    synthetic,
)
from albic.sim.physics import work_of

SNAPSHOT = synthetic(4, 40, 2, varies_pct=0, one_to_one=0.5, seed=3)


def demands(scene, periods: int) -> np.ndarray:
    """Return the tuples of every period, as a share of the first scene's."""
    run = scene.workload.begin()
    rows = [run.demand(at, scene.allocation.owner).tuples_per_s for at in range(periods)]
    return np.array(rows) / demand_of(SNAPSHOT).tuples_per_s


def test_a_day_swings_for_all_alike() -> None:
    share = demands(patterned(steady_scene(SNAPSHOT), Diurnal(periods=4, swing=0.5)), 5)
    assert np.allclose(share, np.array([1, 1.5, 1, 0.5, 1])[:, None])


def test_a_crowd_comes_and_goes() -> None:
    crowd = FlashCrowd(begins=1, lasts=2, times=4.0, share=0.1, seed=1)
    share = demands(patterned(steady_scene(SNAPSHOT), crowd), 4)
    assert (share[0] == 1).all()
    assert (share[3] == 1).all()
    assert sorted(share[1].tolist())[-5:] == pytest.approx([1, 4, 4, 4, 4])
    assert np.array_equal(share[1], share[2])


def test_hot_keys_wander() -> None:
    share = demands(patterned(steady_scene(SNAPSHOT), HotKeys(every=2, share=0.1)), 4)
    assert np.array_equal(share[0], share[1])
    assert not np.array_equal(share[1], share[2])
    assert (share.max(axis=1) == 2).all()


def test_bytes_follow_tuples() -> None:
    scene = patterned(steady_scene(SNAPSHOT), Diurnal(periods=4, swing=0.5))
    run, owner = scene.workload.begin(), scene.allocation.owner
    assert run.demand(1, owner).traffic.sum() == pytest.approx(1.5 * SNAPSHOT.traffic.sum())


def test_loads_drift_with_the_nodes_they_lie_on() -> None:
    scene = drifting_scene(SNAPSHOT, seed=5)
    share, again = demands(scene, 6), demands(scene, 6)
    assert np.array_equal(share, again), "every run of a workload is the same"
    assert (share[0] == 1).all()
    for before, after in pairwise(share):
        change = after / before
        moved = {int(node) for node in SNAPSHOT.allocation.owner[change != 1]}
        assert len(moved) == 1, "a fifth of four nodes, at least one"
        assert np.abs(change - 1).max() <= 0.02


def test_communication_is_the_share_of_the_load_that_was_asked_for() -> None:
    demand = demand_of(SNAPSHOT, communication=0.4)
    work = work_of(demand, SNAPSHOT.allocation.owner, PAPER_COSTS)
    total = work.seconds().sum()
    assert work.communication.sum() == pytest.approx(0.4 * total)
    assert total == pytest.approx(SNAPSHOT.usage[0].sum() / 100)


def test_communication_needs_something_to_communicate() -> None:
    with pytest.raises(InvalidInput, match="from 0 to below 1"):
        demand_of(SNAPSHOT, communication=1.0)
    with pytest.raises(InvalidInput, match="nothing leaves its node"):
        demand_of(SNAPSHOT, COMPUTE_ONLY, communication=0.5)


def test_nodes_can_differ() -> None:
    scene = heterogeneous(steady_scene(SNAPSHOT), spread=0.3, seed=2)
    capacities = scene.cluster.capacities()
    assert len(set(capacities)) == 4
    assert ((capacities > 0.7) & (capacities < 1.3)).all()
    with pytest.raises(InvalidInput, match="spread"):
        heterogeneous(scene, spread=1.0, seed=2)
