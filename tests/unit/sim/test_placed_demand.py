"""Traces laid on nodes: the pace, the sizes and the length that a figure asks for."""

from dataclasses import replace

import numpy as np
import pytest

from albic.model import InvalidInput
from albic.sim import (
    SPARK_COSTS,
    apart,
    as_long,
    dealt,
    half_busy,
    in_the_papers_sizes,
    load_trace,
    real_job,
    save_trace,
)
from albic.sim.physics import work_of


def made(**changes):
    return replace(real_job(3, 4, seed=3), **changes)


def test_nodes_are_half_busy_with_whatever_costs():
    trace = half_busy(made(), SPARK_COSTS)
    owner, demands = trace.allocation.owner, trace.begin()
    loads = [
        work_of(demands.demand(period, owner), owner, SPARK_COSTS).seconds().sum() / 20
        for period in range(4)
    ]
    assert np.mean(loads) == pytest.approx(0.5)
    # Who has more than others has it still.
    before = made().tuples_per_s
    assert np.allclose(trace.tuples_per_s / trace.tuples_per_s.sum(), before / before.sum())


def test_a_trace_without_work_has_no_pace():
    nothing = {
        name: np.zeros_like(getattr(made(), name))
        for name in ("tuples_per_s", "source_bytes_per_s", "traffic_bytes_per_s")
    }
    with pytest.raises(InvalidInput, match="no work"):
        half_busy(made(**nothing), SPARK_COSTS)


def test_rows_and_states_get_the_sizes_of_the_papers_and_keep_their_proportions():
    small = made(
        source_bytes_per_s=made().source_bytes_per_s / 5,
        traffic_bytes_per_s=made().traffic_bytes_per_s / 10,
        state_bytes=made().state_bytes / 1e4,
    )
    found = in_the_papers_sizes(small)
    read = found.source_bytes_per_s > 0
    width = found.source_bytes_per_s[read].sum() / found.tuples_per_s[read].sum()
    assert width == pytest.approx(500)
    assert found.state_bytes.mean() == pytest.approx(1e6)
    # Half as wide beside the rows from outside as before.
    assert np.allclose(found.traffic_bytes_per_s, made().traffic_bytes_per_s / 2)


def test_what_has_no_state_and_reads_nothing_keeps_its_sizes():
    none = np.zeros_like(made().state_bytes)
    found = in_the_papers_sizes(made(state_bytes=none, source_bytes_per_s=none))
    assert found.state_bytes.sum() == 0
    assert np.array_equal(found.traffic_bytes_per_s, made().traffic_bytes_per_s)


def test_a_trace_begins_again_where_it_ends_and_stops_where_it_is_told_to():
    long, short = as_long(made(), 6), as_long(made(), 2)
    assert np.array_equal(long.tuples_per_s[4:], made().tuples_per_s[:2])
    assert short.length == 2
    assert np.array_equal(short.traffic_bytes_per_s, made().traffic_bytes_per_s[:2])


def test_partners_are_apart_and_a_deal_is_even_whatever_the_seed():
    topology = made().topology
    owner = apart(topology, 20).owner.reshape(3, 100)
    assert (owner[0] != owner[1]).all()
    one, other = (dealt(topology, 20, seed).owner for seed in (1, 2))
    assert np.bincount(one).tolist() == [15] * 20
    assert not np.array_equal(one, other)


def test_a_file_says_whose_rows_it_has_and_an_older_one_says_nothing(tmp_path):
    path = tmp_path / "t.npz"
    save_trace(path, made(about="12 flights of mine"))
    assert load_trace(path).about == "12 flights of mine"
    arrays = dict(np.load(path))
    del arrays["about"]
    np.savez(path, **arrays)
    assert load_trace(path).about == ""
    np.savez(path, **arrays, about=np.array(3))
    with pytest.raises(InvalidInput, match="about has numbers of the kind"):
        load_trace(path)
