"""The synthetic cluster keeps what the paper says of it, for every seed."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from albic.model import InvalidInput, Resource, Snapshot, metrics
from albic.sim.workload import MOST_PAIRS, drift, synthetic

SEEDS = st.integers(0, 2**63 - 1)


def paper(seed: int, varies_pct: float = 40.0, one_to_one: float = 0.5) -> Snapshot:
    """Return the paper's largest cluster."""
    return synthetic(60, 1200, 30, varies_pct, one_to_one, seed)


def loads_of(snapshot: Snapshot) -> np.ndarray:
    return metrics.node_loads(snapshot, snapshot.allocation)


@given(seed=SEEDS)
def test_every_node_has_as_many_key_groups_and_every_operator_too(seed):
    snapshot = paper(seed)
    assert np.bincount(snapshot.allocation.owner).tolist() == [20] * 60
    assert [operator.key_groups for operator in snapshot.topology.operators] == [40] * 30
    assert snapshot.topology.streams == tuple((at, at + 1) for at in range(29))


@given(seed=SEEDS)
def test_without_varies_all_loads_are_equal_up_to_five_percent(seed):
    loads = paper(seed, varies_pct=0).usage[Resource.CPU]
    assert np.abs(loads / 2.5 - 1).max() <= 0.05
    assert loads.std() > 0.02 * 2.5


@given(seed=SEEDS, varies_pct=st.sampled_from([20.0, 40.0, 80.0]))
def test_varies_raises_a_tenth_of_the_nodes_and_lowers_a_tenth(seed, varies_pct):
    shift = loads_of(paper(seed, varies_pct)) - loads_of(paper(seed, 0))
    assert np.sum(shift == 0) == 48
    assert shift[shift > 0] == pytest.approx([varies_pct / 2] * 6)
    assert shift[shift < 0] == pytest.approx([-varies_pct / 2] * 6)


@given(seed=SEEDS)
def test_the_change_falls_on_some_of_a_nodes_key_groups(seed):
    change = paper(seed, 40).usage[Resource.CPU] - paper(seed, 0).usage[Resource.CPU]
    owner = paper(seed).allocation.owner
    touched = np.bincount(owner, weights=change != 0, minlength=60)
    up, down = (np.unique(owner[sign * change > 0]) for sign in (1, -1))
    assert all(5 <= touched[node] <= 15 for node in up)
    # Twenty points can be taken from eight key groups of about 2.5, or more.
    assert all(7 <= touched[node] <= 15 for node in down)
    assert not set(up) & set(down)
    assert np.ptp(change[change > 0]) > 0


@given(seed=SEEDS, one_to_one=st.sampled_from([0.0, 0.25, 0.5, 1.0]))
def test_that_share_of_key_groups_has_exactly_one_partner_on_each_stream(seed, one_to_one):
    traffic = paper(seed, one_to_one=one_to_one).traffic.toarray()
    pairs = round(40 * one_to_one)
    for up in range(29):
        sent = traffic[40 * up : 40 * up + 40, 40 * up + 40 : 40 * up + 80]
        outwards, inwards = (sent > 0).sum(axis=1), (sent > 0).sum(axis=0)
        assert sorted(outwards) == [1] * pairs + [40 - pairs] * (40 - pairs)
        assert sorted(inwards) == [1] * pairs + [40 - pairs] * (40 - pairs)
        assert sent.sum(axis=1) == pytest.approx([100_000] * 40)
    assert traffic.sum() == pytest.approx(29 * 40 * 100_000)


def test_partners_start_together_as_often_as_chance_has_it():
    factors = [
        metrics.collocation_factor(paper(seed).traffic, paper(seed).allocation)
        for seed in range(30)
    ]
    assert np.mean(factors) == pytest.approx(1 / 60, rel=0.25)


def test_partners_that_are_brought_together_make_the_promised_share_local():
    snapshot = synthetic(1, 60, 2, 0, 0.5, seed=4)
    pairs = snapshot.traffic.tocoo()
    widths = np.bincount(pairs.row)
    assert pairs.data[widths[pairs.row] == 1].sum() / pairs.data.sum() == pytest.approx(0.5)


@given(
    nodes=st.integers(1, 12),
    more=st.integers(0, 40),
    operators=st.integers(1, 9),
    varies_pct=st.floats(0, 90),
    one_to_one=st.floats(0, 1),
    seed=SEEDS,
)
def test_any_size_is_spread_as_evenly_as_it_goes(
    nodes, more, operators, varies_pct, one_to_one, seed
):
    key_groups = max(nodes, operators) + more
    snapshot = synthetic(nodes, key_groups, operators, varies_pct, one_to_one, seed)
    held = np.bincount(snapshot.allocation.owner, minlength=nodes)
    sizes = [operator.key_groups for operator in snapshot.topology.operators]
    assert np.ptp(held) <= 1
    assert np.ptp(sizes) <= 1
    assert snapshot.usage.min() >= 0
    assert snapshot.state_bytes.min() > 0
    sent = np.asarray(snapshot.traffic.sum(axis=1)).ravel()
    assert sent[: key_groups - sizes[-1]] == pytest.approx(100_000)
    assert not sent[key_groups - sizes[-1] :].any()


def test_the_same_seed_gives_the_same_cluster_and_another_seed_another():
    one, again, other = paper(7), paper(7), paper(8)
    assert np.array_equal(one.usage, again.usage)
    assert np.array_equal(one.state_bytes, again.state_bytes)
    assert np.array_equal(one.allocation.owner, again.allocation.owner)
    assert (one.traffic != again.traffic).nnz == 0
    assert not np.array_equal(one.usage, other.usage)


def test_a_thousand_nodes_are_quick_and_their_traffic_fits_into_memory():
    started_s = time.process_time()
    snapshot = synthetic(1000, 100_000, 30, 60, 0.0, seed=1)
    assert time.process_time() - started_s < 3
    assert MOST_PAIRS / 2 < snapshot.traffic.nnz <= MOST_PAIRS
    assert snapshot.traffic.sum() == pytest.approx(100_000 * 96_667)
    factor = metrics.collocation_factor(snapshot.traffic, snapshot.allocation)
    assert factor == pytest.approx(1 / 1000, rel=0.2)


@given(seed=SEEDS)
def test_drift_changes_a_fifth_of_the_nodes_by_up_to_two_percent(seed):
    before = paper(1)
    after = drift(before, seed)
    ratio = loads_of(after) / loads_of(before)
    assert np.sum(np.abs(ratio - 1) > 1e-12) == 12
    assert np.abs(ratio - 1).max() <= 0.02 + 1e-12
    assert after.period.start_s == before.period.end_s
    assert after.period.end_s - after.period.start_s == 60
    assert np.array_equal(after.allocation.owner, before.allocation.owner)


def test_drift_touches_even_a_single_node():
    before = synthetic(1, 4, 1, 0, 0, seed=1)
    assert loads_of(drift(before, 5))[0] != loads_of(before)[0]


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        pytest.param({"nodes": 0}, "0 nodes", id="no nodes"),
        pytest.param({"nodes": 10**30}, "nodes were asked for", id="too many nodes"),
        pytest.param({"key_groups": 5}, "5 key groups cannot be spread over 10 nodes", id="few"),
        pytest.param({"operators": 50}, "over 50 operators", id="operators without key groups"),
        pytest.param({"operators": -1}, "-1 operators", id="fewer than none"),
        pytest.param({"key_groups": 10**9}, "key groups were asked for", id="too many"),
        pytest.param({"varies_pct": 91}, "varies is 91", id="below zero load"),
        pytest.param({"varies_pct": float("nan")}, "varies is nan", id="no number"),
        pytest.param({"one_to_one": 1.5}, "one-to-one is 1.5", id="more than all"),
        pytest.param({"seed": -1}, "the seed is -1", id="negative seed"),
    ],
)
def test_impossible_clusters_are_refused(wrong, complaint):
    sizes = {"nodes": 10, "key_groups": 40, "operators": 4, "varies_pct": 20}
    with pytest.raises(InvalidInput, match=complaint):
        synthetic(**(sizes | {"one_to_one": 0.5, "seed": 1} | wrong))
