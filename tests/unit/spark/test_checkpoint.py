"""The size of a state is what a new owner would load: the newest snapshot and what came after."""

import json
import zipfile

from albic.spark.checkpoint import local_folder, state_bytes
from albic.spark.operators import QueryShape, StageInfo


def query(root, *stores, partitions=1):
    stage = StageInfo("s", partitions, f"file:{root}", stores or ((0, "default"),))
    return QueryShape("q", "r", (stage,), (), ())


def write(folder, **sizes):
    folder.mkdir(parents=True, exist_ok=True)
    for name, size in sizes.items():
        (folder / name.lstrip("v").replace("_", ".", 1)).write_bytes(b"x" * size)


def test_changes_before_the_snapshot_do_not_count(tmp_path) -> None:
    write(tmp_path / "0/0", v1_delta=1000, v2_snapshot=50, v3_delta=7, v4_delta=3)
    assert state_bytes(query(tmp_path), 0) == (60,)


def test_without_a_snapshot_all_changes_count(tmp_path) -> None:
    write(tmp_path / "0/0", v1_changelog=10, v2_changelog=5)
    assert state_bytes(query(tmp_path), 0) == (15,)


def test_the_tables_of_a_snapshot_count_and_old_tables_do_not(tmp_path) -> None:
    write(tmp_path / "0/0/SSTs", v7_sst=99_999)
    archive = tmp_path / "0/0/4.zip"
    with zipfile.ZipFile(archive, "w") as file:
        tables = {"sstFiles": [{"sizeBytes": 400}, {"sizeBytes": 600}]}
        file.writestr("metadata", "v1\n" + json.dumps(tables))
    assert state_bytes(query(tmp_path), 0) == (1000 + archive.stat().st_size,)


def test_all_stores_of_a_partition_are_added_up(tmp_path) -> None:
    write(tmp_path / "1/0/left-keyToNumValues", v1_delta=10)
    write(tmp_path / "1/0/right-keyToNumValues", v1_delta=20)
    write(tmp_path / "1/1/left-keyToNumValues", v1_delta=3)
    stores = ((1, "left-keyToNumValues"), (1, "right-keyToNumValues"))
    assert state_bytes(query(tmp_path, *stores, partitions=2), 0) == (30, 3)


def test_a_checkpoint_elsewhere_is_unknown_not_empty(tmp_path) -> None:
    assert state_bytes(query(tmp_path / "missing"), 0) is None
    assert local_folder("s3a://bucket/state") is None
    assert local_folder("hdfs://name:8020/state") is None


def test_a_local_address_may_have_one_slash_or_three_and_blanks() -> None:
    assert str(local_folder("file:/a/b")) == str(local_folder("file:///a/b")) == "/a/b"
    assert str(local_folder("file:/a%20b")) == "/a b"
