"""One step of a simulated job: where neighbours are, what migrates and what waits decide."""

import numpy as np
import pytest
import scipy.sparse as sp

from albic.sim import CostModel, Demand
from albic.sim.physics import Queue, advance, migrate, work_of

COSTS = CostModel(
    process_s_per_tuple=0.01,
    serialise_s_per_byte=0.001,
    deserialise_s_per_byte=0.002,
    pause_s_per_byte=0.1,
)


def demand(tuples=(10.0, 10.0), sends=100.0, source=(0.0, 0.0)) -> Demand:
    """Return two key groups, the first of which sends to the second."""
    return Demand(
        tuples_per_s=np.array(tuples),
        effort=np.ones(2),
        source_bytes_per_s=np.array(source),
        traffic=sp.csr_array(np.array([[0.0, sends], [0.0, 0.0]])),
        state_bytes=np.array([20, 50]),
    )


def test_neighbours_on_one_node_pay_for_processing_alone() -> None:
    work = work_of(demand(), np.array([0, 0]), COSTS)
    assert work.seconds().tolist() == pytest.approx([0.1, 0.1])
    assert work.collocation == 1.0


def test_bytes_that_leave_their_node_cost_both_ends() -> None:
    work = work_of(demand(), np.array([0, 1]), COSTS)
    assert work.seconds().tolist() == pytest.approx([0.1 + 0.1, 0.1 + 0.2])
    assert work.collocation == 0.0


def test_bytes_from_outside_are_deserialised_wherever_they_go() -> None:
    work = work_of(demand(sends=0.0, source=(50.0, 0.0)), np.array([0, 0]), COSTS)
    assert work.communication.tolist() == pytest.approx([0.1, 0.0])


def test_effort_makes_a_tuple_heavier() -> None:
    heavy = Demand(
        np.ones(2), np.array([1.0, 3.0]), np.zeros(2), sp.csr_array((2, 2)), np.zeros(2, np.int64)
    )
    assert work_of(heavy, np.zeros(2, np.int64), COSTS).processing.tolist() == [0.01, 0.03]


def step(owner, capacity=(1.0, 1.0), queue=None, length_s=10.0, **asked):
    owner, capacity = np.array(owner), np.array(capacity)
    work = work_of(demand(**asked), owner, COSTS)
    return advance(queue or Queue.empty(2, 2), work, owner, capacity, length_s)


def test_what_fits_is_done() -> None:
    after, done = step([0, 0])
    assert done.done_s.tolist() == pytest.approx([1.0, 1.0])
    assert after.backlog_s.tolist() == pytest.approx([0.0, 0.0])


def test_an_overloaded_node_shares_its_time_and_keeps_the_rest() -> None:
    after, done = step([0, 0], tuples=(100.0, 300.0), sends=0.0)
    assert done.done_s.tolist() == pytest.approx([2.5, 7.5])
    assert after.backlog_s.tolist() == pytest.approx([7.5, 22.5])


def test_nothing_is_lost_or_invented_over_many_steps() -> None:
    queue, done_s = Queue.empty(2, 2), np.zeros(2)
    for _ in range(7):
        queue, done = step([0, 1], capacity=(0.1, 2.0), queue=queue)
        done_s += done.done_s
    arrived_s = 70 * work_of(demand(), np.array([0, 1]), COSTS).seconds()
    assert (done_s + queue.backlog_s).tolist() == pytest.approx(arrived_s.tolist())


def test_on_a_lost_node_work_waits() -> None:
    after, done = step([0, 1], capacity=(0.0, 1.0))
    assert done.done_s[0] == 0
    assert not done.ran[0]
    assert after.backlog_s[0] == pytest.approx(2.0)


def test_a_migrating_key_group_stands_still_and_catches_up() -> None:
    moved = migrate(
        Queue.empty(2, 2), np.array([1]), (np.array([0]), np.array([1])), np.array([20, 150]), COSTS
    )
    assert moved.pause_s.tolist() == pytest.approx([0.0, 15.0])
    assert moved.migration_s.tolist() == pytest.approx([0.15, 0.3])
    first, still = step([0, 1], queue=moved)
    assert (still.ran.tolist(), still.done_s[1]) == ([True, False], 0.0)
    assert still.paused_s.tolist() == pytest.approx([0.0, 10.0])
    assert first.pause_s[1] == pytest.approx(5.0)
    second, moving = step([0, 1], queue=first)
    assert moving.done_s[1] == pytest.approx(6.0), "buffered tuples are processed afterwards"
    assert second.backlog_s[1] == pytest.approx(0.0)


def test_migrations_take_time_from_key_groups() -> None:
    busy = Queue(np.zeros(2), np.zeros(2), np.array([9.5, 0.0]))
    after, done = step([0, 0], queue=busy)
    assert done.migration_s.tolist() == pytest.approx([9.5, 0.0])
    assert done.done_s.sum() == pytest.approx(0.5)
    assert after.backlog_s.sum() == pytest.approx(1.5)
