"""The logs of a checkpoint are read, and what is none is refused by the file that is wrong."""

import json

import pytest

from albic.cli.entry import main
from albic.model import InvalidInput
from albic.streams.checkpoint import folder_of, read_checkpoint

ABOUT = {"batchWatermarkMs": 0, "conf": {"spark.sql.shuffle.partitions": "3"}}


@pytest.fixture
def folder(tmp_path):
    """Return a checkpoint of five batches, the last of which has only begun."""
    for name in ("offsets", "commits", "state"):
        (tmp_path / name).mkdir()
    (tmp_path / "metadata").write_text('{"id":"some-query"}')
    for number in range(6):
        lines = ["v1", json.dumps(ABOUT), json.dumps({"row": number}), "-"]
        (tmp_path / "offsets" / str(number)).write_text("\n".join(lines))
        (tmp_path / "offsets" / f".{number}.crc").write_text("crc")
    for number in range(5):
        (tmp_path / "commits" / str(number)).write_text('v1\n{"nextBatchWatermarkMs":0}')
    return tmp_path


def test_the_last_batch_that_ended_is_found_with_its_neighbours(folder) -> None:
    found = read_checkpoint(folder)
    assert (found.query, found.last) == ("some-query", 4)
    assert [batch.number for batch in found.batches] == [3, 4, 5]
    assert found.offsets == ('{"row": 4}', None)
    assert found.batches[1].text() == (folder / "offsets" / "4").read_text()


def test_an_address_with_a_scheme_is_a_folder_only_if_it_is_a_file() -> None:
    assert str(folder_of("file:///data/checkpoint")) == "/data/checkpoint"
    with pytest.raises(InvalidInput, match="s3a://bucket/one is not a folder that this machine"):
        folder_of("s3a://bucket/one")


def broken(folder, name, text=None):
    file = folder / name
    if text is None:
        file.rename(folder / "elsewhere")
    else:
        file.write_text(text)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("metadata", None, "is no checkpoint of a network: it has no 'metadata'"),
        ("state", None, "is no checkpoint of a network: it has no 'state'"),
        ("metadata", "{}", "metadata is damaged: it does not name a query"),
        ("offsets/4", None, "offsets/4 is not there"),
        ("offsets/4", "", "offsets/4 is damaged"),
        ("offsets/4", "v1\n{", "offsets/4 is damaged"),
        ("offsets/4", "v1\n{}", "offsets/4 is damaged: it ends too early"),
        ("offsets/4", "v2\n{}\n{}", "offsets/4 is written in version 'v2'"),
        ("commits/4", 'v1\n{"stateUniqueIds":{"0":[]}}', "commits/4 was written with format 2"),
    ],
)
def test_what_is_missing_or_damaged_is_named(folder, capsys, name, text, says) -> None:
    broken(folder, name, text)
    with pytest.raises(InvalidInput, match=says):
        read_checkpoint(folder)
    assert main(["network", "show", str(folder)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line


def test_a_checkpoint_in_which_no_batch_ended_has_nothing_to_give(folder) -> None:
    for file in (folder / "commits").iterdir():
        file.unlink()
    with pytest.raises(InvalidInput, match="no batch has ended"):
        read_checkpoint(folder)
