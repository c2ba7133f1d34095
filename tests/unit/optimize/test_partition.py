"""The METIS seam: balance and cut on small graphs, against brute force where it is possible."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from albic.optimize.partition import partition


def graph(vertices, *edges):
    """Return the graph with these (from, to, weight)."""
    ends = np.array([edge[:2] for edge in edges], dtype=np.int64).reshape(-1, 2)
    return sp.csr_array(
        ([float(edge[2]) for edge in edges], (ends[:, 0], ends[:, 1])), shape=(vertices, vertices)
    )


def cut_of(edges, label):
    links = edges.tocoo()
    return float(links.data[label[links.row] != label[links.col]].sum())


def heaviest_part(weight, label):
    return float(np.bincount(label, weights=weight).max())


def random_graph(seed):
    rng = np.random.default_rng(seed)
    vertices = int(rng.integers(4, 9))
    edges = sp.random_array((vertices, vertices), density=0.5, rng=rng, format="csr")
    return edges, rng.uniform(0.01, 10.0, vertices), int(rng.integers(2, 4))


def test_two_cliques_are_cut_at_their_one_link() -> None:
    inside = [
        (a, b, 5.0) for half in ((0, 2, 4), (1, 3, 5)) for a, b in itertools.combinations(half, 2)
    ]
    label = partition(graph(6, *inside, (0, 1, 1.0)), np.ones(6), 2, seed=3)
    assert label[0] == label[2] == label[4] != label[1] == label[3] == label[5]


def test_both_directions_of_an_edge_count() -> None:
    # A ring of four; the pairs (0, 1) and (2, 3) are heavy only when both directions add up.
    ring = graph(4, (0, 1, 3), (1, 0, 3), (1, 2, 4), (2, 3, 3), (3, 2, 3), (3, 0, 4))
    label = partition(ring, np.ones(4), 2, seed=0)
    assert label[0] == label[1] != label[2] == label[3]


def test_the_weights_of_vertices_decide_the_balance_not_their_number() -> None:
    label = partition(graph(5), np.array([40.0, 10.0, 10.0, 10.0, 10.0]), 2, seed=0)
    assert (label == label[0]).sum() == 1


def test_a_part_that_is_too_heavy_is_mended() -> None:
    # METIS cuts between the two pieces, which leaves 18 to one side and 2 to the other.
    weight = np.array([9.0, 1.0, 9.0, 1.0])
    pieces = graph(4, (0, 2, 5.0), (1, 3, 5.0))
    assert heaviest_part(weight, partition(pieces, weight, 2, seed=0)) == 18
    assert heaviest_part(weight, partition(pieces, weight, 2, seed=0, most=10.0)) == 10


def test_it_is_mended_no_more_than_needed_and_where_least_is_cut() -> None:
    # With 11 allowed, the two 1s, which are close friends, need not be parted.
    weight = np.array([9.0, 9.0, 1.0, 1.0])
    friends = graph(4, (0, 1, 5.0), (2, 3, 50.0))
    label = partition(friends, weight, 2, seed=0, most=11.0)
    assert heaviest_part(weight, label) == 11
    assert label[2] == label[3]


def test_what_cannot_be_light_enough_gets_as_light_as_it_can() -> None:
    weight = np.array([9.0, 1.0, 1.0, 1.0])
    assert heaviest_part(weight, partition(graph(4), weight, 2, seed=0, most=5.0)) == 9


def test_tiny_fractions_weigh_as_much_as_their_ratio_says() -> None:
    weight = np.array([4e-9, 1e-9, 1e-9, 1e-9, 1e-9])
    label = partition(graph(5), weight, 2, seed=0)
    assert heaviest_part(weight, label) == pytest.approx(4e-9)


@pytest.mark.parametrize("size", [1e-300, 1e308])
def test_extreme_weights_are_scaled_without_overflow(size) -> None:
    label = partition(graph(4, (0, 1, size), (2, 3, size)), np.full(4, size), 2, seed=0)
    assert label[0] == label[1] != label[2] == label[3]


def test_without_any_weight_vertices_count_alike() -> None:
    label = partition(graph(6), np.zeros(6), 3, seed=0)
    assert np.bincount(label).tolist() == [2, 2, 2]


def test_loops_and_edges_of_no_weight_are_ignored() -> None:
    looped = graph(4, (0, 0, 100), (0, 1, 1), (2, 3, 1), (1, 2, 0))
    label = partition(looped, np.ones(4), 2, seed=0)
    assert cut_of(looped, label) == 0


def test_a_graph_of_several_pieces_is_cut_between_them() -> None:
    pieces = graph(8, *((2 * i, 2 * i + 1, 1.0) for i in range(4)))
    label = partition(pieces, np.ones(8), 4, seed=5)
    assert cut_of(pieces, label) == 0
    assert np.bincount(label).tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize("parts", [3, 4, 100])
def test_with_as_many_parts_as_vertices_each_is_alone(parts) -> None:
    assert partition(graph(3, (0, 1, 9)), np.ones(3), parts, seed=0).tolist() == [0, 1, 2]


def test_an_empty_graph_has_no_labels() -> None:
    assert partition(graph(0), np.zeros(0), 3, seed=0).size == 0


def test_one_part_holds_all() -> None:
    assert partition(graph(3), np.ones(3), 1, seed=0).tolist() == [0, 0, 0]


def test_no_parts_at_all_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="into 0 parts"):
        partition(graph(3), np.ones(3), 0, seed=0)


@pytest.mark.parametrize("seed", [0, 7, 2**63 - 1])
def test_the_same_seed_gives_the_same_parts(seed) -> None:
    edges, weight, parts = random_graph(1)
    first, second = (partition(edges, weight, parts, seed) for _ in range(2))
    assert first.tolist() == second.tolist()


@given(st.integers(0, 10**6), st.integers(1, 12), st.integers(1, 12))
def test_every_part_has_a_vertex_when_there_are_enough(seed, vertices, parts) -> None:
    rng = np.random.default_rng(seed)
    # One vertex often outweighs all others together: METIS alone then leaves parts empty.
    weight = rng.integers(0, 3, vertices) * 10.0 ** rng.integers(-3, 4, vertices)
    edges = sp.random_array((vertices, vertices), density=0.3, rng=rng, format="csr")
    label = partition(edges, weight, parts, seed)
    assert set(label.tolist()) == set(range(min(parts, vertices)))


def test_balance_and_cut_come_close_to_the_best_of_all_partitions() -> None:
    balance, cut = [], []
    for seed in range(40):
        edges, weight, parts = random_graph(seed)
        every = [
            np.array((0, *rest)) for rest in itertools.product(range(parts), repeat=weight.size - 1)
        ]
        lightest = min(heaviest_part(weight, other) for other in every)
        label = partition(edges, weight, parts, seed, most=1.05 * lightest)
        balance.append(heaviest_part(weight, label) / lightest)
        as_even = [o for o in every if heaviest_part(weight, o) <= heaviest_part(weight, label)]
        cut.append(cut_of(edges, label) - min(cut_of(edges, other) for other in as_even))
    # A heuristic: good on average, and no single graph far off.
    assert np.mean(np.array(balance) <= 1.05) > 0.9
    assert max(balance) < 1.2
    assert np.mean(np.array(cut) < 1e-9) > 0.7
