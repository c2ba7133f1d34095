"""Many rounds on a load that drifts: what people keep out of plans stays out of all of them."""

from dataclasses import replace

import pytest

from albic.control import Controller, MemoryJournal, Parts
from albic.control.journal import Status
from albic.planners import find_planner
from albic.scaling import FixedSize
from albic.sim import COMPUTE_ONLY, EVERY_STEP, SimulatedJob, World, drifting_scene, synthetic

ROUNDS = 8


def steered(planner: str, **settings) -> tuple[SimulatedJob, Controller]:
    """Return a drifting job of two operators on five nodes, and its controller."""
    scene = drifting_scene(synthetic(5, 60, 2, 40, 0.5, 1), seed=1)
    job = SimulatedJob(scene, World(costs=COMPUTE_ONLY))
    parts = Parts(job, job, job, find_planner(planner), FixedSize(), job.clock, MemoryJournal())
    return job, Controller(parts, replace(EVERY_STEP, max_migrations=4, **settings))


def run(job: SimulatedJob, controller: Controller, rounds: int) -> None:
    for _ in range(rounds):
        job.clock.sleep_until(job.next_step_ends_s)
        controller.look()


@pytest.mark.parametrize("planner", ["search", "flux", "albic", "joint"])
def test_an_excluded_operator_never_moves_and_an_excluded_node_gets_nothing(planner: str) -> None:
    snapshot = synthetic(5, 60, 2, 40, 0.5, 1)
    first, second = (operator.name for operator in snapshot.topology.operators)
    kept = snapshot.cluster.nodes[2].id
    job, controller = steered(planner, exclude_operators=(first,), exclude_executors=(kept,))
    run(job, controller, ROUNDS)
    later = controller.journal.records()
    moves = [move for record in later for move in record.moves if record.status is Status.APPLIED]
    assert moves, "the others go on"
    assert {move.operator for move in moves} == {second}
    assert kept not in {move.target for move in moves}
    assert not [record.error for record in later if record.error]


@pytest.mark.parametrize("planner", ["search", "flux", "albic", "joint"])
def test_a_drained_node_is_empty_after_a_few_rounds_and_stays_so(planner: str) -> None:
    job, controller = steered(planner)
    run(job, controller, 1)
    node = job.snapshot().cluster.nodes[1].id
    controller.drain(node)
    run(job, controller, 6)
    for _ in range(ROUNDS):
        run(job, controller, 1)
        names = [each.id for each in job.snapshot().cluster.nodes]
        assert names.index(node) not in job.snapshot().allocation.owner
    assert all(len(record.moves) <= 4 for record in controller.journal.records())
    controller.release(node)
    run(job, controller, 6)
    assert names.index(node) in job.snapshot().allocation.owner
