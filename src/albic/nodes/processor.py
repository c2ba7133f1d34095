"""Processor shares: a control group a node, of version 1 or 2."""

import time
from dataclasses import dataclass
from pathlib import Path

#: In how long a group may use up its share. Short, so that a node is slow rather than at times
#: stopped; the kernel's own default is twice that.
PERIOD_US = 50_000
#: How long a killed process may stay in its group.
PATIENCE_S = 10.0
MOUNTS = Path("/proc/self/mountinfo")


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """Where control groups that limit the processor are made, and in which version's words."""

    folder: Path
    version: int


def cpu_hierarchy(mounts: Path = MOUNTS) -> Hierarchy | None:
    """Return where the processor is limited on this machine, or None if nowhere."""
    found = None
    for line in mounts.read_text(encoding="utf-8").splitlines():
        before, _, after = line.partition(" - ")
        folder, (kind, _, options) = Path(before.split()[4]), after.split()[:3]
        if kind == "cgroup" and "cpu" in options.split(","):
            return Hierarchy(folder, 1)
        # A machine may have both; whatever version 1 holds is missing from version 2.
        if kind == "cgroup2" and "cpu" in _words(folder / "cgroup.controllers"):
            found = Hierarchy(folder, 2)
    return found


class Processor:
    """The control groups of one cluster: ``name`` is the outer one, each node has one in it."""

    def __init__(self, name: str, mounts: Path = MOUNTS) -> None:
        hierarchy = cpu_hierarchy(mounts)
        if hierarchy is None:
            raise OSError("no control group limits the processor")
        self._version = hierarchy.version
        self.folder = hierarchy.folder / name
        self.folder.mkdir()
        if self._version == 2:
            for group in (hierarchy.folder, self.folder):
                if "cpu" not in _words(group / "cgroup.subtree_control"):
                    (group / "cgroup.subtree_control").write_text("+cpu")

    def add(self, node: str, share: float | None) -> Path:
        """Make a node's group and return the file that takes in processes."""
        (self.folder / node).mkdir()
        self.limit(node, share)
        return self.folder / node / "cgroup.procs"

    def limit(self, node: str, share: float | None) -> None:
        """Let a node use ``share`` of a core, or as much as it gets."""
        group = self.folder / node
        quota = None if share is None else round(share * PERIOD_US)
        if self._version == 2:
            (group / "cpu.max").write_text(f"{'max' if quota is None else quota} {PERIOD_US}")
        else:
            (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
            (group / "cpu.cfs_quota_us").write_text(str(-1 if quota is None else quota))


def remove_groups(name: str) -> None:
    """Remove a cluster's groups; their processes were killed."""
    hierarchy = cpu_hierarchy()
    if hierarchy is None or not (outer := hierarchy.folder / name).is_dir():
        return
    groups = [group for group in outer.iterdir() if group.is_dir()]
    ends_s = time.monotonic() + PATIENCE_S
    for group in (*groups, outer):
        # A process is in its group until somebody has asked how it ended.
        while not _removed(group) and time.monotonic() < ends_s:
            time.sleep(0.02)


def _removed(group: Path) -> bool:
    """Remove a group, and return whether it is gone."""
    try:
        group.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _words(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="ascii").split()
    except OSError:
        return []
