"""``albic run swing`` as its users start it: a process of its own with a cluster of its own."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("matplotlib", reason="the extra albic[figures] is missing")

pytestmark = pytest.mark.timeout(660)
SMALL = ["--min-nodes", "2", "--max-nodes", "2", "--key-groups", "4", "--rows", "80"]


def test_a_swing_leaves_a_report_of_load_executors_and_batch_time(tmp_path) -> None:
    out, picture = tmp_path / "out", tmp_path / "swing"
    done = subprocess.run(
        [
            *(sys.executable, "-m", "albic", "run", "swing", "--scale", "ds2", *SMALL),
            *("--batches", "10", "--out", str(out), "--picture", str(picture), "--json"),
        ],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["format"] == "albic-swing/1"
    assert document["asked"]["scale"] == "ds2"
    assert {count for _, count in document["nodes"]} == {2}
    assert document["failed_tasks"] == 0
    assert document["decisions"] == 0, "two is the least and the most"
    assert document["most_moves_in_a_period"] <= document["asked"]["max_migrations"]
    assert [rows for _, rows, _ in document["batch_s"]] == [40] * document["batches"]
    assert "<svg" in (out / "report.html").read_text(encoding="utf-8")
    assert sorted(path.name for path in out.iterdir()) == [
        *("journal.jsonl", "report.html", "result.json")
    ]
    assert sorted(path.name for path in tmp_path.glob("swing.*")) == ["swing.png", "swing.svg"]
