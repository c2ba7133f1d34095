"""The bench measures what it says; how fast anything is, no test asks."""

import json
from dataclasses import asdict, replace

import numpy as np
import pytest

from albic.cli.shared.screen import screen
from albic.experiments.manifest import beginning
from albic.model import Allocation, metrics
from albic.sim.workload import synthetic
from bench.first_plan import start
from bench.goals import Goal, Result, amount, timed
from bench.highs import plain
from bench.instances import STAGE_GROUPS, STAGE_NODES, Case, paper_cases, staged
from bench.joint import Run, Schedule, joint, obtained, rounds
from bench.large_clusters import measured, peak_gib, scale_cases
from bench.makespan import makespan
from bench.paper_clusters import clusters
from bench.planners import main, parsed, sections
from bench.report import BEGIN, END, generated, page, report, save, show
from bench.tightness import SKEWED, STAGES, VARIED, measured_bound, questions

TINY = Case(nodes=4, key_groups=24, operators=2, varies_pct=20.0, moves=3, seed=1)
NAN = float("nan")


def missed(result: Result) -> list[str]:
    """Return the goals that have nothing to do with time and do not hold."""
    return [goal.what for goal in result.goals if not goal.holds and goal.unit not in {"s", "ms"}]


def result_of(*goals: Goal) -> Result:
    row = {"cluster": "20/400/10", "moves": 10, "gap": 0.25, "printed": None}
    return Result(goals, (row,), (row,), seconds=1.5)


def test_there_are_81_paper_clusters_and_8_large_ones():
    assert len(set(paper_cases(quick=False))) == 81
    assert len(set(scale_cases(quick=False))) == 8
    assert set(paper_cases(quick=True)) < set(paper_cases(quick=False))
    assert {case.nodes for case in scale_cases(quick=True)} == {200, 1000}


@pytest.mark.parametrize(
    ("goal", "holds"),
    [
        pytest.param(Goal("gap", 0.25, 0.25), True, id="just enough"),
        pytest.param(Goal("gap", 0.25, 0.26), False, id="too much"),
        pytest.param(Goal("times", 3.5, 3.6, least=True), True, id="more is better"),
        pytest.param(Goal("times", 3.5, 3.4, least=True), False, id="too little"),
        pytest.param(Goal("gap", 0.25, NAN), False, id="nothing measured keeps no promise"),
        pytest.param(Goal("times", 3.5, NAN, least=True), False, id="nor where more is better"),
    ],
)
def test_a_goal_holds_only_if_it_was_measured_to(goal, holds):
    assert goal.holds is holds


def test_numbers_are_short_and_without_exponents():
    assert [amount(value) for value in (0, 0.00012, 0.123456, 12.3456, 123456.7)] == [
        "0",
        "0.0001",
        "0.123",
        "12.3",
        "123,457",
    ]


def test_on_a_tiny_cluster_highs_alone_proves_what_lies_between_bound_and_search():
    result = clusters([TINY], highs_seconds=5.0, paper=True)
    (row,) = result.rows
    assert row["highs_optimal"]
    assert row["bound"] - 1e-3 <= row["highs"] <= row["search"] + 1e-3
    assert row["search"] <= row["flux"]
    assert row["printed"] <= row["start"]
    assert missed(result) == []


def test_highs_alone_starts_from_nothing():
    # In no time it finds nothing at all; a start or the search's bound would show here.
    large = Case(60, 1200, 30, 80.0, 40, 1)
    alone = plain(large, 0.05, paper=False)
    request = large.request(1.0)
    before = metrics.load_distance(request.snapshot, request.snapshot.allocation)
    assert alone.distance_pct == pytest.approx(before)
    assert not alone.optimal


def test_large_clusters_are_measured_at_every_time_limit():
    rows = measured(TINY, [0.01, 0.02])
    assert [row["limit_s"] for row in rows] == [0.01, 0.02]
    assert all(row["gap"] >= -1e-6 and row["findings"] == 0 for row in rows)
    assert 0.01 < peak_gib() < 64
    assert Case(**json.loads(json.dumps(asdict(TINY)))) == TINY


def test_every_stage_begins_with_as_many_key_groups_on_every_node():
    snapshot = staged(seed=1)
    cells = snapshot.topology.operator_of() * STAGE_NODES + snapshot.allocation.owner
    assert set(np.bincount(cells)) == {STAGE_GROUPS // STAGE_NODES}
    shares = metrics.stage_loads(snapshot, snapshot.allocation).sum(axis=1)
    assert shares / shares.sum() == pytest.approx([0.2, 0.5, 0.3])


def test_a_latency_of_one_is_even_in_every_stage():
    result = makespan([1])
    assert all(1 <= row["bound"] <= row["makespan"] + 1e-9 for row in result.rows)
    assert all(row["makespan"] < row["distance"] for row in result.rows)
    assert [row["moves"] for row in result.summary] == [13, 40]


def test_all_partners_together_is_all_that_is_obtainable():
    snapshot = synthetic(5, 100, 2, 20.0, 0.5, seed=1)
    assert obtained(snapshot, Allocation(np.zeros(100))) == 1
    pairs = np.flatnonzero(np.diff(snapshot.traffic.indptr) == 1)
    assert pairs.size == 25
    apart = np.zeros(100)
    apart[pairs[:5]] = 1
    assert obtained(snapshot, Allocation(apart)) == pytest.approx(0.8)


def test_a_round_keeps_to_the_budget_and_the_next_starts_where_it_ended():
    run = Run("ALBIC", rounds=3, time_limit_s=0.05, seed=1)
    rows = rounds(run)
    assert [row["round"] for row in rows] == [1, 2, 3]
    assert all(0 < row["moves"] <= 20 and row["findings"] == 0 for row in rows)
    # 20 of 800 moves cannot mend the start at once; later rounds build on the first.
    assert rows[2]["collocation"] > rows[0]["collocation"]


def test_both_comparisons_of_joint_have_their_goals():
    result = joint([1], Schedule(near_rounds=1, far_rounds=1))
    assert {row["method"] for row in result.rows} == {"joint ≤ 1", "joint ≤ 0.5", "ALBIC"}
    # After one round nothing has settled, and what was not measured must not hold.
    assert [goal.holds for goal in result.goals if "meanwhile" in goal.what] == [False, False]


@pytest.mark.slow
def test_a_fresh_process_is_timed_from_outside():
    (row,) = timed(lambda: start(processes=1)).rows
    assert row["ready_s"] > 0.05
    assert row["plan_s"] > 0


def test_every_section_can_be_chosen_and_nonsense_cannot():
    for name in sections(parsed([])):
        assert parsed(["--only", name]).only == [name]
    assert parsed([]).highs_seconds > parsed(["--quick"]).highs_seconds
    with pytest.raises(SystemExit):
        parsed(["--highs-seconds", "0"])


def test_the_page_is_written_between_its_lines_only_and_again():
    results = {"clusters": result_of(Goal("gap", 0.25, 0.1, "points"), Goal("times", 2, NAN))}
    made = report(results, {"quick": True}, 60.0, beginning())
    text = f"before\n{BEGIN}\nyesterday\n{END}\nafter\n"
    once = page(text, results, made)
    assert once.startswith(f"before\n{BEGIN}\n")
    assert once.endswith(f"{END}\nafter\n")
    assert "yesterday" not in once
    assert page(once, results, made) == once
    assert "| clusters | gap | ≤ 0.25 points | 0.1 points | yes |" in generated(results, made)
    assert "1 of 2 goals hold" in once
    with pytest.raises(ValueError, match="to write between"):
        page("a page without the lines", results, made)


def test_the_results_are_json_even_where_something_is_no_number(tmp_path):
    results = {"clusters": result_of(Goal("gap", 0.25, NAN))}
    save(report(results, {}, 1.0, beginning()), tmp_path / "new" / "planners.json")
    read = json.loads((tmp_path / "new" / "planners.json").read_text(encoding="utf-8"))
    (goal,) = read["sections"]["clusters"]["goals"]
    assert (goal["measured"], goal["holds"], read["missed"]) == (None, False, 1)
    assert {"machine", "versions", "commit", "seconds", "options"} <= read.keys()


def test_a_section_is_shown_with_what_it_misses(capsys):
    show(screen(), "clusters", replace(result_of(Goal("gap", 0.25, 0.3, "points")), seconds=2.0))
    shown = capsys.readouterr().out
    assert "0.3 points" in shown
    assert "NO" in shown


@pytest.mark.parametrize("forgiving", [False, True])
def test_a_missed_goal_is_the_exit_code_unless_told_otherwise(tmp_path, forgiving):
    kept = tmp_path / "run.json"
    options = ["--quick", "--only", "makespan", "--output", str(kept)]
    code = main([*options, "--no-goals"] if forgiving else options)
    read = json.loads(kept.read_text(encoding="utf-8"))
    assert list(read["sections"]) == ["makespan"]
    assert read["options"]["seeds"] == [1]
    assert code == (1 if read["missed"] and not forgiving else 0)


def test_bounds_are_measured_on_every_family():
    asked = questions([1])
    assert {each.family for each in asked} == {VARIED, SKEWED, STAGES}
    some = [next(each for each in asked if each.family == family) for family in (SKEWED, STAGES)]
    for row in (measured_bound(each) for each in some):
        assert row["bound"] <= row["plan"]
        assert row["gap"] >= 0
        assert row["findings"] == 0
