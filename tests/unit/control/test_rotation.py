"""A journal stays small; readers lose nothing at the change, and pass over what is damaged."""

from pathlib import Path

import pytest

from albic.control import JsonLinesJournal, read_journal
from albic.control.journal import MemoryJournal, RoundRecord, Status
from albic.control.rotation import aside, newest_first, rotate
from albic.model import InvalidInput

#: Room for two records.
SMALL = 1_900


def record(number: int) -> RoundRecord:
    return RoundRecord(number, float(number), "period", Status.HELD, "balanced")


def numbers(records) -> list[int]:
    return [each.number for each in records]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journal.jsonl"


def filled(path: Path, count: int, files: int = 3, first: int = 1) -> JsonLinesJournal:
    journal = JsonLinesJournal(path, SMALL, files)
    for number in range(first, first + count):
        journal.add(record(number))
    return journal


def test_the_room_is_for_two_records(path: Path) -> None:
    filled(path, 2)
    assert SMALL / 2 < path.stat().st_size <= SMALL


def test_full_files_are_put_aside_and_the_oldest_go(path: Path) -> None:
    journal = filled(path, 9)
    assert sorted(each.name for each in path.parent.iterdir()) == [
        *("journal.jsonl", "journal.jsonl.1", "journal.jsonl.2"),
    ]
    assert max(each.stat().st_size for each in path.parent.iterdir()) <= SMALL
    assert numbers(journal.records()) == numbers(read_journal(path)) == [5, 6, 7, 8, 9]


def test_one_file_alone_begins_anew(path: Path) -> None:
    assert numbers(filled(path, 5, files=1).records()) == [5]
    assert [each.name for each in path.parent.iterdir()] == ["journal.jsonl"]


def test_without_a_bound_it_grows(path: Path) -> None:
    journal = JsonLinesJournal(path, max_bytes=0)
    for number in range(9):
        journal.add(record(number))
    assert [each.name for each in path.parent.iterdir()] == ["journal.jsonl"]
    assert len(journal.records()) == 9


def test_fewer_files_than_before_are_kept(path: Path) -> None:
    filled(path, 12, files=5)
    filled(path, 2, files=2, first=13)
    assert numbers(read_journal(path)) == [11, 12, 13, 14]


def test_a_record_larger_than_the_bound_has_a_file_of_its_own(path: Path) -> None:
    journal = JsonLinesJournal(path, max_bytes=10, files=3)
    for number in (1, 2):
        journal.add(record(number))
    assert numbers(journal.records()) == [1, 2]


def test_records_in_memory_can_be_bounded() -> None:
    journal = MemoryJournal(2)
    for number in (1, 2, 3):
        journal.add(record(number))
    assert numbers(journal.records()) == [2, 3]


def test_half_a_line_of_a_killed_writer_is_put_aside(path: Path) -> None:
    filled(path, 1)
    with path.open("a") as stream:
        stream.write('{"format": "albic-jour')
    filled(path, 1, first=2)
    assert numbers(read_journal(path)) == [1, 2]


def test_a_damaged_line_is_named_with_its_own_file(path: Path) -> None:
    filled(path, 3)
    aside(path, 1).write_text("nonsense\n")
    with pytest.raises(InvalidInput, match=r"journal\.jsonl\.1', line 1"):
        read_journal(path)


def test_what_was_put_aside_is_read_where_the_newest_is_gone(path: Path) -> None:
    journal = filled(path, 3)
    path.unlink()
    assert numbers(journal.records()) == [1, 2]


def test_a_change_while_files_are_opened_loses_none_and_doubles_none(path: Path) -> None:
    filled(path, 5)
    opened = newest_first(path)
    texts = []
    for stream in opened:
        with stream:
            texts.append(stream.read())
        if len(texts) == 1:
            rotate(path, keep=9)
    found = [line for text in reversed(texts) for line in text.splitlines()]
    assert len(found) == len(set(found)) == 5
