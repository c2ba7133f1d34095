"""``albic advise`` prints findings as a table and as JSON, and refuses what is no journal."""

import json
from pathlib import Path

import pytest

from albic.cli import main
from albic.control import JsonLinesJournal
from albic.control.journal import RoundRecord, Status
from tests.unit.control.fakes import World, controller


def journal(folder: Path, drawing: str) -> Path:
    kept = JsonLinesJournal(folder / "journal.jsonl")
    controller(World(drawing), journal=kept).run_round("period")
    return kept.path


def test_findings_are_told_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", str(journal(tmp_path, "a: 5 5 | b: 90"))]) == 0
    told = capsys.readouterr().out
    assert "1 finding" in told
    assert "o0, key group 2" in told
    assert "What to do: salt its hottest key 2 ways" in told


def test_findings_are_told_to_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", str(journal(tmp_path, "a: 5 5 | b: 90")), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["format"] == "albic-advice/1"
    (finding,) = told["findings"]
    assert (finding["operator"], finding["key_group"]) == ("o0", 2)


def test_where_all_is_well_that_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(journal(tmp_path, "a: 5 5 5 | b: 5 5 5"))
    assert main(["advise", path]) == 0
    assert "nothing" in capsys.readouterr().out
    assert main(["advise", path, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []


def test_what_is_no_journal_is_a_mistake(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", str(tmp_path / "missing.jsonl")]) == 2
    assert "missing.jsonl" in capsys.readouterr().err
    kept = JsonLinesJournal(tmp_path / "early.jsonl")
    kept.add(RoundRecord(1, 0.0, "period", Status.NOT_READY, "no batch"))
    assert main(["advise", str(kept.path)]) == 2
    assert "none of its 1 rounds holds a snapshot" in capsys.readouterr().err
