"""``albic reproduce``: lists, runs, goes on, and refuses what it does not know."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="the extra albic[figures] is missing")

from albic.cli import main
from albic.experiments import catalogue
from albic.experiments.catalogue import EXPERIMENTS
from albic.experiments.entries.lemmas import LEMMAS
from albic.experiments.runs.jobs import JobPoint
from albic.experiments.runs.lemmas import LemmaPoint
from albic.experiments.runs.methods import ALBIC, COLA, JOINT, MILP, SEARCH
from albic.experiments.user_inputs import Guests
from albic.sim import real_job, save_trace

TINY = tuple(LemmaPoint(3, method, seed) for method in (MILP, SEARCH) for seed in (1, 4))


@pytest.fixture
def tiny(monkeypatch):
    """Make the lemmas a small figure without HiGHS."""
    monkeypatch.setitem(catalogue.EXPERIMENTS, "lemmas", replace(LEMMAS, quick=TINY))


def test_every_experiment_is_listed(capsys):
    assert main(["reproduce", "--list"]) == 0
    told = capsys.readouterr().out
    assert all(name in told for name in EXPERIMENTS)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["reproduce", "fig-nothing"], "no experiment 'fig-nothing'", id="unknown"),
        pytest.param(["reproduce"], "--list", id="none named"),
        pytest.param(["reproduce", "lemmas", "--jobs", "0"], "--jobs is 0", id="no process"),
        pytest.param(
            ["reproduce", "lemmas", "--planner", "mine"], "no planner 'mine'", id="unknown planner"
        ),
        pytest.param(
            ["reproduce", "fig-job2", "--trace", "gone.npz"], "'gone.npz': cannot", id="no trace"
        ),
        pytest.param(
            ["reproduce", "lemmas", "--trace", "any.npz"], "replays no job", id="nothing to replay"
        ),
    ],
)
def test_mistakes_end_with_exit_code_2_and_a_sentence(arguments, told, capsys, tmp_path):
    out = tmp_path / "out"
    assert main([*arguments, "--out", str(out)]) == 2
    assert told in capsys.readouterr().err
    assert not out.exists()


def changed(**arrays):
    """Return what writes a trace with other arrays; None leaves one out."""

    def spoil(path: Path) -> None:
        with np.load(path) as file:
            every = {name: file[name] for name in file.files} | arrays
        np.savez(path, **{name: value for name, value in every.items() if value is not None})

    return spoil


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        pytest.param(
            lambda path: path.write_bytes(path.read_bytes()[:-200]),
            "no NumPy archive can be read",
            id="truncated",
        ),
        pytest.param(lambda path: np.savez(path, a=np.ones(3)), "has no array", id="another npz"),
        pytest.param(lambda path: path.write_text("a,b\n"), "no NumPy archive", id="text"),
        pytest.param(changed(owner=None), "has no array 'owner'", id="a key is missing"),
        pytest.param(
            changed(operators=np.array([{}, None], dtype=object)), "is not a trace", id="pickled"
        ),
        pytest.param(
            changed(tuples_per_s=np.full((2, 200), np.nan)), "tuples_per_s has a number", id="NaN"
        ),
        pytest.param(
            changed(tuples_per_s=np.full((2, 200), -1.0)),
            "tuples_per_s has a number",
            id="negative",
        ),
    ],
)
def test_a_damaged_or_foreign_trace_ends_with_exit_code_2_and_a_sentence(
    spoil, told, capsys, tmp_path
):
    trace, out = tmp_path / "job2.npz", tmp_path / "out"
    save_trace(trace, real_job(2, periods=2, seed=7))
    spoil(trace)
    assert main(["reproduce", "fig-job2", "--trace", str(trace), "--out", str(out)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "job2.npz" in line
    assert told in line
    assert not out.exists()


@pytest.mark.usefixtures("tiny")
def test_a_folder_that_cannot_be_made_is_a_mistake(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    arguments = ["reproduce", "lemmas", "--quick", "--out", str(tmp_path / "file" / "out")]
    assert main(arguments) == 2
    assert "cannot be made" in capsys.readouterr().err


@pytest.mark.usefixtures("tiny")
def test_a_run_writes_its_report_and_the_next_one_measures_nothing(capsys, tmp_path):
    arguments = ["reproduce", "lemmas", "--quick", "--jobs", "1", "--out", str(tmp_path)]
    assert main(arguments) == 0
    assert "from an earlier run" not in capsys.readouterr().out
    first = json.loads((tmp_path / "lemmas.json").read_text())
    assert main(arguments) == 0
    told = capsys.readouterr().out
    assert "4 points from an earlier run" in told
    assert "statements of the paper hold" in told
    assert json.loads((tmp_path / "lemmas.json").read_text())["rows"] == first["rows"]
    assert {path.name for path in tmp_path.iterdir()} == {
        "lemmas.json",
        "lemmas.png",
        "lemmas.svg",
        "points",
        "report.html",
        "report.md",
    }


@pytest.mark.nightly
@pytest.mark.timeout(1800)
def test_a_quick_run_of_everything_ends_with_a_report(tmp_path):
    assert main(["reproduce", "all", "--quick", "--out", str(tmp_path)]) == 0
    text = (tmp_path / "report.md").read_text()
    assert all(f"## {name}" in text for name in EXPERIMENTS)
    silent = [line for line in text.splitlines() if " | not measured |" in line]
    assert all("this run" in line for line in silent)


@pytest.mark.usefixtures("tiny")
def test_a_planner_of_ones_own_takes_part_and_is_measured_in_every_run(tmp_path, capsys):
    asked = ["reproduce", "lemmas", "--quick", "--jobs", "1", "--out", str(tmp_path)]
    asked += ["--planner", "hold"]
    assert main(asked) == 0
    assert main(asked) == 0
    assert f"{len(TINY)} points from an earlier run" in " ".join(capsys.readouterr().out.split())
    rows = json.loads((tmp_path / "lemmas.json").read_text())["rows"]
    assert {row["method"] for row in rows} == {MILP, SEARCH, "hold"}


def test_a_recorded_trace_is_replayed_from_its_beginning_and_measured_in_every_run(
    tmp_path, capsys, monkeypatch
):
    quick = tuple(
        JobPoint(2, method, method, 10, 10.0, 3, 0.02, seed=1) for method in (ALBIC, COLA, JOINT)
    )
    figure = EXPERIMENTS["fig-job2"]
    monkeypatch.setitem(EXPERIMENTS, "fig-job2", replace(figure, points=quick, quick=quick))
    trace = tmp_path / "job2.npz"
    save_trace(trace, real_job(2, periods=2, seed=7))
    asked = ["reproduce", "fig-job2", "--jobs", "1", "--out", str(tmp_path), "--trace", str(trace)]
    assert main(asked) == 0
    assert main(asked) == 0
    assert "from an earlier run" not in capsys.readouterr().out
    told = json.loads((tmp_path / "fig-job2.json").read_text())
    assert told["command"].endswith(f"--trace {trace}")
    loads = {row["period"]: row["load"] for row in told["rows"] if row["label"] == COLA}
    assert len(loads) == 3


def test_made_up_traces_and_edits_of_ones_own_are_asked_for_by_name():
    job1, job2 = EXPERIMENTS["fig-job1-collocation"], EXPERIMENTS["fig-job2"]
    seeded = Guests(trace=Path("seed")).joining(job2)
    assert {point.trace for point in seeded.points} == {"seed"}
    assert seeded.notes.startswith("On traces made up from the seed")
    assert all(seeded.kept(point) for point in seeded.points)
    edited = Guests(edits=Path("here/edits.json")).joining(job1)
    assert {point.data for point in edited.points} == {"here/edits.json"}
    assert edited.notes.startswith("On the edits in edits.json")
    assert not any(edited.kept(point) for point in edited.points)
    assert {point.data for point in Guests(edits=Path("e")).joining(job2).points} == {""}


def test_the_figures_of_real_jobs_are_made_from_data_with_either_costs_and_five_seeds():
    for name in ("fig-job2", "fig-job3", "fig-job4", "fig-job1-collocation"):
        points = EXPERIMENTS[name].points
        assert {point.trace for point in points} == {""}
        lines = {(point.label, point.costs) for point in points}
        assert {costs for _, costs in lines} == {"paper", "Spark"}
        for label, costs in lines:
            seeds = {p.seed for p in points if (p.label, p.costs) == (label, costs)}
            assert len(seeds) >= 5
        assert "bench.costs" in EXPERIMENTS[name].notes
