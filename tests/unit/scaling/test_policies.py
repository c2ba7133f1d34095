"""Each policy says how many nodes are right, and why."""

from typing import Any

import pytest

from albic.model import InvalidInput, NotReady, PlanRequest, ScalingRequest, Throughput
from albic.planners.search import SearchPlanner
from albic.scaling.latency import Latency
from albic.scaling.rates import TrueRates
from albic.scaling.utilisation import Utilisation
from tests.worlds import world


def asked(drawing: str | PlanRequest, **more: Any) -> ScalingRequest:
    request = world(drawing) if isinstance(drawing, str) else drawing
    return ScalingRequest(0.0, request, SearchPlanner().plan(request), **more)


@pytest.mark.parametrize(
    ("drawing", "nodes", "overloaded"),
    [
        pytest.param("a: 30 30 | b: 30 30", 2, False, id="inside the band"),
        pytest.param("a: 50 45 | b: 48 45", 3, True, id="too much for two"),
        pytest.param("a: 10 10 | b: 10 10", 1, False, id="one would do"),
        pytest.param("a(+50): 45 | b(+50): 45", 3, True, id="background counts"),
        pytest.param("a(x2): 95 95 | b(x2): 95 95", 3, True, id="new ones are like the old"),
        pytest.param("a: 60 60 | b: 50 20", 3, True, id="above even when balanced"),
        pytest.param("a: 30 30 | b: 30 30 | c(draining): 62", 3, True, id="the leaver's work too"),
    ],
)
def test_utilisation_aims_at_its_target(drawing: str, nodes: int, overloaded: bool) -> None:  # noqa: FBT001
    demand = Utilisation().demand(asked(drawing))
    assert (demand.nodes, demand.overloaded) == (nodes, overloaded)
    assert "mean load" in demand.reason


def test_true_rates_count_what_arrives_and_not_only_what_is_done() -> None:
    drawing = "a: 50 45 | b: 48 45"
    assert TrueRates().demand(asked(drawing)).nodes == 3
    falling_behind = asked(drawing, throughput=Throughput(arrived_share=2.0))
    demand = TrueRates().demand(falling_behind)
    assert demand.nodes == 5
    assert demand.overloaded
    assert TrueRates(headroom=0.0).demand(asked("a: 50 50 | b: 50 50")).nodes == 2


def test_time_in_which_no_node_can_work_is_not_there_to_be_used() -> None:
    drawing = "a: 30 30 | b: 30 30"
    for policy, before, after in ((Utilisation(), 2, 3), (TrueRates(), 2, 3)):
        assert policy.demand(asked(drawing)).nodes == before
        held_up = asked(drawing, throughput=Throughput(2.0, 4.0, beside_s=1.6))
        demand = policy.demand(held_up)
        assert (demand.nodes, demand.overloaded) == (after, policy == Utilisation())


def test_a_load_that_grew_counts_as_it_is_now() -> None:
    drawing = "a: 30 30 | b: 30 30"
    grown = asked(drawing, throughput=Throughput(0.6, growth=1.8, interval_s=1.0))
    assert Utilisation().demand(grown).nodes == 4
    assert TrueRates().demand(grown).nodes == 3
    assert Latency().demand(grown).overloaded
    assert not Latency().demand(asked(drawing, throughput=Throughput(0.6, interval_s=1))).overloaded


def in_time(drawing: str | PlanRequest, interval_s: float, beside_s: float = 0.0) -> ScalingRequest:
    # A batch a second makes one point 10 ms.
    kept = Throughput(1.0, interval_s=interval_s, beside_s=beside_s)
    return asked(drawing, throughput=kept)


@pytest.mark.parametrize(
    ("drawing", "interval_s", "beside_s", "nodes"),
    [
        pytest.param("a: 40 40 | b:", 1.0, 0.0, 1, id="one node is enough"),
        pytest.param("a: 40 40 | b:", 0.5, 0.0, 2, id="two are needed"),
        pytest.param("a: 20 20 20 20 | b:", 0.5, 0.2, 4, id="what no node shortens counts too"),
        pytest.param("a: 80 10 | b:", 0.5, 0.0, 2, id="the largest group cannot be split"),
    ],
)
def test_latency_finds_the_smallest_cluster_in_time(
    drawing: str, interval_s: float, beside_s: float, nodes: int
) -> None:
    assert Latency(margin=0.0).demand(in_time(drawing, interval_s, beside_s)).nodes == nodes


def test_latency_says_when_no_number_of_nodes_helps() -> None:
    demand = Latency().demand(in_time("a: 80 10 | b:", 0.5))
    assert demand.overloaded
    assert "largest key groups" in demand.reason


def test_latency_is_not_overloaded_when_the_plan_is_enough() -> None:
    assert not Latency(margin=0.0).demand(in_time("a: 40 40 | b:", 0.5)).overloaded


def test_latency_needs_a_bound_and_a_batch() -> None:
    with pytest.raises(InvalidInput, match="trigger interval"):
        Latency().demand(asked("a: 1 | b: 1", throughput=Throughput(batch_s=1.0)))
    with pytest.raises(NotReady, match="no batch"):
        Latency(bound_s=1.0).demand(asked("a: 1 | b: 1"))


@pytest.mark.parametrize(
    "nonsense",
    [
        lambda: Utilisation(low=0.8),
        lambda: TrueRates(headroom=1.0),
        lambda: Latency(bound_s=0.0),
        lambda: Latency(margin=-0.1),
    ],
)
def test_nonsense_is_refused_at_once(nonsense) -> None:
    with pytest.raises(InvalidInput):
        nonsense()
