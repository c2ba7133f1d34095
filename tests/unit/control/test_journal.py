"""Records come back as they were written, and a broken file is named with its line."""

from pathlib import Path

import pytest

from albic.control import JsonLinesJournal, Settings, read_journal
from albic.control.journal import MoveRecord, RoundRecord, Status
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
