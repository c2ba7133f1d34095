"""What Prometheus reads: the numbers of the page, by its conventions, with labels that are few."""

import re
import shutil
import subprocess

import pytest

from albic.serve import Jobs, jobs_of_journals
from albic.serve.metrics import GAUGES, MOST_EXECUTORS, exposition
from tests.unit.live.journals import record, wide, written
from tests.unit.serve.conftest import Site


def samples(text: str) -> dict[str, float]:
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2])
        for line in text.splitlines()
        if line and not line.startswith("#")
    }


def test_the_numbers_of_a_journal_are_there(site: Site) -> None:
    answer = site.client.get("/metrics")
    assert answer.headers["Content-Type"].startswith("text/plain")
    told = samples(answer.text)
    assert told['albic_rounds_total{job="old",status="applied"}'] == 2
    assert told['albic_rounds_total{job="old",status="not_ready"}'] == 1
    assert told['albic_moves_total{job="old"}'] == 3
    assert told['albic_moved_bytes_total{job="old"}'] == 300
    assert told['albic_batch_duration_seconds{job="old"}'] == 0.5
    assert told['albic_executor_load_ratio{executor="a",job="old"}'] == 0.6
    assert told['albic_executors{job="old"}'] == 1
    assert told['albic_controller_running{job="orders"}'] == 1
    assert 'albic_controller_running{job="old"}' not in told


def test_what_is_not_known_is_left_out(tmp_path) -> None:
    told = samples(exposition(jobs_of_journals([tmp_path / "later.jsonl"])).decode())
    assert told['albic_journal_missing{job="later"}'] == 1
    assert 'albic_load_distance_ratio{job="later"}' not in told


def test_units_are_those_of_the_conventions() -> None:
    for name in GAUGES:
        assert re.fullmatch(r"albic_[a-z_]+", name)
        assert not re.search(r"_(pct|percent|ms|kb|mb)$", name)


def test_labels_are_bounded_however_many_executors_there_are(tmp_path) -> None:
    nodes = MOST_EXECUTORS + 1
    path = written(tmp_path / "j.jsonl", record(1, snapshot=wide(nodes, nodes)))
    text = exposition(jobs_of_journals([path])).decode()
    assert "albic_executor_load_ratio{" not in text
    assert samples(text)['albic_key_groups{job="j"}'] == nodes


def test_an_executor_that_has_gone_takes_its_series_along(tmp_path) -> None:
    path = written(tmp_path / "j.jsonl", record(1, "a: 30 | b: 5"))
    jobs: Jobs = jobs_of_journals([path])
    assert 'executor="b"' in exposition(jobs).decode()
    written(path, record(2, "a: 30 | c: 5"))
    assert 'executor="b"' not in exposition(jobs).decode()


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed")
def test_promtool_finds_nothing_to_mend(site: Site) -> None:
    text = site.client.get("/metrics").text
    done = subprocess.run(
        ["promtool", "check", "metrics"],  # noqa: S607  of the system's
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
