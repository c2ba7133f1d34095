"""A checkpoint on this machine is looked at directly, any other through Hadoop."""

import pytest

from albic.spark.local_files import NearFiles


class Far:
    """Files somewhere else."""

    def listed(self, folder, pattern):
        return {f"{folder}/{pattern}": 1}

    def content(self, address):
        return address.encode()


def test_files_of_this_machine_are_found_whatever_their_folder_is_called(tmp_path) -> None:
    odd = tmp_path / "a b [c] {d,e} *" / "0"
    (odd / "left").mkdir(parents=True)
    (odd / "1.delta").write_bytes(b"12345")
    (odd / "left" / "2.delta").write_bytes(b"12")
    root, files = f"file:{odd.parent}", NearFiles(Far())
    assert files.listed(root, "*/*") == {f"{root}/0/1.delta": 5}
    assert files.listed(root, "*/left/*") == {f"{root}/0/left/2.delta": 2}
    assert files.content(f"{root}/0/1.delta") == b"12345"
    with pytest.raises(OSError, match=r"2\.delta"):
        files.content(f"{root}/0/2.delta")


def test_what_is_not_here_is_asked_for_elsewhere(tmp_path) -> None:
    files = NearFiles(Far())
    assert files.listed("s3a://bucket/state", "*/*") == {"s3a://bucket/state/*/*": 1}
    assert files.content("s3a://bucket/state/1.delta") == b"s3a://bucket/state/1.delta"
    nowhere = f"file:{tmp_path}/nowhere"
    assert files.listed(nowhere, "*/*") == {f"{nowhere}/*/*": 1}
