"""A journal is shown as a table, and a broken one is named in a line."""

from pathlib import Path

import pytest

from albic.cli import main
from albic.cli.journal import action
from albic.control import JsonLinesJournal, Settings
from albic.control.journal import RoundRecord, Status
from albic.control.move_costs import MeasuredMove
from albic.control.ports import Effect
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
    assert "in all: 2 batches, 1 move of 1 B; 100.0 % of tasks ran where planned" in told


def test_rounds_in_a_row_with_the_same_reason_share_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    for number in (1, 2, 3):
        journal.add(RoundRecord(number, 1e300, "period", Status.NOT_READY, "no batch"))
    journal.add(RoundRecord(4, 62.0, "period", Status.HELD, "balanced"))
    assert main(["journal", "show", str(journal.path)]) == 0
    told = capsys.readouterr().out
    assert "rounds 1-3 not ready: no batch" in told
    assert "round 4 held: balanced" in told


def test_what_was_held_or_proposed_did_not_move(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    controller(World(), Settings(dry_run=True), journal=journal).run_round("period")
    assert main(["journal", "show", str(journal.path)]) == 0
    told = capsys.readouterr().out
    assert "(1)" in told
    assert "0 moves of 0 B" in told


def test_measured_moves_nodes_and_traffic_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    job = World("a: 30 20 | b(x0.5):")
    job.effect_now = Effect(
        batches=1,
        local_bytes=750,
        remote_bytes=250,
        moves=tuple(
            MeasuredMove("q / count 0", at, "1", "2", 10**6 * 4**at, 0.2 + 0.05 * 4**at)
            for at in range(5)
        ),
    )
    record = controller(job, journal=journal).run_round("period")
    assert journal.records() == (record,)
    assert record.collocation_measured == 0.75
    assert main(["journal", "show", str(journal.path)]) == 0
    told = capsys.readouterr().out
    assert "moves as they went" in told
    assert "q / count 0" in told
    assert "13.00 s" in told
    assert "a move costs 200.0 ms and 50.0 ms a megabyte, by 5 moves" in told
    assert "of 1 kB between key groups, 75.0 % stayed on their node" in told
    assert "a: 1.00, b: 0.50" in told


def test_a_broken_journal_is_a_mistake_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "journal.jsonl"
    path.write_text("nonsense\n")
    assert main(["journal", "show", str(path)]) == 2
    assert "line 1" in capsys.readouterr().err


def test_rounds_are_followed_across_a_change_of_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl", max_bytes=10)
    to_come = [RoundRecord(at, 61.0, "period", Status.HELD, "balanced") for at in (1, 2, 3)]

    def one_more() -> bool:
        journal.add(to_come.pop(0))
        return not to_come

    monkeypatch.setattr(action, "LOOK_EVERY_S", 0.0)
    action.follow(journal.path, ended=one_more)
    told = capsys.readouterr().out.splitlines()
    assert [line.split(",")[0] for line in told] == ["round 1", "round 2", "round 3"]
    assert all("held" in line and "balanced" in line for line in told)
