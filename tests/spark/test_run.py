"""``albic run`` as its users start it: a process of its own with a cluster of its own."""

import json
import os
import signal
import subprocess
import sys

import pytest

from albic.cli.run.action import LONGEST_WARM_UP, WARM_UP

pytest.importorskip("matplotlib", reason="the extra albic[figures] is missing")

BATCHES = LONGEST_WARM_UP + 4
SMALL = ["--nodes", "2", "--key-groups", "2", "--rows", "500", "--cpu", "none", "--network", "none"]
pytestmark = pytest.mark.timeout(660)


def started(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "albic", "run", "job2", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "COLUMNS": "200"},
    )


def test_job_2_comes_to_the_results_of_sql_with_and_without_a_planner_and_chained(tmp_path) -> None:
    out = tmp_path / "out"
    both = ["--chain", "never", "--chain", "auto", "--repeats", "1"]
    process = started(*SMALL, *both, "--batches", str(BATCHES), "--out", str(out), "--json")
    names = ["none", "joint", "none-chained", "joint-chained"]
    told, aside = process.communicate(timeout=600)
    assert process.returncode == 0, aside
    document = json.loads(told)
    assert document["format"] == "albic-run/2"
    assert document["results_are_right"]
    assert "results of plain Spark SQL over the same data" in document["results"]
    assert "loopback" in document["nodes"]
    assert [(run["planner"], run["turn"]) for run in document["runs"]] == [
        (name, 1) for name in names
    ]
    for run in document["runs"]:
        counted = [batch for batch, _ in run["batch_s"]]
        assert WARM_UP <= counted[0] <= LONGEST_WARM_UP
        assert counted == list(range(counted[0], BATCHES))
        assert run["rows"] == len(counted) * 500
        assert set(run["operator_work_us_per_row"]) == {"extract-delay", "sum-delay"}
        assert min(run["operator_work_us_per_row"].values()) > 0
        if run["chain"] == "never":
            # Key groups talk to each other, and both the controller and Spark have seen how much.
            assert 0 <= run["end_planned_pct"] <= 100
            assert 0 <= run["end_measured_pct"] <= 100
        else:
            assert run["end_measured_pct"] is None, "in one task nothing is sent"
    assert document["runs"][0]["moves"] == 0
    assert [each["planner"] for each in document["planners"]] == names
    plain, joint, *chained = document["planners"]
    assert [each["name"] for each in chained] == ["plain Spark, chained", "joint, chained"]
    assert plain["times_plain"] is None
    assert joint["times_plain"]["end"] == pytest.approx(joint["end_batch_s"] / plain["end_batch_s"])
    for each in document["planners"]:
        # Five hundred rows are no work: nearly all of a batch is what it costs anyway.
        assert each["shares"]["fixed"] > each["shares"]["work"]
        assert sum(each["shares"].values()) == pytest.approx(1)
        ended = [
            run["batch_s"][-6:] for run in document["runs"] if run["planner"] == each["planner"]
        ]
        times = [batch_s for run in ended for _, batch_s in run]
        assert sum(part["wall_s"] for part in each["makeup"]) == pytest.approx(
            sum(times) / len(times), rel=0.05
        )
        apart = ("extract-delay", "sum-delay")
        assert [part["name"] for part in each["makeup"]] == [
            "reading the sources",
            *([" > ".join(apart)] if each in chained else apart),
            *("handing results over", "outside the stages"),
        ]
    report = (out / "report.html").read_text(encoding="utf-8")
    assert document["report"] == str(out / "report.html")
    assert report.count("<svg") >= 3
    assert sorted(path.name for path in out.iterdir()) == [
        *("joint-chained.jsonl", "joint.jsonl", "none-chained.jsonl", "none.jsonl"),
        *("report.html", "result.json"),
    ]


def test_an_interrupted_run_leaves_nothing_behind(tmp_path) -> None:
    out = tmp_path / "out"
    process = started(*SMALL, "--planner", "none", "--batches", "500", "--out", str(out))
    assert process.stdout is not None
    for line in process.stdout:
        if "batch 1," in line:
            process.send_signal(signal.SIGINT)
            break
    _, aside = process.communicate(timeout=300)
    assert process.returncode == 130, aside
    assert "stopped; nothing was written" in aside
    assert "Traceback" not in aside
    assert not list(out.iterdir())
