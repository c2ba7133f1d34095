"""A journal is shown as a table, and a broken one is named in a line."""

from pathlib import Path

import pytest

from albic.cli import main
from albic.control import JsonLinesJournal
from albic.control.journal import RoundRecord, Status
from tests.unit.control.fakes import World, controller


def test_every_round_has_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    controller(World("a: 30 20 10 | b:"), journal=journal).run_round("period")
    journal.add(RoundRecord(2, 61.0, "loss", Status.FAILED, "stays", error="OSError: full"))
    assert main(["journal", "show", str(journal.path)]) == 0
    told = capsys.readouterr().out
    assert "60.00 -> 30.00" in told
    assert "100.0 %" in told
    assert "00:01:01" in told
    assert "2 rounds" in told
    assert "round 2 failed: OSError: full" in told


def test_a_broken_journal_is_a_mistake_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text("nonsense\n")
    assert main(["journal", "show", str(path)]) == 2
    assert "line 1" in capsys.readouterr().err
