"""``albic run``: what is wrong is told before Spark starts."""

import pytest

pytest.importorskip("pyspark", reason="the extra albic[spark] is missing")
pytest.importorskip("matplotlib", reason="the extra albic[figures] is missing")

from pathlib import Path

from albic.cli import main
from albic.cli.run import action, swing
from albic.cli.run.results import label
from albic.cli.run.wishes import NONE, Wishes
from albic.jobs.real import REAL_JOBS
from albic.planners import PLANNERS


@pytest.fixture(autouse=True)
def no_spark(monkeypatch):
    """Fail if anything is started."""

    def refuse(*_, **__):
        raise AssertionError("a cluster was started")

    for module in (action, swing):
        monkeypatch.setattr(module, "local_cluster", refuse)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        pytest.param(["job9"], "there is no job 'job9'", id="unknown job"),
        pytest.param(["job2", "--planner", "jiont"], "did you mean joint?", id="unknown planner"),
        pytest.param(["job2", "--planner", "potc"], "no variant job2-potc", id="no such variant"),
        pytest.param(["job2", *["--planner", "none"] * 2], "given twice", id="planner twice"),
        pytest.param(
            ["job2", "--chain", "nevre"], "--chain nevre: did you mean never?", id="chain"
        ),
        pytest.param(["job2", *["--chain", "auto"] * 2], "--chain auto is given", id="chain twice"),
        pytest.param(["swing", "--chain", "auto"], "makes its own rows", id="chain for a swing"),
        pytest.param(["job2", "--data", "nowhere.csv"], "nowhere.csv", id="no such data"),
        pytest.param(["job4", "--data", __file__], "no folder", id="a file where a folder is due"),
        pytest.param(["job2", "--data", __file__], "test_run.py", id="data of no known format"),
        pytest.param(["job4", "--store", "mysql://x"], "is no store", id="unknown store"),
        pytest.param(
            ["job4", "--store", "postgresql://nobody@127.0.0.1:1/none"], "--store", id="no server"
        ),
        pytest.param(["job2", "--nodes", "0"], "--nodes is 0", id="no node"),
        pytest.param(["job2", "--key-groups", "0"], "--key-groups is 0", id="no key group"),
        pytest.param(["job2", "--batches", "2"], "--batches is 2", id="too few batches"),
        pytest.param(["job2", "--rows", "0"], "--rows is 0", id="no rows"),
        pytest.param(["job2", "--max-migrations", "-1"], "--max-migrations", id="less than none"),
        pytest.param(["job2", "--period", "often"], "'often'", id="no period"),
        pytest.param(["job2", "--scale", "ds2"], "--scale is for the job swing", id="no swing"),
        pytest.param(["swing", "--scale", "utilization"], "did you mean util", id="unknown policy"),
        pytest.param(["swing", "--scale", "magic"], "known are fixed, util", id="no policy"),
        pytest.param(["swing", "--min-nodes", "7"], "--min-nodes is 7", id="least above most"),
        pytest.param(["swing", "--max-nodes", "1000"], "<= 200", id="too many nodes"),
        pytest.param(["swing", "--nodes", "0"], "--nodes is 0", id="no node at the start"),
        pytest.param(["swing", "--data", "x.csv"], "makes its own rows", id="data for a swing"),
        pytest.param(["swing", "--rows", "10"], "--rows is 10", id="too few rows"),
        pytest.param(["swing", "--batches", "3"], "--batches is 3", id="too short a swing"),
        pytest.param(["swing", *["--planner", "milp"] * 2], "one --planner", id="two planners"),
        pytest.param(["swing", "--period", "often"], "'often'", id="no period of a swing"),
    ],
)
def test_mistakes_end_with_exit_code_2_and_a_sentence(arguments, told, capsys, tmp_path):
    assert main(["run", *arguments, "--out", str(tmp_path / "out")]) == 2
    complaint = capsys.readouterr().err.splitlines()[-1]
    assert told in complaint
    assert "Traceback" not in complaint
    assert not list(tmp_path.rglob("*.html"))


def test_a_folder_that_cannot_be_made_is_a_mistake(capsys, tmp_path):
    (tmp_path / "file").write_text("")
    assert main(["run", "job2", "--out", str(tmp_path / "file" / "out")]) == 2
    assert "cannot be made" in capsys.readouterr().err


def test_only_a_planner_that_keeps_no_budget_may_move_everything():
    wishes = Wishes("job2", Path("out"), max_migrations=3)
    allowed = {name: wishes.budget(name, 16) for name in (NONE, *PLANNERS)}
    assert {name for name, moves in allowed.items() if moves == 16} == {"cola"}
    assert set(allowed.values()) == {3, 16}


def test_potc_is_a_job_of_its_own_that_nobody_plans(tmp_path):
    wishes = Wishes("job1", tmp_path, planners=("milp", "potc"))
    assert [wishes.variant(name) for name in wishes.planners] == [
        ("job1", "milp"),
        ("job1-potc", NONE),
    ]
    wishes.check(REAL_JOBS, 3)


def test_chained_and_unchained_runs_take_turns_beside_planners(tmp_path):
    wishes = Wishes("job2", tmp_path, planners=(NONE, "joint"), chains=("never", "auto"))
    wishes.check(REAL_JOBS, 3)
    assert wishes.names() == (NONE, "joint", "none-chained", "joint-chained")
    assert [wishes.chain(name) for name in wishes.names()] == ["never", "never", "auto", "auto"]
    assert [wishes.variant(name)[1] for name in wishes.names()] == [NONE, "joint"] * 2
    assert [label(name) for name in wishes.names()] == [
        "plain Spark",
        "joint",
        "plain Spark, chained",
        "joint, chained",
    ]


@pytest.mark.parametrize("chain", ["auto", "never"])
def test_one_way_of_chaining_changes_no_name(chain, tmp_path):
    wishes = Wishes("job2", tmp_path, chains=(chain,))
    assert wishes.names() == wishes.planners
    assert {wishes.chain(name) for name in wishes.names()} == {chain}
