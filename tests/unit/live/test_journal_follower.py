"""A journal is followed as it grows, whatever happens to the file."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from albic.control import JsonLinesJournal, MemoryJournal
from albic.live import JournalFollower, MemoryFollower
from albic.live import journal_follower as module
from albic.model import InvalidInput
from tests.unit.live.journals import record, written


def numbers(follower) -> list[int]:
    return [each.number for each in follower.records()]


def test_only_what_was_appended_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "j.jsonl", record(1, None), record(2, None))
    follower = JournalFollower(path)
    assert numbers(follower) == [1, 2]
    assert numbers(follower) == []
    written(path, record(3, None))
    assert numbers(follower) == [3]


def test_a_journal_may_come_later_and_go_again(tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    follower = JournalFollower(path)
    assert numbers(follower) == []
    assert follower.missing
    written(path, record(1, None))
    assert numbers(follower) == [1]
    path.unlink()
    assert numbers(follower) == []
    assert follower.missing
    written(path, record(1, None), record(2, None))
    assert numbers(follower) == [1, 2]
    assert not follower.missing


def test_half_a_line_waits_for_its_other_half(tmp_path: Path) -> None:
    path = written(tmp_path / "j.jsonl", record(1, None))
    line = path.read_bytes()
    follower = JournalFollower(path)
    path.write_bytes(line + line[:40])
    assert numbers(follower) == [1]
    with path.open("ab") as stream:
        stream.write(line[40:])
    assert numbers(follower) == [1]
    assert follower.damaged == 0


@pytest.mark.parametrize(
    "damage",
    [b"{", b"\xff\xfe\x00", b"[1]", b'{"format": "albic-journal/9"}', b'{"number": NaN}', b"null"],
)
def test_a_damaged_line_is_counted_and_passed_over(tmp_path: Path, damage: bytes) -> None:
    path = written(tmp_path / "j.jsonl", record(1, None))
    with path.open("ab") as stream:
        stream.write(damage + b"\n\n")
    written(path, record(2, None))
    follower = JournalFollower(path)
    assert numbers(follower) == [1, 2]
    assert follower.damaged == 1
    assert follower.complaint is not None
    assert str(tmp_path) not in follower.complaint, "where it lies is nobody's business"


def test_a_rotated_journal_is_read_to_its_end_before_the_next(tmp_path: Path) -> None:
    path = written(tmp_path / "j.jsonl", record(1, None))
    follower = JournalFollower(path)
    assert numbers(follower) == [1]
    written(path, record(2, None))
    path.rename(tmp_path / "j.jsonl.1")
    written(path, record(3, None))
    assert numbers(follower) == [2, 3]
    written(path, record(4, None))
    assert numbers(follower) == [4]


def test_a_journal_that_was_cut_is_read_anew(tmp_path: Path) -> None:
    path = written(tmp_path / "j.jsonl", record(1, None), record(2, None))
    follower = JournalFollower(path)
    assert numbers(follower) == [1, 2]
    path.write_bytes(b"")
    written(path, record(7, None))
    assert numbers(follower) == [7]


def test_a_long_journal_is_read_in_pieces(tmp_path: Path, monkeypatch) -> None:
    path = written(tmp_path / "j.jsonl", *(record(number, None) for number in range(1, 31)))
    monkeypatch.setattr(module, "PIECE_BYTES", 2000)
    follower = JournalFollower(path)
    first = numbers(follower)
    assert 0 < len(first) < 30
    assert follower.behind_bytes > 0
    rest = [number for _ in range(40) for number in numbers(follower)]
    assert first + rest == list(range(1, 31))
    assert follower.behind_bytes == 0


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path, monkeypatch) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(b"x" * 5000)
    monkeypatch.setattr(module, "LONGEST_LINE_BYTES", 1000)
    follower = JournalFollower(path)
    assert numbers(follower) == []
    assert follower.damaged == 1
    assert follower._rest == b""


def test_records_in_memory_are_followed_as_well() -> None:
    journal = MemoryJournal()
    follower = MemoryFollower(journal)
    journal.add(record(1, None))
    assert numbers(follower) == [1]
    assert numbers(follower) == []
    journal.add(record(2, None))
    assert numbers(follower) == [2]


@given(cuts=st.lists(st.integers(1, 400), max_size=30))
def test_however_the_writer_pauses_every_record_comes_once(cuts, tmp_path_factory) -> None:
    folder = tmp_path_factory.mktemp("journal")
    whole = written(folder / "whole", *(record(at, None) for at in range(1, 5))).read_bytes()
    assert len(json.loads(whole.splitlines()[0])) > 20
    path = folder / "j.jsonl"
    follower, seen, at = JournalFollower(path), [], 0
    with path.open("wb", buffering=0) as stream:
        for cut in [*cuts, len(whole)]:
            stream.write(whole[at : at + cut])
            at += cut
            seen += numbers(follower)
    assert seen == [1, 2, 3, 4]
    follower.close()


@given(st.lists(st.integers(0, 5), max_size=12))
def test_nothing_is_missed_that_is_kept_when_full_files_are_put_aside(
    tmp_path_factory: pytest.TempPathFactory, steps: list[int]
) -> None:
    path = tmp_path_factory.mktemp("followed") / "j.jsonl"
    # Room for two records a file; five are three files at most, and four are kept.
    room = 2 * len(written(path.with_name("one"), record(1, None)).read_bytes()) + 100
    journal, made, heard, follower = (
        JsonLinesJournal(path, room, files=4),
        0,
        [],
        JournalFollower(path),
    )
    for count in steps:
        for _ in range(count):
            made += 1
            journal.add(record(made, None))
        heard += numbers(follower)
    assert heard == list(range(1, made + 1))
    follower.close()


def test_what_was_put_aside_before_is_read_first(tmp_path: Path) -> None:
    path = written(tmp_path / "j.jsonl", record(1, None))
    path.rename(tmp_path / "j.jsonl.1")
    written(path, record(2, None))
    assert numbers(JournalFollower(path)) == [1, 2]


def test_where_the_newest_file_is_deleted_older_ones_are_not_heard_again(tmp_path: Path) -> None:
    path = written(tmp_path / "j.jsonl", record(1, None))
    path.rename(tmp_path / "j.jsonl.1")
    written(path, record(2, None))
    follower = JournalFollower(path)
    assert numbers(follower) == [1, 2]
    path.unlink()
    assert numbers(follower) == []
    written(path, record(3, None))
    assert numbers(follower) == [3]


def test_a_folder_and_a_path_without_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="is a folder"):
        JournalFollower(tmp_path)
    with pytest.raises(InvalidInput, match="its folder is not there"):
        JournalFollower(tmp_path / "none" / "j.jsonl")
