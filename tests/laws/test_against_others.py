"""What one planner is compared with another, or with doing nothing."""

from dataclasses import replace

import numpy as np
import pytest

from albic.model import Objective, Outcome, PlanRequest, metrics
from albic.optimize.aim import Aim
from albic.planners.flux import FluxPlanner
from albic.planners.problem import problem_of
from tests.strategies import small_requests
from tests.worlds import request

#: A thousandth of a point is no benefit; a planner may leave it.
NO_BENEFIT_PCT = 2e-3


def cost(owner: np.ndarray, asked: PlanRequest) -> float:
    """Return the objective and what is left to drain: what all planners make small."""
    return Aim(problem_of(asked)).first(owner)


@pytest.mark.parametrize("name", ["milp", "auto"])
def test_an_optimal_plan_is_no_worse_than_that_of_flux(subject_of, name):
    subject = subject_of(name)

    def law(asked):
        plan, flux = subject.plan(asked), FluxPlanner().plan(asked)
        if plan.outcome is Outcome.OPTIMAL:
            assert cost(plan.target.owner, asked) <= cost(flux.target.owner, asked) + NO_BENEFIT_PCT

    subject.obeys(law, small_requests(objective=Objective.DISTANCE))


def test_an_exact_planner_finds_its_proof_on_small_clusters(subject_of):
    subject = subject_of("milp")

    def law(asked):
        assert subject.plan(asked).outcome is Outcome.OPTIMAL

    subject.obeys(law, small_requests())


@pytest.mark.parametrize("name", ["search", "auto", "milp", "joint", "albic", "flux"])
def test_no_planner_makes_the_objective_worse_without_draining_or_collocating(subject_of, name):
    subject = subject_of(name)

    def law(asked):
        plan = subject.plan(asked)
        stays = asked.snapshot.allocation.owner
        assert cost(plan.target.owner, asked) <= cost(stays, asked) + 1e-6

    # Flux knows loads, not stages, and says so.
    known = {"objective": Objective.DISTANCE} if name == "flux" else {}
    subject.obeys(law, small_requests(traffic=(), **known))


def test_the_search_is_no_worse_than_flux_under_the_same_budget(subject_of):
    subject = subject_of("search")

    def law(asked):
        flux = FluxPlanner().plan(asked)
        assert cost(subject.plan(asked).target.owner, asked) <= (
            cost(flux.target.owner, asked) + NO_BENEFIT_PCT
        )

    subject.obeys(law, small_requests(objective=Objective.DISTANCE, unit="moves"))


@pytest.mark.parametrize("seed", range(30))
def test_the_search_is_no_worse_than_flux_on_clusters_of_all_kinds(subject_of, seed):
    asked = mixed_cluster(seed)
    plan, flux = subject_of("search").plan(asked), FluxPlanner().plan(asked)
    assert cost(plan.target.owner, asked) <= cost(flux.target.owner, asked) + 1e-6


def mixed_cluster(seed: int) -> PlanRequest:
    """Return a cluster of 4 to 12 nodes with about 6 key groups each."""
    rng = np.random.default_rng(seed)
    nodes = int(rng.integers(4, 13))
    groups = 6 * nodes
    return request(
        rng.gamma(2.0, 3.0, groups).tolist(),
        rng.integers(0, nodes, groups).tolist(),
        nodes,
        budget=float(rng.integers(1, 20)),
        unit="cost" if seed % 4 == 0 else "moves",
        state_bytes=rng.integers(1, 5, groups).tolist(),
        capacities=rng.choice([0.5, 1.0, 2.0], nodes).tolist() if seed % 3 == 0 else None,
        draining=[nodes - 1] if seed % 5 == 0 else [],
        background=rng.uniform(0, 10, nodes).tolist() if seed % 2 == 0 else None,
        memory=rng.uniform(0, 6, groups).tolist() if seed % 6 == 1 else None,
        limits_pct=[100, 60, 100],
        seed=seed,
    )


@pytest.mark.parametrize("name", ["albic", "joint"])
def test_collocation_stays_within_the_maximum_or_the_plan_is_the_plain_one(subject_of, name):
    subject = subject_of(name)

    def law(asked):
        plan = subject.plan(asked)
        distance = metrics.load_distance(asked.snapshot, plan.target)
        if distance > asked.max_load_distance_pct + 1e-6:
            plain = subject.plan(replace(asked, snapshot=without_traffic(asked)))
            assert cost(plan.target.owner, asked) <= cost(plain.target.owner, asked) + 1e-2

    subject.obeys(law, small_requests(objective=Objective.DISTANCE))


def without_traffic(asked: PlanRequest):
    """Return the same snapshot in which nobody talks."""
    return replace(asked.snapshot, traffic=0 * asked.snapshot.traffic)
