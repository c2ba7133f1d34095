"""The size of a state is what a new owner would load: the newest snapshot and what came after."""

import json
import zipfile
from pathlib import Path

from albic.spark.checkpoint import StateSizes, local_folder
from albic.spark.operators import QueryShape, StageInfo


def query(root, *stores, partitions=1):
    stage = StageInfo("s", partitions, f"file:{root}", stores or ((0, "default"),))
    return QueryShape("q", "r", (stage,), (), ())


class Disk:
    """Files of this machine; counts how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def listed(self, folder, pattern):
        self.asked += 1
        root = Path(folder.removeprefix("file:"))
        return {f"file:{p}": p.stat().st_size for p in root.glob(pattern) if p.is_file()}

    def content(self, address):
        return Path(address.removeprefix("file:")).read_bytes()


class Unreachable(Disk):
    def listed(self, folder, pattern):
        raise OSError(f"{folder}/{pattern}: no route to host")


def sizes(shape, disk=None):
    return StateSizes(disk or Disk(), shape).sizes().tolist()


def write(folder, **sizes):
    folder.mkdir(parents=True, exist_ok=True)
    for name, size in sizes.items():
        (folder / name.lstrip("v").replace("_", ".", 1)).write_bytes(b"x" * size)


def test_changes_before_the_snapshot_do_not_count(tmp_path) -> None:
    write(tmp_path / "0/0", v1_delta=1000, v2_snapshot=50, v3_delta=7, v4_delta=3)
    assert sizes(query(tmp_path)) == [60]


def test_without_a_snapshot_all_changes_count(tmp_path) -> None:
    write(tmp_path / "0/0", v1_changelog=10, v2_changelog=5)
    assert sizes(query(tmp_path)) == [15]


def test_the_tables_of_a_snapshot_count_and_old_tables_do_not(tmp_path) -> None:
    write(tmp_path / "0/0/SSTs", v7_sst=99_999)
    archive = tmp_path / "0/0/4.zip"
    with zipfile.ZipFile(archive, "w") as file:
        tables = {"sstFiles": [{"sizeBytes": 400}, {"sizeBytes": 600}]}
        file.writestr("metadata", "v1\n" + json.dumps(tables))
    assert sizes(query(tmp_path)) == [1000 + archive.stat().st_size]


def test_all_stores_of_a_partition_are_added_up(tmp_path) -> None:
    write(tmp_path / "1/0/left-keyToNumValues", v1_delta=10)
    write(tmp_path / "1/0/right-keyToNumValues", v1_delta=20)
    write(tmp_path / "1/1/left-keyToNumValues", v1_delta=3)
    stores = ((1, "left-keyToNumValues"), (1, "right-keyToNumValues"))
    assert sizes(query(tmp_path, *stores, partitions=2)) == [30, 3]


def test_only_a_folder_of_this_machine_has_a_path() -> None:
    assert local_folder("s3a://bucket/state") is None
    assert local_folder("hdfs://name:8020/state") is None


def test_a_local_address_may_have_one_slash_or_three_and_blanks() -> None:
    assert str(local_folder("file:/a/b")) == str(local_folder("file:///a/b")) == "/a/b"
    assert str(local_folder("file:/a%20b")) == "/a b"


def test_states_without_a_file_yet_have_no_size(tmp_path) -> None:
    assert sizes(query(tmp_path / "missing", partitions=2)) == [0, 0]


def test_a_file_system_that_does_not_answer_stops_nothing(tmp_path, caplog, monkeypatch) -> None:
    monkeypatch.setattr("albic.spark.checkpoint.REST", 0)
    known = StateSizes(Unreachable(), query(tmp_path, partitions=2))
    assert [known.sizes().tolist() for _ in range(3)] == [[0, 0]] * 3
    assert caplog.text.count("no route to host") == 1, "it is said once"


def test_a_snapshot_that_is_gone_or_broken_counts_as_what_is_left_of_it(tmp_path) -> None:
    write(tmp_path / "0/0", v4_zip=10, v5_changelog=3)
    assert sizes(query(tmp_path)) == [13]


def test_looking_is_followed_by_a_rest(tmp_path, monkeypatch) -> None:
    now = iter([0.0, 1.0, 275.0, 302.0, 302.5])
    monkeypatch.setattr("albic.spark.checkpoint.time.monotonic", lambda: next(now))
    disk = Disk()
    known = StateSizes(disk, query(tmp_path))
    asked = []
    for _ in range(3):
        known.look()
        known.sizes()
        asked.append(disk.asked)
    assert asked == [1, 1, 2], "a look of 1 s is good for 300 s"
