"""What single points measure, on clusters small enough to reckon by hand."""

import numpy as np
import pytest

from albic.experiments.runs import scale
from albic.experiments.runs.lemmas import (
    forced_onto_marked,
    least_while_left,
    printed_optima,
    random_request,
    small_request,
)
from albic.experiments.runs.methods import MILP, SEARCH
from albic.experiments.runs.racks import RacksPlanner
from albic.experiments.runs.scale import AT_ONCE, RACKS, ScalePoint, grow
from albic.experiments.runs.scale_in import ScaleInPoint, evenly_emptied, marked_cluster
from albic.model import Budget, PlanRequest, metrics, violations
from albic.planners.milp import MilpPlanner
from albic.planners.printed_milp import Printed
from albic.sim.workload import synthetic

FIRST = small_request(np.array([12.0, 8, 12, 12, 1]), np.array([0, 0, 1, 2, 3]), 4, 1)
SECOND = small_request(np.array([3.0, 3, 1]), np.array([0, 1, 2]), 3, 1)
SMALL = ScaleInPoint(6, 30, 2, 2, 1, 4, 1, "x", SEARCH, 1.5, 0.02, seed=1)


def growing(method, sizes=(4, 8), patience_s=60.0):
    return ScalePoint(method, sizes, 10, 2.0, 2, 20.0, 0.5, 10.0, 0.05, patience_s, 8.0, seed=1)


def test_the_counter_examples_are_ones():
    assert forced_onto_marked(FIRST)
    assert not forced_onto_marked(SECOND)
    assert printed_optima(SECOND).tolist() == [[0, 1, 2]]
    assert least_while_left(SECOND)


def test_a_program_without_a_solution_has_no_optimum():
    asked = small_request(np.array([2.0] * 6), np.zeros(6, dtype=np.int64), 5, 1)
    assert printed_optima(asked).size == 0
    assert not forced_onto_marked(asked)


def test_enumeration_and_highs_agree_on_the_printed_program():
    planner = MilpPlanner("paper", Printed(signed=False))
    compared = 0
    for seed in range(3):
        request = PlanRequest(
            random_request(seed).snapshot, random_request(seed).budget, time_limit_s=30.0
        )
        optima = printed_optima(request)
        if len(optima):
            assert planner.plan(request).target.owner.tolist() in optima.tolist()
            compared += 1
    assert compared


def test_overloaded_nodes_have_a_load_of_100_and_the_last_are_marked():
    snapshot = marked_cluster(SMALL)
    loads = metrics.node_loads(snapshot, snapshot.allocation)
    assert loads[0] == pytest.approx(100)
    assert loads[1:].max() < 60
    assert np.flatnonzero(snapshot.cluster.draining()).tolist() == [4, 5]


def test_a_separate_scale_in_spends_the_budget_and_deals_evenly():
    snapshot = marked_cluster(SMALL)
    target = evenly_emptied(snapshot, 4)
    moved = target.moved_from(snapshot.allocation)
    assert moved.size == 4
    assert set(target.owner[moved].tolist()) == {0, 1, 2, 3}


@pytest.mark.parametrize("rack_nodes", [2, 3, 50])
def test_racks_keep_to_all_rules_and_make_loads_more_even(rack_nodes):
    snapshot = synthetic(12, 240, 4, 40.0, 0.0, seed=1)
    request = PlanRequest(snapshot, Budget(40), time_limit_s=0.2)
    plan = RacksPlanner(rack_nodes).plan(request)
    assert violations(plan, request) == []
    before = metrics.load_distance(snapshot, snapshot.allocation)
    assert metrics.load_distance(snapshot, plan.target) < before / 3


def test_a_planner_grows_until_its_sizes_end():
    (first,) = grow(growing(AT_ONCE, sizes=(8,)))
    assert first["failed"] == ""
    assert first["distance"] < first["start"]
    assert first["peak_gib"] > 0


def test_a_planner_that_takes_too_long_has_failed_and_is_asked_no_more():
    (only,) = grow(growing(SEARCH, patience_s=0.0))
    assert only["nodes"] == 4
    assert "no plan within 0 s" in only["failed"]


def test_a_planner_that_moves_nothing_has_failed():
    row = scale.planned(growing("nothing moves"), 4)
    assert "never moves" in row["failed"]


def test_every_planner_of_the_figure_is_known():
    for method in (MILP, RACKS, AT_ONCE):
        assert callable(scale.planner_of(method).plan)
