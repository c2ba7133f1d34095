"""The stand-ins for the real jobs have the shape that the paper gives them."""

import numpy as np
import pytest

from albic.model import InvalidInput
from albic.sim import PAPER_COSTS, Demand, real_job
from albic.sim.physics import work_of


def first(number: int) -> tuple[Demand, np.ndarray]:
    trace = real_job(number, 2, seed=7)
    owner = trace.allocation.owner
    return trace.begin().demand(0, owner), owner


@pytest.mark.parametrize(("number", "operators"), [(1, 3), (2, 2), (3, 3), (4, 8)])
def test_sizes_are_the_papers(number: int, operators: int) -> None:
    trace = real_job(number, 2, seed=7)
    assert [operator.key_groups for operator in trace.topology.operators] == [100] * operators
    assert len(trace.cluster.nodes) == 20
    owned = np.bincount(trace.allocation.owner)
    assert owned.tolist() == [5 * operators] * 20


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_the_cluster_is_half_loaded_over_all_periods(number: int) -> None:
    trace = real_job(number, 3, seed=7)
    owner, demands = trace.allocation.owner, trace.begin()
    loads = [
        work_of(demands.demand(period, owner), owner, PAPER_COSTS).seconds().sum() / 20
        for period in range(3)
    ]
    assert np.mean(loads) == pytest.approx(0.5)
    assert np.ptp(loads) > 0


def test_a_key_group_pauses_for_two_and_a_half_seconds_on_average() -> None:
    demand, _ = first(1)
    pause_s = PAPER_COSTS.pause_s_per_byte * demand.state_bytes.mean()
    assert pause_s == pytest.approx(2.5, rel=0.01)


def test_job_2_begins_with_nothing_together_and_could_be_half_as_busy() -> None:
    demand, owner = first(2)
    apart = work_of(demand, owner, PAPER_COSTS)
    assert apart.collocation == 0
    together = work_of(demand, np.tile(owner[:100], 2), PAPER_COSTS)
    assert together.collocation == 1
    assert together.seconds().sum() == pytest.approx(0.5 * apart.seconds().sum(), rel=0.01)


@pytest.mark.parametrize(("number", "obtainable"), [(3, 0.525), (4, 0.62)])
def test_what_can_be_together_is_what_the_paper_reports(number: int, obtainable: float) -> None:
    demand, owner = first(number)
    together = np.tile(owner[:100], owner.size // 100)
    assert work_of(demand, together, PAPER_COSTS).collocation == pytest.approx(obtainable, abs=0.02)


def test_job_1_has_little_to_collocate() -> None:
    demand, owner = first(1)
    assert work_of(demand, owner, PAPER_COSTS).collocation == pytest.approx(0.05, abs=0.01)


def test_what_flows_in_flows_on() -> None:
    trace = real_job(3, 5, seed=1)
    tuples = trace.tuples_per_s.reshape(5, 3, 100)
    assert np.allclose(tuples[:, 0], tuples[:, 1]), "sum-delay is keyed as extract-delay is"
    assert np.allclose(tuples[:, 0].sum(axis=1), tuples[:, 2].sum(axis=1))
    sent = np.array([np.bincount(trace.sender, row, 300) for row in trace.traffic_bytes_per_s])
    assert np.allclose(sent[:, :100], 2 * 500 * tuples[:, 0])


def test_the_same_seed_gives_the_same_trace() -> None:
    one, same, other = (real_job(2, 3, seed=seed).tuples_per_s for seed in (1, 1, 2))
    assert np.array_equal(one, same)
    assert not np.array_equal(one, other)


def test_other_numbers_are_refused() -> None:
    with pytest.raises(InvalidInput, match="no Real Job 5"):
        real_job(5, 1, seed=0)
    with pytest.raises(InvalidInput, match="0 periods"):
        real_job(1, 0, seed=0)
