"""Heavy pairs, against the loops of Algorithm 2 as printed."""

import pytest
from hypothesis import given

from albic.planners.affinity import heavy_pairs
from tests.strategies import small_requests
from tests.worlds import request


def heavy(score_factor=1.5, **world):
    """Return the heavy pairs of 2 operators with 2 and 4 key groups, as (from, to, rate)."""
    sides = {"operators": [2, 4], "streams": [(0, 1)], **world}
    asked = request([1] * sum(sides["operators"]), [0] * sum(sides["operators"]), **sides)
    pairs = heavy_pairs(asked.snapshot, score_factor)
    return list(zip(*(part.tolist() for part in pairs), strict=True))


def as_printed(snapshot, score_factor):
    """Return the pairs by Algorithm 2's own loops."""
    out, topology = snapshot.traffic.toarray(), snapshot.topology
    start = topology.offsets()
    groups = [range(start[o], start[o + 1]) for o in range(len(topology.operators))]
    found = []
    for operator, own in enumerate(groups):
        listeners = [j for down in topology.downstream(operator) for j in groups[down]]
        for k in own:
            if listeners:
                average = sum(out[k][j] for j in listeners) / len(listeners)
                found += [(k, j) for j in listeners if out[k][j] > average * score_factor]
    return sorted(found)


def test_a_one_to_one_partner_is_heavy() -> None:
    assert heavy(traffic=[(0, 3, 8.0)]) == [(0, 3, 8.0)]


def test_even_traffic_makes_no_pair() -> None:
    assert heavy(traffic=[(0, down, 5.0) for down in (2, 3, 4, 5)]) == []


def test_a_pair_at_the_threshold_is_not_above_it() -> None:
    # Key group 0 sends 16 to 4 key groups: 4 on average, so 6 is exactly 1.5 times that.
    rates = [(0, 2, 6.0), (0, 3, 6.0), (0, 4, 4.0)]
    assert heavy(traffic=rates) == []
    assert heavy(1.4, traffic=rates) == [(0, 2, 6.0), (0, 3, 6.0)]


def test_silent_listeners_lower_the_average() -> None:
    assert heavy(traffic=[(0, 2, 5.0), (0, 3, 5.0)]) == [(0, 2, 5.0), (0, 3, 5.0)]


def test_the_average_spans_all_operators_downstream() -> None:
    # 12 over 2 + 2 listeners: 6 is twice the average, though it is all that operator 1 gets.
    fan = {"operators": [1, 2, 2], "streams": [(0, 1), (0, 2)]}
    assert heavy(**fan, traffic=[(0, 1, 6.0), (0, 3, 3.0), (0, 4, 3.0)]) == [(0, 1, 6.0)]


def test_traffic_beside_the_streams_does_not_count() -> None:
    assert heavy(streams=[], traffic=[(0, 3, 8.0)]) == []
    assert heavy(traffic=[(0, 1, 90.0), (0, 3, 8.0)]) == [(0, 3, 8.0)]


def test_a_stream_declared_twice_counts_once() -> None:
    assert heavy(1.9, streams=[(0, 1), (0, 1)], traffic=[(0, 2, 5.0), (0, 3, 5.0)]) != []


def test_without_traffic_there_is_no_pair() -> None:
    assert heavy() == []


def test_at_factor_zero_every_pair_that_talks_is_heavy() -> None:
    assert heavy(0.0, traffic=[(0, 2, 0.0), (1, 2, 1.0), (0, 5, 2.0)]) == [(0, 5, 2.0), (1, 2, 1.0)]


@pytest.mark.parametrize("score_factor", [1.0, 1.5, 2.0])
@given(asked=small_requests())
def test_it_finds_what_the_printed_loops_find(asked, score_factor) -> None:
    pairs = heavy_pairs(asked.snapshot, score_factor)
    found = list(zip(pairs.upstream.tolist(), pairs.downstream.tolist(), strict=True))
    assert found == as_printed(asked.snapshot, score_factor)
