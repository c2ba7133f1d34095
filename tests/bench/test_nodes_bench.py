"""The bench on isolated nodes counts right; that albic is fast, it has to show on nodes."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyspark", reason="the extra albic[spark] is missing")

from albic.control.batches import BatchRecord
from albic.control.journal import RoundRecord, Status
from albic.experiments.manifest import beginning
from albic.jobs.drifting import Drift, hot_order, ranks
from albic.model import InvalidInput
from bench.goals import Goal, Result
from bench.node_page import conclusions, pictured
from bench.node_scenes import CORE, COUNTING, acts, bare, rehearsals
from bench.node_tables import busiest_s, judged, learnt_speeds, stage_bounds
from bench.nodes import BARE, NAMES, WAYS, full, in_order, main, order, parsed, remaining, resumed
from bench.report import kept, page, report, save
from bench.scenes import ALBIC, IMPATIENT, PLAIN, Run

ACTS = acts(quick=False)
DRIFT = ACTS["drift"]
GROUPS = DRIFT.scene.job.key_groups


def batch(at: int, batch_s: float, *, late_s: float = 0.0, remote: int = 0) -> BatchRecord:
    """One batch of 16 key groups on four nodes; with ``late_s`` the first one had to be loaded."""
    busy = (1.0 + late_s, *(1.0,) * (GROUPS - 1))
    node = tuple(str(group % 4) for group in range(GROUPS))
    loaded = (late_s > 0, *(False,) * (GROUPS - 1))
    return BatchRecord(at, at, batch_s, batch_s - 0.5, busy, node, loaded, remote_bytes=remote)


def run(way: str, *took: float, **more) -> Run:
    return Run(way, tuple(batch(at, each) for at, each in enumerate(took)), **more)


def measured(albic_s: float, plain_s: float, impatient_s: float) -> list[Run]:
    steered = {"controller_s": 0.01}
    return [
        run(PLAIN, *(plain_s,) * 8),
        run(IMPATIENT, *(impatient_s,) * 8),
        run(ALBIC, *(albic_s,) * 8, **steered),
        run(ALBIC, *(albic_s + 0.1,) * 8, **steered),
    ]


def test_every_scene_of_the_issue_is_there_with_its_goals() -> None:
    wanted = {
        name: [(promise.most, promise.against, promise.of) for promise in act.promises]
        for name, act in ACTS.items()
    }
    plain, best, batch_s = "plain as it comes", "the best plain setting", "batch s"
    assert wanted == {
        "drift": [(0.80, plain, batch_s), (1.00, best, batch_s)],
        "state": [(0.85, best, batch_s), (0.85, best, "p95 s")],
        "state-disk": [(1.00, best, batch_s)],
        "torn": [(0.72, plain, batch_s)],
        "torn-1g": [(1.00, plain, batch_s)],
        "torn-loopback": [(1.00, plain, batch_s)],
        "chain": [(0.85, best, batch_s)],
        "calm": [(1.01, plain, batch_s)],
        "half": [(0.75, plain, batch_s)],
        "late": [(0.60, plain, batch_s)],
    }
    assert [name for name, act in ACTS.items() if act.local] == ["torn"]
    assert [name for name, act in ACTS.items() if act.learns] == ["half"]


def test_nobody_waits_and_changes_are_within_what_counts() -> None:
    for act in ACTS.values():
        scene = act.scene
        assert scene.load.wait_ms == 0
        assert scene.opening <= scene.before
        assert scene.settling < scene.after
        assert scene.planner == ("joint" if scene.operators > 1 else "auto")
    for name in ("drift", "state", "state-disk", "chain"):
        scene = ACTS[name].scene
        changes = [at for at in range(scene.before + scene.after) if scene.load.change_at(at)]
        assert len(changes) >= 2
        assert changes[0] == scene.before
    every = rehearsals(act.scene for act in ACTS.values())
    assert len(every) == 4
    assert [scene.job for scene in rehearsals([ACTS["chain"].scene])] == [ACTS["chain"].scene.job]
    assert len(rehearsals(bare())) == 3


def test_phases_are_as_uneven_as_the_middle_one_of_many_draws() -> None:
    def uneven(drift: Drift, phase: int) -> float:
        load = np.zeros(drift.key_groups)
        load[hot_order(drift, 8)[phase]] = np.bincount(ranks(drift))
        return 4 * load.reshape(-1, 4).sum(axis=0).max() / load.sum()

    draws = [replace(COUNTING, seed=seed) for seed in range(1, 41)]
    many = [uneven(drift, phase) for drift in draws for phase in range(8)]
    for phase in range(3):
        assert uneven(COUNTING, phase) == pytest.approx(np.median(many), abs=0.05)


def test_runs_go_there_and_back_again() -> None:
    assert order(parsed([])) == (*WAYS, *reversed(WAYS))
    assert order(parsed(["--quick"])) == WAYS


def test_the_middle_of_both_runs_counts_and_goals_can_be_missed() -> None:
    found = judged(DRIFT, measured(2.0, 4.0, 2.5))
    ours = next(row for row in found.summary if row["way"] == ALBIC)
    assert ours["batch s"] == pytest.approx(2.05)
    assert ours["quartiles"] == "2.00 to 2.10"
    assert [goal.holds for goal in found.goals] == [True, True, True]
    assert found.goals[0].measured == pytest.approx(2.05 / 4)
    assert found.goals[1].measured == pytest.approx(2.05 / 2.5)
    slow = judged(DRIFT, measured(3.9, 4.0, 2.5))
    assert [goal.holds for goal in slow.goals] == [False, False, True]
    assert len(found.rows) == 4 * 8


def test_a_controller_that_was_not_measured_keeps_no_promise() -> None:
    found = judged(DRIFT, [run(PLAIN, 4.0, 4.0, 4.0, 4.0), run(ALBIC, 2.0, 2.0, 2.0, 2.0)])
    assert not found.goals[-1].holds
    assert judged(DRIFT, [run(PLAIN, 4.0)]).goals == ()


def test_bytes_between_nodes_are_a_goal_where_pairs_were_torn() -> None:
    torn = replace(ACTS["torn"], scene=replace(ACTS["torn"].scene, job=DRIFT.scene.job))
    records = tuple(batch(at, 2.0, remote=8_000_000) for at in range(4))
    stray = Run(ALBIC, records, controller_s=0.001)
    goal = judged(torn, [run(PLAIN, *(4.0,) * 4), stray]).goals[1]
    assert (goal.measured, goal.holds) == (8.0, False)


def test_what_a_load_costs_is_what_it_takes_beyond_the_usual() -> None:
    loading = Run(IMPATIENT, (batch(0, 4.0, late_s=1.5),), state_bytes=(20_000_000,) * GROUPS)
    found = judged(DRIFT, [run(PLAIN, 4.0), loading])
    theirs = found.summary[1]
    assert (theirs["loaded"], theirs["s a load"]) == (1, pytest.approx(1.5))
    assert theirs["MB a load"] == pytest.approx(20)
    assert theirs["bound s"] == pytest.approx(GROUPS / 4)


def test_a_slow_node_is_less_than_a_node_and_stages_follow_each_other() -> None:
    half = ACTS["half"]
    assert half.scene.place is not None
    assert half.scene.place.cpu == (CORE, CORE, CORE, CORE / 2)
    assert stage_bounds(half, {0: (1.0,) * 16})[0] == pytest.approx(16 / 3.5)
    chain = ACTS["chain"]
    assert stage_bounds(chain, {0: (1.0,) * 24})[0] == pytest.approx(3 * 2)
    record = BatchRecord(0, 0.0, 9.0, 8.0, (1.0, 2.0, 3.0, 1.0), tuple("abbb"), (False,) * 4)
    assert busiest_s(record, 2) == pytest.approx(2 + 4)
    assert busiest_s(record, 1) == pytest.approx(6)


def test_learnt_speeds_are_held_against_the_truth() -> None:
    def learning(slow: float) -> Run:
        nodes = [{"id": str(at), "capacity": 1.1} for at in range(3)]
        snapshot = {"nodes": [*nodes, {"id": "3", "capacity": slow}]}
        told = RoundRecord(1, 0.0, "period", Status.HELD, "", snapshot=snapshot)
        speed = {"0": 1.0, "1": 1.0, "2": 1.0, "3": 0.5}
        return run(ALBIC, *(2.0,) * 8, rounds=(told,), speed=speed, controller_s=0.01)

    assert learnt_speeds(learning(0.55)) == pytest.approx({"0": 1, "1": 1, "2": 1, "3": 0.5})
    for slow, holds in ((0.6, True), (1.1, False)):
        goals = judged(ACTS["half"], [run(PLAIN, *(4.0,) * 8), learning(slow)]).goals
        assert goals[1].holds is holds
    assert goals[1].measured == pytest.approx(100)


def test_a_run_that_was_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "nodes.json"
    goal = Goal("batch", 1.0, math.nan)
    results = {
        "torn": Result((goal,), ({"batch": 1},), ({"way": ALBIC},), 3.0, "old"),
        "drift": Result((), (), ({"way": PLAIN},), 2.0, "new"),
    }
    save(report(in_order(results), {}, 5.0, beginning()), path)
    assert list(kept(path)) == ["drift", "torn"]
    again = kept(path)["torn"]
    assert math.isnan(again.goals[0].measured)
    assert (again.commit, again.rows, again.seconds) == ("old", ({"batch": 1},), 3.0)
    options = parsed(["--output", str(path), "--resume"])
    assert list(resumed(options, "new")) == ["drift"]
    assert remaining(options, resumed(options, "new")) == [*NAMES[1:], BARE]
    every = parsed(["--output", str(path), "--resume", "any", "--only", "torn"])
    assert list(resumed(every, "new")) == ["drift", "torn"]
    assert remaining(every, resumed(every, "new")) == ["torn"]
    assert resumed(parsed(["--output", str(path)]), "new") == {}
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(InvalidInput, match="no result of"):
        kept(path)


def test_only_whole_scenes_go_into_the_repository() -> None:
    assert full(parsed([]))
    assert full(parsed(["--only", "torn", "--resume", "any"]))
    assert not full(parsed(["--only", "torn"]))
    assert not full(parsed(["--quick"]))
    assert not full(parsed(["--resume", "--way", ALBIC]))


def test_the_page_says_where_a_wait_of_0_s_is_enough_and_what_was_missed() -> None:
    results = {
        "drift": judged(DRIFT, measured(2.5, 4.0, 2.5)),
        "late": judged(ACTS["late"], measured(2.0, 4.0, 6.0)),
    }
    text = conclusions(results, ACTS)
    enough, _, rest = text.partition("Here it is not enough")
    assert "| drift |" in enough
    assert "| late |" not in enough
    assert "| late |" in rest
    assert "drift: batch, times the best plain setting" in rest
    begun = beginning()
    body = page(
        "a\n<!-- written by make bench -->\n<!-- until here -->\n",
        results,
        report(results, {}, 1.0, begun),
        text,
    )
    assert body.index("### late") < body.index("## When a wait of 0 s is all you need")


def test_the_picture_shows_every_way_and_marks_the_changes() -> None:
    took = (2.0,) * 20
    runs = [run(way, *took) for way in (*WAYS, ALBIC)]
    chart = pictured(judged(DRIFT, runs), DRIFT)
    assert [series.label for series in chart.series] == list(WAYS)
    assert chart.marks == ((6, "hot keys change"), (14, "hot keys change"))
    assert chart.series[0].x[0] == DRIFT.scene.opening


def test_a_results_file_of_something_else_is_refused_in_a_sentence(tmp_path: Path, capsys) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}", encoding="utf-8")
    assert main(["--output", str(path), "--resume"]) == 2
    assert "no result of albic-bench/1" in capsys.readouterr().err.replace("\n", " ")
    assert path.read_text(encoding="utf-8") == "{}"
