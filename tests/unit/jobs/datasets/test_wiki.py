"""Edits from JSON lines and from SNAP's blocks."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from albic.jobs.datasets import blocks
from tests.unit.jobs.datasets.helpers import REVISION, SNAP_REST, file, loaded

EDIT: dict[str, Any] = {
    "time": "2015-09-12T00:46:58.771Z",
    "channel": "#en.wikipedia",
    "cityName": None,
    "comment": "added project",
    "countryIsoCode": None,
    "isAnonymous": False,
    "isMinor": False,
    "isNew": False,
    "isRobot": False,
    "isUnpatrolled": False,
    "namespace": "Talk",
    "page": "Talk:Oswald Tilghman",
    "user": "GELongstreet",
    "delta": 36,
    "added": 36,
    "deleted": 0,
}


def line(**changes: Any) -> str:
    return json.dumps({**EDIT, **changes})


def test_a_line_of_wikiticker(tmp_path: Path) -> None:
    (row,), _ = loaded(file(tmp_path, line() + "\n", "w.json.gz"))
    assert row["event_time"] == datetime(2015, 9, 12, 0, 46, 58, 771_000, UTC)
    assert (row["wiki"], row["page"]) == ("en.wikipedia", "Talk:Oswald Tilghman")
    assert (row["delta"], row["anonymous"], row["country"]) == (36, False, None)
    assert (row["article_id"], row["words"]) == (None, None)


@pytest.mark.parametrize(
    ("damaged", "reason"),
    [
        pytest.param(line()[:-9], "line is not JSON", id="cut off"),
        pytest.param("[1]", "a field of another type", id="a list"),
        pytest.param(line(delta="36"), "a field of another type", id="text for a number"),
        pytest.param(line(delta=2**70), "a field of another type", id="a number too large"),
        pytest.param(line(isNew=1), "a field of another type", id="a number for a truth"),
        pytest.param(line(page="\ud800"), "a field of another type", id="half a character"),
        pytest.param(line(time="yesterday"), "impossible time", id="time"),
        pytest.param(line(time=None), "impossible time", id="no time"),
        pytest.param(line(page=None), "no page, user or channel", id="no page"),
        pytest.param("[" * 100_000, "line is not JSON", id="nested deeply"),
    ],
)
def test_a_damaged_line_is_counted_and_skipped(tmp_path: Path, damaged: str, reason: str) -> None:
    rows, reading = loaded(file(tmp_path, f"{line()}\n{damaged}\n{line()}\n"))
    assert len(rows) == 2
    assert dict(reading.tally.skipped) == {reason: 1}


def test_bytes_that_are_no_text_are_marked(tmp_path: Path) -> None:
    text = line(page="X?Y").encode().replace(b"?", b"\xff")
    (row,), reading = loaded(file(tmp_path, text + b"\n"))
    assert row["page"] == "X\ufffdY"
    assert reading.tally.mended.total() == 1


def test_a_block_of_snap(tmp_path: Path) -> None:
    (row,), reading = loaded(file(tmp_path, f"{REVISION}\n{SNAP_REST}\n"))
    assert row["event_time"] == datetime(2005, 12, 6, 17, 44, 47, tzinfo=UTC)
    assert (row["article_id"], row["revision_id"], row["page"]) == (12, 30364918, "Anarchism")
    assert (row["user"], row["user_id"], row["anonymous"]) == ("RJII", 141644, False)
    assert (row["minor"], row["words"], row["comment"]) == (False, 229, "small fix")
    assert not reading.tally.skipped


def test_an_address_is_no_user_number(tmp_path: Path) -> None:
    head = "REVISION 12 19746 A_b 2002-02-25T15:43:11Z ip:140.232.153.45 ip:140.232.153.45"
    (row,), _ = loaded(file(tmp_path, f"{head}\n{SNAP_REST}\n"))
    assert (row["user"], row["user_id"], row["anonymous"]) == ("140.232.153.45", None, True)
    assert row["page"] == "A b"


@pytest.mark.parametrize(
    ("head", "rest", "reason"),
    [
        (
            "REVISION 12 1 Two words 2005-12-06T17:44:47Z RJII 1",
            SNAP_REST,
            "REVISION line has not 7 words",
        ),
        ("REVISION 12 1 A 2005-12-06 RJII 1", SNAP_REST, "impossible time"),
        ("REVISION x 1 A 2005-12-06T17:44:47Z RJII 1", SNAP_REST, "an id that is no number"),
        (REVISION, "CATEGORY\nIMAGE\n", "record is cut short"),
        (REVISION, SNAP_REST.replace("MINOR 0", "MINOR 7"), "MINOR or TEXTDATA is no number"),
    ],
)
def test_a_damaged_block_is_counted_and_skipped(
    tmp_path: Path, head: str, rest: str, reason: str
) -> None:
    good = f"{REVISION}\n{SNAP_REST}\n"
    rows, reading = loaded(file(tmp_path, f"{good}{head}\n{rest}\n{good}"))
    assert len(rows) == 2
    assert dict(reading.tally.skipped) == {reason: 1}


def test_lines_before_the_first_block_are_skipped(tmp_path: Path) -> None:
    rows, reading = loaded(file(tmp_path, f"MINOR 0\nTEXTDATA 2\n\n{REVISION}\n{SNAP_REST}\n"))
    assert len(rows) == 1
    assert reading.tally.skipped["line outside a record"] == 2


@pytest.mark.parametrize("size", [1, 7, 100, 333, 10_000])
def test_where_a_file_is_cut_into_blocks_does_not_matter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    other = REVISION.replace("Anarchism", "F\u00e9lix")
    path = file(tmp_path, f"{REVISION}\n{SNAP_REST}\n{other}\n{SNAP_REST}\n" * 3)
    monkeypatch.setattr(blocks.blocks, "__defaults__", (size,))
    rows, reading = loaded(path)
    assert [row["page"] for row in rows] == ["Anarchism", "F\u00e9lix"] * 3
    assert not reading.tally.skipped
    assert not reading.tally.mended
