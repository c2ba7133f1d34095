"""Records come back as they were written, and a broken file is named with its line."""

import json
from pathlib import Path

import pytest

from albic.control import JsonLinesJournal, Settings, read_journal
from albic.control.journal import MoveRecord, RoundRecord, Status
from albic.control.replay import Changes, asked_again
from albic.model import InvalidInput
from tests.unit.control.fakes import World, controller

RECORD = RoundRecord(
    1, 12.5, "period", Status.APPLIED, "better", moves=(MoveRecord("count", 3, "1", "2", 77),)
)


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    assert journal.records() == ()
    journal.add(RECORD)
    journal.add(RECORD)
    assert journal.records() == (RECORD, RECORD)


def test_the_record_of_a_real_round_comes_back(tmp_path: Path) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    record = controller(World(), journal=journal).run_round("period")
    assert journal.records() == (record,)


def test_a_record_holds_the_whole_question(tmp_path: Path) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    settings = Settings(max_migrations=1, seed=7, least_gain=0.25)
    job = World("a(draining): 30 20 10 | b:")
    controller(job, settings, journal=journal).run_round("period")
    (record,) = journal.records()
    # What lies on a draining node may move whatever the settings say.
    assert (record.terms.budget, record.terms.budget_unit) == (3.0, "moves")
    assert (record.terms.seed, record.terms.least_gain) == (7, 0.25)


def test_half_a_line_at_the_end_is_left_out(tmp_path: Path) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    journal.add(RECORD)
    with journal.path.open("a") as stream:
        stream.write('{"format": "albic-jour')
    assert journal.records() == (RECORD,)


@pytest.mark.parametrize(
    "line",
    ["[]", "nonsense", "{}", '{"format": "other/1"}', '{"format": "albic-journal/1", "status": 5}'],
)
def test_a_line_that_is_no_record_is_named(tmp_path: Path, line: str) -> None:
    journal = JsonLinesJournal(tmp_path / "journal.jsonl")
    journal.add(RECORD)
    with journal.path.open("a") as stream:
        stream.write(line + "\n")
    with pytest.raises(InvalidInput, match="line 2"):
        journal.records()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"missing\.jsonl"):
        read_journal(tmp_path / "missing.jsonl")


def test_compliance_is_unknown_without_tasks() -> None:
    assert RECORD.compliance is None


def test_what_was_kept_out_of_plans_is_asked_again_as_then(tmp_path) -> None:
    path = tmp_path / "journal.jsonl"
    kept = Settings(exclude_operators=("o0",), exclude_executors=("b",))
    steady = controller(World("a: 30 20 | b: 10 | c:"), kept, journal=JsonLinesJournal(path))
    assert steady.run_round("period").status is Status.HELD
    (record,) = read_journal(path)
    again = asked_again(record, Changes())
    assert (again.fixed, again.shut) == ((0, 1, 2), (1,))
    older = json.loads(path.read_text())
    for name in ("exclude_operators", "exclude_executors"):
        del older["terms"][name]
    path.write_text(json.dumps(older) + "\n")
    (before,) = read_journal(path)
    assert (asked_again(before, Changes()).fixed, before.terms.exclude_executors) == ((), ())
    older["terms"]["exclude_operators"] = "o0"
    path.write_text(json.dumps(older) + "\n")
    with pytest.raises(InvalidInput, match="exclude_operators is"):
        read_journal(path)
