"""A real Prometheus reads the metrics, and the rules that we hand out hold what they say."""

import json
import re
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("prometheus_client", reason='the page needs "albic[serve]"')

from albic.serve import PageServer, Serving, jobs_of_journals
from albic.serve.metrics import GAUGES, exposition
from tests.page.ports import free_port
from tests.unit.live.journals import record, story, written

EXAMPLES = Path(__file__).parents[2] / "examples" / "monitoring"
WITHIN_S = 40.0
needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="promtool is not installed: scripts/setup.sh page"
)


def promtool(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["promtool", *arguments],  # noqa: S607  of the system's
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        check=False,
    )


@needs_promtool
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "rules", "alerts.yml"),
        ("test", "rules", "alerts_test.yml"),
        ("check", "config", "prometheus.yml"),
    ],
    ids=" ".join,
)
def test_promtool_accepts_what_we_hand_out(arguments: tuple[str, ...]) -> None:
    done = promtool(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr


def named_metrics(text: str) -> set[str]:
    return set(re.findall(r"\balbic_[a-z_]+\b", text))


@pytest.mark.parametrize("file", ["alerts.yml", "grafana.json", "alerts_test.yml"])
def test_rules_and_dashboard_name_only_what_is_there(file: str, tmp_path: Path) -> None:
    path = written(tmp_path / "j.jsonl", *story())
    there = named_metrics(exposition(jobs_of_journals([path])).decode()) | set(GAUGES)
    assert named_metrics((EXAMPLES / file).read_text(encoding="utf-8")) <= there


def test_the_dashboard_shows_every_course_of_the_page() -> None:
    board = json.loads((EXAMPLES / "grafana.json").read_text(encoding="utf-8"))
    asked = named_metrics(json.dumps(board["panels"]))
    assert {
        "albic_executor_load_ratio",
        "albic_load_distance_ratio",
        "albic_batch_duration_seconds",
        "albic_collocation_ratio",
        "albic_load_index_ratio",
        "albic_executors",
    } <= asked
    ids = [panel["id"] for panel in board["panels"]]
    assert len(set(ids)) == len(ids)


@pytest.fixture
def scraping(tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """Return the port of a Prometheus that reads our metrics every second, and the journal."""
    journal = written(tmp_path / "orders.jsonl", *story())
    server = PageServer(jobs_of_journals([journal]), Serving(port=0))
    server.start()
    port = free_port()
    config = (EXAMPLES / "prometheus.yml").read_text(encoding="utf-8")
    config = config.replace("127.0.0.1:8777", f"127.0.0.1:{server.serving.port}")
    config = config.replace("15s", "1s").replace("alerts.yml", str(EXAMPLES / "alerts.yml"))
    (tmp_path / "prometheus.yml").write_text(config, encoding="utf-8")
    with (tmp_path / "log").open("wb") as log:
        process = subprocess.Popen(
            [  # noqa: S607  of the system's
                "prometheus",
                f"--config.file={tmp_path}/prometheus.yml",
                f"--storage.tsdb.path={tmp_path}/data",
                f"--web.listen-address=127.0.0.1:{port}",
            ],
            stdout=log,
            stderr=log,
        )
    try:
        yield port, journal
    finally:
        process.terminate()
        process.wait(20)
        server.close()


def asked(port: int, query: str) -> list[dict]:
    address = f"http://127.0.0.1:{port}/api/v1/query?query={urllib.parse.quote(query)}"
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return json.load(answer)["data"]["result"]
    except OSError:
        return []


def value(port: int, query: str, wanted: float) -> float | None:
    """Return what a query comes to; waits a while for what is wanted."""
    ended_s, found = time.monotonic() + WITHIN_S, None
    while found != wanted and time.monotonic() < ended_s:
        result = asked(port, query)
        found = float(result[0]["value"][1]) if result else None
        time.sleep(0.3)
    return found


@pytest.mark.slow
@pytest.mark.timeout(150)
@pytest.mark.skipif(
    shutil.which("prometheus") is None,
    reason="Prometheus is not installed: scripts/setup.sh page",
)
def test_a_real_prometheus_reads_the_metrics_as_they_change(scraping: tuple[int, Path]) -> None:
    port, journal = scraping
    assert value(port, 'up{job="albic"}', 1) == 1
    assert value(port, 'albic_moves_total{job="orders"}', 3) == 3
    assert value(port, 'albic_rounds_total{job="orders",status="failed"}', 1) == 1
    written(journal, record(5, nodes=7))
    assert value(port, 'albic_executors{job="orders"}', 7) == 7
