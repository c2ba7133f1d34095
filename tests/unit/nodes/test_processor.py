"""Control groups of both versions, on folders that look like the kernel's."""

from pathlib import Path

import pytest

from albic.nodes.processor import Hierarchy, Processor, cpu_hierarchy

V1 = "30 24 0:26 / {folder} rw,relatime - cgroup cgroup rw,cpu,cpuacct"
V2 = "31 24 0:27 / {folder} rw,nosuid - cgroup2 cgroup2 rw,nsdelegate"
OTHER = "32 24 0:28 / {folder} rw,relatime - cgroup cgroup rw,cpuset"


def mounts(tmp_path: Path, *lines: str) -> Path:
    for number, line in enumerate(lines):
        (tmp_path / f"mount{number}").mkdir()
        if "cgroup2" in line:
            for name in ("cgroup.controllers", "cgroup.subtree_control"):
                (tmp_path / f"mount{number}" / name).write_text("memory cpu pids\n")
    text = [line.format(folder=tmp_path / f"mount{n}") for n, line in enumerate(lines)]
    path = tmp_path / "mountinfo"
    path.write_text("".join(f"{line}\n" for line in text), encoding="utf-8")
    return path


def test_the_version_that_has_the_processor_is_taken(tmp_path) -> None:
    path = mounts(tmp_path, V2, OTHER, V1)
    assert cpu_hierarchy(path) == Hierarchy(tmp_path / "mount2", 1)


def test_version_2_is_found_alone(tmp_path) -> None:
    assert cpu_hierarchy(mounts(tmp_path, V2)) == Hierarchy(tmp_path / "mount0", 2)


def test_version_2_without_the_processor_does_not_count(tmp_path) -> None:
    path = mounts(tmp_path, V2)
    (tmp_path / "mount0" / "cgroup.controllers").write_text("memory\n")
    assert cpu_hierarchy(path) is None
    with pytest.raises(OSError, match="no control group"):
        Processor("albic7", path)


def test_a_share_of_version_1(tmp_path) -> None:
    group = tmp_path / "mount0" / "albic7" / "one"
    taking = Processor("albic7", mounts(tmp_path, V1)).add("one", 0.45)
    assert taking == group / "cgroup.procs"
    assert (group / "cpu.cfs_period_us").read_text() == "50000"
    assert (group / "cpu.cfs_quota_us").read_text() == "22500"


def test_a_share_of_version_2_can_be_lifted(tmp_path) -> None:
    path = mounts(tmp_path, V2)
    root = tmp_path / "mount0"
    (root / "cgroup.subtree_control").write_text("memory\n")
    processor = Processor("albic7", path)
    assert (root / "cgroup.subtree_control").read_text() == "+cpu"
    assert (root / "albic7" / "cgroup.subtree_control").read_text() == "+cpu"
    processor.add("one", 1.5)
    assert (root / "albic7" / "one" / "cpu.max").read_text() == "75000 50000"
    processor.limit("one", None)
    assert (root / "albic7" / "one" / "cpu.max").read_text() == "max 50000"
