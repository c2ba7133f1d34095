"""The bench on Spark counts right; that albic is fast, it has to show on a cluster."""

import numpy as np
import pytest

from albic.control import Settings
from albic.control.adaptation import request_for
from albic.control.batches import BatchRecord, bound_s
from albic.control.journal import MoveRecord, RoundRecord, Status
from albic.model import violations
from bench.best_possible import goals, group_times, judged, percentile
from bench.even_counts import EvenCounts, evened
from bench.scenes import ALBIC, EVEN, IMPATIENT, PLAIN, Run, Scene, scenes
from bench.spark import NAMES, chosen, parsed
from tests.worlds import world

SCENE = scenes(quick=True)[0]


def batch(number: int, busy_s, node="1111", loaded="....", batch_s=5.0, stage_s=4.0) -> BatchRecord:
    return BatchRecord(
        number,
        float(number),
        batch_s,
        stage_s,
        tuple(busy_s),
        tuple(node),
        tuple(mark == "x" for mark in loaded),
    )


def round_of(judged_: int, compliant: int, moves: int = 0) -> RoundRecord:
    move = MoveRecord("count", 0, "1", "2", 10)
    status = Status.APPLIED if moves else Status.HELD
    return RoundRecord(
        1, 0.0, "period", status, "", moves=(move,) * moves, judged=judged_, compliant=compliant
    )


def test_no_placement_beats_even_work_or_the_largest_key_group() -> None:
    assert bound_s((1.0, 1.0, 1.0, 1.0), 4) == 1
    assert bound_s((3.0, 1.0), 4) == 3
    assert bound_s((), 4) == 0


def test_a_batch_knows_who_worked_how_long_and_how_far_from_the_mean() -> None:
    record = batch(1, (1.0, 1.0, 2.0, 4.0), node="1123", loaded="...x")
    assert record.node_busy_s() == {"1": 2.0, "2": 2.0, "3": 4.0}
    assert record.moved == 1
    assert record.distance_pct(4) == pytest.approx(100 * 2 / 5)


def test_what_a_way_paid_for_loading_is_not_in_the_bound() -> None:
    calm = Run(PLAIN, (batch(4, (1.0, 1.0, 1.0, 1.0)),))
    busy = Run(IMPATIENT, (batch(4, (1.0, 9.0, 1.0, 9.0), loaded=".x.x"),))
    assert group_times([calm, busy]) == {4: (1.0, 1.0, 1.0, 1.0)}
    assert group_times([busy]) == {4: (1.0, 9.0, 1.0, 9.0)}


def test_batches_before_the_scene_begins_do_not_count() -> None:
    run = Run(PLAIN, tuple(batch(number, (1.0,) * 4) for number in range(6)), counts_from=4)
    assert [record.batch for record in run.counted] == [4, 5]


def test_percentiles_are_values_that_were_measured() -> None:
    values = [5.0, 1.0, 2.0, 3.0, 4.0]
    assert (percentile(values, 50), percentile(values, 95)) == (3, 5)


def test_goals_compare_with_the_best_plain_setting_and_can_be_missed() -> None:
    def run(way: str, batch_s: float, stage_s: float, **more) -> Run:
        records = tuple(
            batch(number, (4.0, 4.0, 4.0, 4.0), batch_s=batch_s, stage_s=stage_s)
            for number in range(8)
        )
        return Run(way, records, counts_from=4, **more)

    plain = [run(PLAIN, 10.0, 9.0), run(IMPATIENT, 8.0, 7.0), run(EVEN, 9.0, 8.0)]
    good = run(ALBIC, 5.0, 4.2, rounds=(round_of(100, 99, moves=3),), controller_s=0.3)
    found = judged(SCENE, [*plain, good])
    assert [goal.holds for goal in found.goals] == [True] * 5
    ratio = next(goal for goal in found.goals if "best plain" in goal.what)
    assert ratio.measured == pytest.approx(5 / 8)
    assert IMPATIENT in ratio.note
    ours = found.summary[-1]
    assert ours["stage / bound"] == pytest.approx(4.2 / 4)
    assert ours["moves"] == 3
    slow = run(ALBIC, 9.0, 8.0, rounds=(round_of(100, 90),), controller_s=3.0)
    assert not any(goal.holds for goal in judged(SCENE, [*plain, slow]).goals)
    unknown = run(ALBIC, 5.0, 4.2)
    held = [goal.holds for goal in judged(SCENE, [*plain, unknown]).goals]
    assert held == [True, True, True, False, False]
    assert len(found.rows) == 4 * 8


def test_without_albic_there_is_nothing_to_promise() -> None:
    assert goals(SCENE, {}, {}) == ()


def test_each_scene_can_be_asked_for_and_measures_something() -> None:
    for name, scene in zip(NAMES, scenes(quick=False), strict=True):
        assert chosen(parsed(["--only", name])) == [scene]
        assert scene.settling < scene.after
    assert [scene.name for scene in chosen(parsed(["--quick"]))] == [
        scene.name for scene in scenes(quick=True)
    ]
    late = scenes(quick=False)[1]
    assert (late.nodes, late.joining) == (2, 2)
    assert all(isinstance(scene, Scene) for scene in scenes(quick=True))


def test_even_counts_look_at_numbers_and_not_at_loads() -> None:
    assert evened(np.array([0, 0, 0, 0]), np.array([True, True]), 8).tolist() == [0, 0, 1, 1]
    assert evened(np.array([0, 0, 0, 0]), np.array([True, True]), 1).tolist() == [0, 0, 0, 1]
    assert evened(np.array([0, 1, 1]), np.array([True, False]), 8).tolist() == [0, 0, 0]
    asked = request_for(world("a: 90 5 5 5 | b:").snapshot, Settings())
    plan = EvenCounts().plan(asked)
    assert violations(plan, asked) == []
    assert len(plan.moves) == 2
