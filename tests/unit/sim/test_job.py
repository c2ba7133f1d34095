"""A simulated job: what a controller sees of it, and what is true."""

from dataclasses import replace

import numpy as np
import pytest

from albic.control import Controller, MemoryJournal, Parts
from albic.model import Cluster, InvalidInput, Node, NodeState, NotReady
from albic.planners.flux import FluxPlanner
from albic.planners.hold import HoldPlanner
from albic.scaling import FixedSize
from albic.sim import (
    COMPUTE_ONLY,
    EVERY_STEP,
    PAPER_COSTS,
    CostModel,
    Degradation,
    Diurnal,
    Eyesight,
    Loss,
    Scene,
    SimulatedJob,
    Steering,
    World,
    demand_of,
    patterned,
    random_events,
    real_job,
    simulate,
    steady_scene,
)
from tests.contracts.suite import plan_to
from tests.worlds import world

QUIET = World(costs=COMPUTE_ONLY, step_s=10.0)


def drawn(drawing: str, **more) -> Scene:
    return steady_scene(world(drawing, **more).snapshot)


def job_after(scene: Scene, steps: int, laws: World = QUIET) -> SimulatedJob:
    job = SimulatedJob(scene, laws)
    job.clock.sleep_until(steps * laws.step_s)
    assert job.observe().batches == steps
    return job


def test_a_job_shows_the_loads_it_was_made_from() -> None:
    job = job_after(drawn("a: 30 20 | b(x2): 40"), 3)
    assert job.snapshot().usage[0].tolist() == pytest.approx([30, 20, 40])
    assert job.history[-1].node_load_pct.tolist() == pytest.approx([50, 20])
    assert job.history[-1].mean_load_pct == pytest.approx(30)
    assert job.history[-1].load_distance_pct == pytest.approx(20)


def test_moving_a_group_changes_its_load_and_its_neighbours() -> None:
    snapshot = world(
        "a: 10 10 | b: 10", operators=[2, 1], streams=[(0, 1)], traffic=[(1, 2, 100.0)]
    ).snapshot
    scene = steady_scene(snapshot, demand_of(snapshot, communication=0.5))
    job = job_after(scene, 1, World(step_s=10.0))
    apart = job.snapshot()
    assert apart.usage[0].tolist() == pytest.approx([5, 12.5, 12.5])
    job.apply(plan_to(apart, [0, 0, 0]), apart)
    job.new_period()
    job.clock.sleep_until(20.0)
    job.observe()
    assert job.snapshot().usage[0].tolist() == pytest.approx([5, 5, 5])
    assert job.history[-1].collocation == 1


def test_a_migration_pauses_its_key_group_and_costs_both_nodes() -> None:
    scene = drawn("a: 10 10 | b: 10", state_bytes=[1_000_000] * 3)
    job = job_after(scene, 1, World(step_s=10.0))
    snapshot = job.snapshot()
    job.apply(plan_to(snapshot, [0, 1, 1]), snapshot)
    job.clock.sleep_until(20.0)
    job.observe()
    after = job.history[-1]
    assert (after.moves, after.paused_s) == (1, pytest.approx(2.5))
    assert after.migration_work_s == pytest.approx(2.0)
    assert after.mean_load_pct == pytest.approx(15 + 10)
    assert after.node_load_pct.tolist() == pytest.approx([10, 20]), "buffered tuples are done too"


def test_a_saturated_node_shows_what_it_does_and_keeps_the_rest() -> None:
    job = job_after(drawn("a: 90 60 | b: 10"), 2)
    assert job.snapshot().usage[0].tolist() == pytest.approx([60, 40, 10])
    assert job.history[-1].backlog_s == pytest.approx(10.0)
    assert job.throughput().arrived_share == pytest.approx(1.6 / 1.1)


def test_who_does_not_know_capacities_sees_heavy_groups_on_slow_nodes() -> None:
    slow = replace(QUIET, events=(Degradation(0, "a", 0.5),))
    for knows, seen in ((True, [20, 20]), (False, [40, 20])):
        job = job_after(
            drawn("a: 20 | b: 20"), 1, replace(slow, eyesight=Eyesight(knows_capacities=knows))
        )
        job.new_period()
        job.clock.sleep_until(20.0)
        job.observe()
        snapshot = job.snapshot()
        assert snapshot.usage[0].tolist() == pytest.approx(seen)
        assert snapshot.cluster.capacities().tolist() == ([0.5, 1.0] if knows else [1.0, 1.0])


def test_noise_is_measured_and_not_true() -> None:
    noisy = replace(QUIET, eyesight=Eyesight(noise_pct=5.0, seed=1))
    job = job_after(drawn("a: 20 20 | b: 20 20"), 1, noisy)
    assert len(set(job.snapshot().usage[0])) == 4
    assert job.history[-1].node_load_pct.tolist() == pytest.approx([40, 40])


def test_traffic_and_loads_are_means_over_the_steps_of_a_period() -> None:
    scene = patterned(
        drawn("a: 20 | b: 20", operators=[1, 1], streams=[(0, 1)], traffic=[(0, 1, 80.0)]),
        Diurnal(periods=4, swing=0.5),
    )
    snapshot = job_after(scene, 2).snapshot()
    assert snapshot.usage[0].tolist() == pytest.approx([25, 25])
    assert snapshot.traffic.sum() == pytest.approx(100)
    assert (snapshot.period.start_s, snapshot.period.end_s) == (0.0, 20.0)


def test_without_a_live_node_nothing_is_ready() -> None:
    job = job_after(drawn("a: 20 | b: 20"), 1, replace(QUIET, events=(Loss(0, "a"), Loss(0, "b"))))
    with pytest.raises(NotReady, match="no live node"):
        job.snapshot()


def test_events_of_nodes_that_are_gone_pass_by() -> None:
    job = job_after(drawn("a: 20 | b: 20"), 2, replace(QUIET, events=(Loss(1, "nobody"),)))
    assert len(job.snapshot().cluster.nodes) == 2


def test_random_events_are_the_same_for_the_same_seed_and_spare_half() -> None:
    nodes = [f"n{at}" for at in range(8)]
    one, same = (random_events(nodes, 100, 0.5, seed=3) for _ in range(2))
    assert one == same
    assert len({event.node for event in one if isinstance(event, Loss)}) == 4


def test_a_run_ends_with_its_workload() -> None:
    run = simulate(real_job(2, 3, seed=1).scene(), Steering(HoldPlanner()), periods=10)
    assert len(run.periods) == 3
    assert run.load_index()[0] == 1.0


def test_the_same_run_comes_out_the_same() -> None:
    scene = real_job(1, 4, seed=1).scene()
    one, same = (simulate(scene, Steering(FluxPlanner()), periods=4) for _ in range(2))
    assert [each.load_distance_pct for each in one.periods] == [
        each.load_distance_pct for each in same.periods
    ]
    assert np.any([each.moves for each in one.periods])


def test_the_controllers_own_thread_runs_on_simulated_time_too() -> None:
    job = SimulatedJob(real_job(2, 5, seed=1).scene())
    parts = Parts(job, job, job, HoldPlanner(), FixedSize(), job.clock, MemoryJournal())
    controller = Controller(parts, EVERY_STEP)
    controller.start()
    controller._thread.join(30)
    assert not controller.running
    assert len(job.history) == 5


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: World(step_s=0.0),
        lambda: CostModel(process_s_per_tuple=0.0),
        lambda: CostModel(start_up_s=float("nan")),
        lambda: replace(PAPER_COSTS, serialise_s_per_byte=-1.0),
        lambda: Degradation(0, "a", 0.0),
        lambda: replace(drawn("a: 1 | b: 1"), cluster=Cluster((Node("a"),))),
        lambda: replace(
            drawn("a: 1 | b: 1"), cluster=Cluster((Node("a"), Node("b", 1.0, NodeState.DRAINING)))
        ),
    ],
)
def test_nonsense_is_refused(wrong) -> None:
    with pytest.raises(InvalidInput):
        wrong()
