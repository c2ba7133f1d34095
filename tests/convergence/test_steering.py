"""The real controller on simulated jobs: whatever happens to them, it comes to rest."""

from dataclasses import replace

import numpy as np
import pytest

from albic.control.journal import Status
from albic.model import Objective, ScalingDecision
from albic.planners import PLANNERS
from albic.sim import (
    COMPUTE_ONLY,
    EVERY_STEP,
    Degradation,
    Eyesight,
    FlashCrowd,
    HotKeys,
    Join,
    Loss,
    Run,
    Scene,
    ScriptedScaling,
    Steering,
    World,
    heterogeneous,
    patterned,
    random_events,
    real_job,
    simulate,
    steady_scene,
    synthetic,
)

BUDGET = 6
#: So much time, for so little work, that a slow machine finds the same plans as a fast one.
AMPLE_S, PROPOSALS_PER_S = 5.0, 20_000
#: A plan has to win something, or every whisper of a load would move state.
SETTINGS = replace(EVERY_STEP, max_migrations=BUDGET, least_gain=0.02, time_limit_s=AMPLE_S)
PLAN_WITH = ["search", "joint", "flux"]


@pytest.fixture(autouse=True)
def _no_race(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("albic.planners.search.PROPOSALS_PER_S", PROPOSALS_PER_S)


def scene(seed: int = 1) -> Scene:
    """Return six nodes and sixty key groups that are not balanced."""
    return steady_scene(synthetic(6, 60, 3, varies_pct=60, one_to_one=0.5, seed=seed))


def steered(name: str, job: Scene, periods: int, world: World | None = None, **how) -> Run:
    """Return a run under a planner; no round may fail."""
    settings = how.pop("settings", SETTINGS)
    quiet = world or World(costs=COMPUTE_ONLY)
    run = simulate(job, Steering(PLANNERS[name](), settings, **how), periods, quiet)
    assert [record.error for record in run.records if record.status is Status.FAILED] == []
    return run


def moves(run: Run) -> list[int]:
    return [len(r.moves) if r.status is Status.APPLIED else 0 for r in run.records]


@pytest.mark.parametrize("name", PLAN_WITH)
def test_an_unbalanced_job_is_balanced_within_the_budget_and_then_left_alone(name: str) -> None:
    run = steered(name, scene(), 14)
    assert max(moves(run)) <= BUDGET
    assert moves(run)[-4:] == [0] * 4
    first, last = run.periods[0], run.periods[-1]
    assert last.load_distance_pct < first.load_distance_pct
    if name != "joint":  # which may go up to 10 points for collocation
        assert last.load_distance_pct < 2.0


@pytest.mark.parametrize("name", ["search", "joint"])
def test_nothing_moves_to_and_fro(name: str) -> None:
    run = steered(name, scene(), 14)
    last_left: dict[tuple[str, int], str] = {}
    for record in run.records:
        for move in record.moves if record.status is Status.APPLIED else ():
            group = (move.operator, move.partition)
            assert last_left.get(group) != move.target, f"{group} went back to {move.target}"
            last_left[group] = move.source


def test_noise_alone_moves_next_to_nothing() -> None:
    world = World(costs=COMPUTE_ONLY, eyesight=Eyesight(noise_pct=1.0, seed=4))
    run = steered("search", scene(), 20, world)
    assert sum(moves(run)[8:]) <= BUDGET


@pytest.mark.parametrize("name", PLAN_WITH)
def test_a_new_node_gets_its_part(name: str) -> None:
    world = World(costs=COMPUTE_ONLY, events=(Join(3),))
    run = steered(name, scene(), 16, world)
    last = run.periods[-1]
    assert len(last.nodes) == 7
    assert last.node_load_pct[-1] > 0.6 * last.mean_load_pct
    assert moves(run)[-2:] == [0, 0]


@pytest.mark.parametrize("name", PLAN_WITH)
def test_a_lost_nodes_state_is_placed_at_once_whatever_the_budget(name: str) -> None:
    world = World(costs=COMPUTE_ONLY, events=(Loss(7, "node-002"),))
    run = steered(name, scene(), 16, world)
    rescue = next(record for record in run.records if record.trigger == "loss")
    assert {move.source for move in rescue.moves} >= {"node-002"}
    assert len(run.periods[8].nodes) == 5, "one period later it is no part of the cluster"
    assert run.periods[-1].backlog_s == pytest.approx(0.0)
    others = [n for n, r in zip(moves(run), run.records, strict=True) if r.trigger != "loss"]
    assert max(others) <= BUDGET


@pytest.mark.parametrize("name", ["search", "joint"])
def test_draining_nodes_are_emptied_within_the_budget_and_released(name: str) -> None:
    script = ScriptedScaling({2: ScalingDecision("fewer", drain=("node-001", "node-004"))})
    run = steered(name, scene(), 16, scaling=script)
    assert set(run.periods[-1].nodes) == {"node-000", "node-002", "node-003", "node-005"}
    assert max(moves(run)) <= BUDGET
    into = {move.target for record in run.records[2:] for move in record.moves}
    assert not into & {"node-001", "node-004"}
    assert moves(run)[-2:] == [0, 0]


def test_nodes_that_were_asked_for_come_after_their_start_up_and_are_used() -> None:
    script = ScriptedScaling({1: ScalingDecision("more", add=2)})
    world = World(costs=replace(COMPUTE_ONLY, start_up_s=700.0), step_s=300.0)
    run = steered("search", scene(), 14, world, scaling=script)
    assert [len(each.nodes) for each in run.periods[:7]] == [6, 6, 6, 6, 6, 8, 8]
    assert "arrival" in {record.trigger for record in run.records}
    assert run.periods[-1].node_load_pct.min() > 0.6 * run.periods[-1].mean_load_pct


def test_a_crowd_is_spread_and_afterwards_all_is_even_again() -> None:
    crowd = patterned(scene(), FlashCrowd(begins=6, lasts=6, times=3.0, share=0.1, seed=2))
    run = steered("search", crowd, 22)
    came, stayed, after = (run.periods[at].load_distance_pct for at in (6, 11, 21))
    assert stayed < 0.5 * came
    assert after < 3.0


def test_hot_keys_that_wander_are_followed() -> None:
    hot = patterned(scene(), HotKeys(every=4, times=2.5, share=0.1, seed=3))
    held, followed = (steered(name, hot, 20) for name in ("hold", "search"))
    mean = [
        np.mean([each.load_distance_pct for each in run.periods[4:]]) for run in (held, followed)
    ]
    assert mean[1] < 0.5 * mean[0]


def test_a_degraded_node_gets_less_work() -> None:
    world = World(costs=COMPUTE_ONLY, events=(Degradation(3, "node-000", 0.5),))
    run = steered("search", scene(), 14, world)
    assert run.periods[-1].load_distance_pct < 3.0
    assert run.periods[-1].node_load_pct.max() < 100


def test_unequal_nodes_are_loaded_alike() -> None:
    run = steered("search", heterogeneous(scene(), spread=0.5, seed=1), 14)
    assert run.periods[-1].load_distance_pct < 3.0


def test_collocation_makes_the_whole_job_lighter() -> None:
    settings = replace(SETTINGS, max_migrations=10, least_gain=0.0)
    run = steered("joint", real_job(2, 20, seed=1).scene(), 20, World(), settings=settings)
    assert run.periods[0].collocation == 0
    assert run.periods[-1].collocation > 0.95
    assert run.load_index()[-1] < 0.65


def test_makespan_falls_where_stages_run_one_after_the_other() -> None:
    settings = replace(SETTINGS, objective=Objective.MAKESPAN)
    run = steered("search", scene(), 14, settings=settings)
    assert run.periods[-1].makespan_s < 0.8 * run.periods[0].makespan_s
    assert moves(run)[-2:] == [0, 0]


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2, 3))])
@pytest.mark.parametrize("name", ["search", "joint"])
def test_whatever_happens_the_loop_goes_on_and_comes_to_rest(name: str, seed: int) -> None:
    job = scene(seed)
    nodes = [node.id for node in job.cluster.nodes]
    events = random_events(nodes, periods=20, chance=0.2, seed=seed)
    rng = np.random.default_rng(seed)
    survivors = [n for n in nodes if not any(isinstance(e, Loss) and e.node == n for e in events)]
    script = ScriptedScaling(
        {int(rng.integers(3, 18)): ScalingDecision("fewer", drain=(str(rng.choice(survivors)),))}
    )
    run = steered(name, job, 34, World(costs=COMPUTE_ONLY, events=events), scaling=script)
    ordinary = [n for n, r in zip(moves(run), run.records, strict=True) if r.trigger == "period"]
    assert max(ordinary) <= BUDGET
    gone = {e.node for e in events if isinstance(e, Loss)}
    gone |= {node for each in script.decisions.values() for node in each.drain}
    assert not gone & set(run.periods[-1].nodes)
    assert run.periods[-1].backlog_s == pytest.approx(0.0, abs=1e-6)
    assert moves(run)[-3:] == [0] * 3
