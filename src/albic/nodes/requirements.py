"""What a machine needs for isolated nodes, and a sentence that names what it lacks."""

import os
import shutil
import sys
from pathlib import Path

from albic.nodes.commands import PATH
from albic.nodes.processor import cpu_hierarchy

#: Bits of the rights to change networks, and to enter and make namespaces (capabilities(7)).
NET_ADMIN, SYS_ADMIN = 12, 21
#: Program to Debian's package.
PROGRAMS = {"ip": "iproute2", "tc": "iproute2", "nsenter": "util-linux", "unshare": "util-linux"}
#: Where distributions keep it; it is on nobody's path.
SFTP_SERVERS = (
    "/usr/lib/openssh/sftp-server",
    "/usr/libexec/openssh/sftp-server",
    "/usr/lib/ssh/sftp-server",
    "/usr/libexec/sftp-server",
)


def missing(storage: str = "local") -> str | None:
    """Return a sentence that says what isolated nodes lack here, or None if nothing."""
    if sys.platform != "linux":
        return f"isolated nodes need Linux, and this is {sys.platform}"
    return (
        _missing_programs() or (_missing_storage() if storage == "network" else None) or _rights()
    )


def _missing_programs() -> str | None:
    for program, package in PROGRAMS.items():
        if not _is_there(program):
            return f"isolated nodes need the program {program!r}; install {package}"
    return None


def _missing_storage() -> str | None:
    if not _is_there("sshfs"):
        return "network storage needs the program 'sshfs'; install sshfs"
    if sftp_server() is None:
        return "network storage needs OpenSSH's sftp-server; install openssh-sftp-server"
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "network storage needs FUSE, and /dev/fuse cannot be opened; load the module fuse"
    return None


def _rights() -> str | None:
    held = capabilities()
    if not (held >> NET_ADMIN & 1 and held >> SYS_ADMIN & 1):
        return (
            "isolated nodes need the rights to make networks (root, or CAP_NET_ADMIN and "
            "CAP_SYS_ADMIN); run as root, or leave cpu, network and storage out"
        )
    hierarchy = cpu_hierarchy()
    if hierarchy is None or not os.access(hierarchy.folder, os.W_OK):
        return "isolated nodes need to write control groups for the processor below /sys/fs/cgroup"
    return None


def _is_there(program: str) -> bool:
    return shutil.which(program, path=PATH) is not None


def sftp_server() -> str | None:
    """Return the path of OpenSSH's sftp-server, or None without one."""
    return next((path for path in SFTP_SERVERS if os.access(path, os.X_OK)), None)


def capabilities() -> int:
    """Return the rights of this process as the kernel's bits."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next((int(line.split()[1], 16) for line in lines if line.startswith("CapEff:")), 0)
