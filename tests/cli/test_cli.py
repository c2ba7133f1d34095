"""The command line as its users meet it: what it prints, writes, and says when they err."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from albic import __version__
from albic.cli import main
from albic.model import Allocation, Outcome, SearchReport, plan_for
from albic.model.plan_file import read_plan
from albic.model.snapshot_file import read_snapshot
from albic.planners import PLANNERS

EXAMPLE = Path(__file__).parents[2] / "examples" / "snapshot.json"


class Scatter:
    """A planner that moves every key group to the next node, whatever the budget."""

    def plan(self, request):
        nodes = len(request.snapshot.cluster.nodes)
        target = Allocation((request.snapshot.allocation.owner + 1) % nodes)
        return plan_for(request, target, SearchReport("scatter", Outcome.HEURISTIC, "for fun"))


class Interrupted:
    """A planner whose user has had enough."""

    def plan(self, _):
        raise KeyboardInterrupt


@pytest.fixture
def albic(capsys):
    """Run the command line; return its exit code, stdout and stderr."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


@pytest.fixture
def snapshot(tmp_path, albic):
    path = tmp_path / "s.json"
    sizes = ("--nodes", 6, "--key-groups", 60, "--operators", 3, "--varies", 40)
    assert albic("snapshot", "synth", *sizes, "-o", path)[0] == 0
    return path


def started(*arguments, **settings):
    """Return a finished process of its own, where the stream settings matter."""
    return subprocess.run(
        [sys.executable, "-m", "albic", *map(str, arguments)],
        capture_output=True,
        timeout=50,
        check=False,
        env=os.environ | settings,
    )


def test_synth_writes_what_was_asked_for_and_says_so(tmp_path, albic):
    path = tmp_path / "s.json"
    sizes = ("--nodes", 6, "--key-groups", 60, "--operators", 3, "--one-to-one", 1, "--seed", 9)
    code, out, err = albic("snapshot", "synth", *sizes, "-o", path)
    assert (code, err) == (0, "")
    assert "6 nodes, 60 key groups of 3 operators" in out
    assert "mean load 50." in out
    written = read_snapshot(path)
    assert (len(written.cluster.nodes), written.topology.key_groups) == (6, 60)
    assert written.traffic.nnz == 20 + 20


def test_synth_without_a_file_prints_the_snapshot_and_nothing_else(albic):
    code, out, _ = albic("snapshot", "synth", "--nodes", 2, "--key-groups", 4, "--operators", 2)
    assert code == 0
    assert json.loads(out)["format"] == "albic-snapshot/1"


def test_show_names_the_busiest_node_first(albic):
    code, out, _ = albic("snapshot", "show", EXAMPLE)
    assert code == 0
    assert "5 nodes, 16 key groups of 3 operators" in out
    assert "load distance 43.20 points" in out
    assert "1 node draining" in out
    nodes = [line for line in out.splitlines() if "exec-" in line]
    assert "exec-1" in nodes[0]
    assert "76.0 ████" in nodes[0]
    assert nodes[0].count("█") > nodes[1].count("█") > nodes[-1].count("█")


def test_show_folds_the_middle_unless_asked_for_all(tmp_path, albic):
    path = tmp_path / "s.json"
    albic("snapshot", "synth", "-o", path)
    short, full = (albic("snapshot", "show", path, *more)[1] for more in ([], ["--all"]))
    assert "… 44 more" in short
    assert sum("node-" in line for line in short.splitlines()) == 16
    assert sum("node-" in line for line in full.splitlines()) == 60


def test_json_on_stdout_is_the_plan_that_was_written(tmp_path, albic, snapshot):
    path = tmp_path / "p.json"
    asked = ("plan", snapshot, "--planner", "flux", "--max-migrations", 5)
    code, out, err = albic(*asked, "--json", "-o", path)
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads(path.read_text())
    plan = read_plan(path, read_snapshot(snapshot))
    assert plan.planner == "flux"
    assert 0 < len(plan.moves) <= 5


def test_a_plan_tells_a_person_what_moves_and_what_it_brings(albic, snapshot):
    code, out, _ = albic("plan", snapshot, "--planner", "flux", "--max-migrations", 5)
    assert code == 0
    for part in ("load distance, points", "of at most 5", "key group", "planned", "passes over"):
        assert part in out


def test_a_budget_in_bytes_is_kept(albic, snapshot):
    code, out, _ = albic("plan", snapshot, "--planner", "flux", "--max-cost", "3e6", "--json")
    assert code == 0
    assert 0 < sum(move["cost"] for move in json.loads(out)["moves"]) <= 3e6


def test_makespan_is_planned_and_told(albic, snapshot):
    asked = ("plan", snapshot, "--planner", "flux", "--max-migrations", 5)
    told = json.loads(albic(*asked, "--objective", "makespan", "--json")[1])
    assert set(told["makespan"]) == {"before", "after", "bound"}
    assert "makespan, points" in albic(*asked, "--objective", "makespan")[1]


def test_limits_reach_the_planner(albic, snapshot, monkeypatch):
    seen = []

    class Listener:
        def plan(self, request):
            seen.append(request)
            return PLANNERS["hold"]().plan(request)

    monkeypatch.setitem(PLANNERS, "listener", Listener)
    limits = ("--max-cpu", 70, "--max-memory", 80, "--max-network", 90, "--drain-weight", 0.5)
    more = ("--max-load-distance", 2, "--target-distance", 0.5, "--time-limit", 0.05, "--seed", 3)
    asked = ("plan", snapshot, "--planner", "listener", "--max-migrations", 7)
    assert albic(*asked, *limits, *more)[0] == 0
    (heard,) = seen
    assert heard.limits_pct.tolist() == [70, 80, 90]
    assert (heard.drain_weight, heard.max_load_distance_pct) == (0.5, 2)
    assert (heard.target_distance_pct, heard.time_limit_s, heard.seed) == (0.5, 0.05, 3)
    assert heard.budget.limit == 7


def test_compare_puts_planners_into_one_table(albic, snapshot):
    planners = "flux,hold"
    code, out, _ = albic("compare", snapshot, "--planners", planners, "--max-migrations", 5)
    assert code == 0
    first_words = [line.split()[0] for line in out.splitlines() if line.strip()]
    assert first_words[-3:] == ["now", "flux", "hold"]


def test_compare_tells_of_broken_rules_and_does_not_fail(albic, snapshot, monkeypatch):
    monkeypatch.setitem(PLANNERS, "scatter", Scatter)
    monkeypatch.setenv("COLUMNS", "120")
    asked = ("compare", snapshot, "--planners", "scatter, hold,hold", "--max-migrations", 5)
    code, out, _ = albic(*asked)
    assert code == 0
    assert "over budget" in out
    told = json.loads(albic(*asked, "--json")[1])
    assert told["format"] == "albic-comparison/1"
    assert [plan["planner"] for plan in told["plans"]] == ["scatter", "hold"]
    assert told["plans"][0]["violations"][0].startswith("over-budget: 60 > 5")
    assert told["plans"][1]["violations"] == []


def test_a_plan_that_breaks_a_rule_is_not_written(tmp_path, albic, snapshot, monkeypatch):
    monkeypatch.setitem(PLANNERS, "scatter", Scatter)
    path = tmp_path / "p.json"
    asked = ("plan", snapshot, "--planner", "scatter", "--max-migrations", 5)
    code, out, err = albic(*asked, "-o", path)
    assert (code, out) == (1, "")
    assert err.startswith("albic: the plan of scatter is refused: over-budget: 60 > 5 moves")
    assert not path.exists()


MISTAKES = [
    pytest.param(["plan", "gone.json", "--max-migrations", "3"], "'gone.json': cannot be read"),
    pytest.param(["plan", ".", "--max-migrations", "3"], "is a directory"),
    pytest.param(["plan", "s.json"], "--max-migrations or --max-cost"),
    pytest.param(["plan", "s.json", "--max-migrations", "3", "--max-cost", "3"], "one of the two"),
    pytest.param(["plan", "s.json", "--max-migrations", "-3"], "budget is -3; it must be 0 or"),
    pytest.param(["plan", "s.json", "--max-cost", "nan"], "budget is nan"),
    pytest.param(["plan", "s.json", "--max-migrations", "many"], "'--max-migrations'"),
    pytest.param(["plan", "s.json", "--max-migrations", f"-{10**400}"], "0 or more"),
    pytest.param(["plan", "s.json", "--max-migrations", "3", "--planner", "flix"], "mean flux?"),
    pytest.param(["plan", "s.json", "--max-migrations", "3", "--planner", "qq"], "known are"),
    pytest.param(["plan", "s.json", "--max-migrations", "3", "--objective", "x"], "'makespan'"),
    pytest.param(["plan", "s.json", "--max-migrations", "3", "--time-limit", "0"], "time limit is"),
    pytest.param(["plan", "s.json", "--max-migrations", "3", "--seed", "-1"], "seed is -1"),
    pytest.param(["plan", "s.json", "--max-migrations", "3", "--max-memory", "0"], "limits must"),
    pytest.param(["plan", "s.json", "--max-migrations", "3", "-o", "no/p.json"], "cannot be writ"),
    pytest.param(["plan", "s.json", "--max-migrations", "3", "-o", "s.json"], "is the snapshot"),
    pytest.param(["plan", "s.json", "--max-migrations"], "requires an argument"),
    pytest.param(["plan", "s.json", "--max-migration", "3"], "No such option"),
    pytest.param(["plan", "--max-migrations", "3"], "Missing argument 'FILE'"),
    pytest.param(["plam"], "Did you mean 'plan'"),
    pytest.param(["compare", "s.json", "--max-migrations", "3", "--planners", ","], "at least one"),
    pytest.param(["snapshot", "show", "s.json", "extra"], "extra"),
    pytest.param(["snapshot", "synth", "--nodes", "0", "-o", "p.json"], "0 nodes"),
    pytest.param(["snapshot", "synth", "--key-groups", "3", "-o", "p.json"], "3 key groups cannot"),
]


@pytest.mark.parametrize(("arguments", "complaint"), MISTAKES)
def test_a_mistake_gets_one_sentence_and_exit_code_2(
    snapshot, albic, monkeypatch, arguments, complaint
):
    monkeypatch.chdir(snapshot.parent)
    before = snapshot.read_text()
    code, out, err = albic(*arguments)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.startswith("albic: ")
    assert err.count("\n") == 1
    assert [each.name for each in snapshot.parent.iterdir()] == ["s.json"]
    assert snapshot.read_text() == before


def test_names_from_files_are_printed_as_they_are(tmp_path, albic):
    document = json.loads(EXAMPLE.read_text())
    document["nodes"][0]["id"] = "[red]:smile: [/]"
    (tmp_path / "s.json").write_text(json.dumps(document))
    assert "[red]:smile: [/]" in albic("snapshot", "show", tmp_path / "s.json")[1]


def test_every_planner_answers_the_example_within_the_rules_of_the_judge(albic):
    asked = ("compare", EXAMPLE, "--planners", ",".join(PLANNERS), "--max-migrations", 4)
    code, out, err = albic(*asked, "--json")
    assert (code, err) == (0, "")
    plans = json.loads(out)["plans"]
    told = {name: plan["violations"] for name, plan in zip(PLANNERS, plans, strict=True)}
    # It plans from scratch, whatever the budget.
    told.pop("cola")
    assert not any(told.values())


def test_ctrl_c_ends_with_one_sentence(albic, snapshot, monkeypatch):
    monkeypatch.setitem(PLANNERS, "interrupted", Interrupted)
    asked = ("plan", snapshot, "--planner", "interrupted", "--max-migrations", 5)
    assert albic(*asked) == (130, "", "albic: stopped\n")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["snapshot"], ["plan", "--help"]])
def test_help_is_not_a_mistake(albic, arguments):
    code, out, err = albic(*arguments)
    assert (code, err) == (0, "")
    assert "Usage: albic" in out


def test_the_version_is_the_packages(albic):
    assert albic("--version") == (0, f"albic {__version__}\n", "")


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from albic.cli import main; main(['--help']); "
        "sys.exit(len({'numpy', 'scipy', 'numba', 'highspy'} & set(sys.modules)))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert ended.returncode == 0


def test_a_reader_who_leaves_early_hears_no_complaint():
    reading, writing = os.pipe()
    os.close(reading)
    for arguments in (["snapshot", "synth"], ["snapshot", "show", EXAMPLE], ["--help"]):
        ended = subprocess.run(
            [sys.executable, "-m", "albic", *arguments],
            stdout=writing,
            stderr=subprocess.PIPE,
            timeout=50,
            check=False,
        )
        assert ended.stderr == b""
        assert ended.returncode == 1
    os.close(writing)


def test_a_terminal_without_unicode_still_gets_its_tables():
    ended = started("snapshot", "show", EXAMPLE, PYTHONIOENCODING="ascii")
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b"exec-1" in ended.stdout
    assert b"####" in ended.stdout
