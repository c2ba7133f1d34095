"""``albic top`` shows a job on a terminal, and ``albic serve`` refuses what makes no sense."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from albic.cli import main
from tests.unit.live.journals import record, story, wide, written


def test_top_shows_executors_courses_and_rounds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "orders.jsonl", *story())
    assert main(["top", str(path), "--once"]) == 0
    told = capsys.readouterr().out
    assert "orders.jsonl: 4 records" in told
    assert "2 executors, mean 32.50 %" in told
    assert "60.00 %" in told
    assert "batch time" in told
    assert "not ready" in told
    assert "last error: OSError" in told
    assert "hunter2" not in told


def test_top_shows_traffic_and_the_busiest_of_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "wide.jsonl", record(1, snapshot=wide(200, 40)))
    assert main(["top", str(path), "--once"]) == 0
    told = capsys.readouterr().out
    assert "and 16 more" in told
    assert "traffic" in told


def test_top_waits_for_a_journal_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["top", str(tmp_path / "later.jsonl"), "--once"]) == 0
    assert "waiting for it" in capsys.readouterr().out


@pytest.mark.parametrize("command", [["top"], ["serve", "--port", "0"]])
def test_a_folder_is_no_journal(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*command, str(tmp_path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_another_address_is_refused_without_tls(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = str(written(tmp_path / "j.jsonl", record(1, None)))
    assert main(["serve", journal, "--host", "0.0.0.0"]) == 2  # noqa: S104  it is refused
    assert "TLS" in capsys.readouterr().err


def test_a_port_that_is_taken_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = str(written(tmp_path / "j.jsonl", record(1, None)))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["serve", journal, "--port", port]) == 2
    assert port in capsys.readouterr().err.splitlines()[-1]


def test_serve_serves_until_it_is_interrupted(tmp_path: Path) -> None:
    import signal  # noqa: PLC0415  only here
    import urllib.request  # noqa: PLC0415

    journal = str(written(tmp_path / "orders.jsonl", *story()))
    program = subprocess.Popen(
        [sys.executable, "-m", "albic", "serve", journal, "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        # What a shell starts in the background ignores it, and hands that down.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    try:
        line = program.stderr.readline()
        address = line.partition("the page is at ")[2].split()[0]
        with urllib.request.urlopen(f"{address}api/jobs", timeout=10) as answer:  # noqa: S310
            assert b'"orders"' in answer.read()
    finally:
        program.send_signal(signal.SIGINT)
        try:
            code = program.wait(20)
            last = program.stderr.read()
        finally:
            program.kill()
            program.stderr.close()
    assert (code, last) == (130, "albic: stopped\n")
    assert "token" not in line, "a journal has nothing that a token would change"


def test_help_of_the_live_commands_loads_nothing_heavy() -> None:
    program = (
        "import sys; from albic.cli import main\n"
        "main(['serve', '--help']); main(['top', '--help'])\n"
        "print([m for m in ('numpy', 'fastapi', 'uvicorn') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
