"""Network storage: a folder of this machine that nodes reach over their own link alone.

A storage node serves it by SFTP, and every node has it mounted over the same path in a mount
namespace of its own. That namespace lives as long as its mounting process, and is entered through
it. Without SSH around it, for the network is closed: no keys, no encryption to pay for.
"""

import subprocess
import sys
import time
from pathlib import Path

from albic.nodes import requirements, sftp
from albic.nodes.commands import CommandFailed, environment
from albic.nodes.names import STORAGE, Names

PORT = 2222
#: How long storage may take to answer.
PATIENCE_S = 20.0
#: What one node wrote the next one has to see at once, so nothing is remembered.
FRESH = "dir_cache=no,entry_timeout=0,attr_timeout=0,negative_timeout=0"


class Storage:
    """Serves ``folder`` to the nodes of a cluster."""

    def __init__(self, names: Names, folder: Path) -> None:
        self._names = names
        self._folder = folder
        server = requirements.sftp_server()
        if server is None:
            raise CommandFailed("there is no sftp-server")
        address = names.address(STORAGE)
        self._running = [
            _started(names.storage, sys.executable, "-I", sftp.__file__, address, str(PORT), server)
        ]
        listens = self._running[0].stdout
        if listens is None or not listens.readline():
            raise CommandFailed("the storage node does not answer")

    def mount(self, namespace: str) -> int:
        """Mount the folder in a namespace; return the process whose mounts have it."""
        address, folder = self._names.address(STORAGE), str(self._folder)
        options = f"directport={PORT},{FRESH}"
        process = _started(
            namespace, "unshare", "-m", "sshfs", "-f", "-o", options, f"{address}:{folder}", folder
        )
        ends_s = time.monotonic() + PATIENCE_S
        while not self._is_mounted(process.pid):
            if process.poll() is not None or time.monotonic() > ends_s:
                process.kill()
                said = process.communicate()[0].decode(errors="replace").strip()
                raise CommandFailed(f"storage could not be mounted: {said or 'no answer'}")
            time.sleep(0.02)
        self._running.append(process)
        return process.pid

    def close(self) -> None:
        """Let go of processes that were killed."""
        for process in self._running:
            process.communicate()

    def _is_mounted(self, process: int) -> bool:
        mounts = Path(f"/proc/{process}/mountinfo")
        try:
            lines = mounts.read_text(encoding="utf-8").splitlines()
        except OSError:
            return False
        return any(line.split()[4] == str(self._folder) for line in lines)


def _started(namespace: str, *words: str) -> subprocess.Popen[bytes]:
    """Start a program in a namespace; what it says can be read."""
    return subprocess.Popen(  # noqa: S603  our own words
        ["/usr/bin/env", "nsenter", f"--net=/run/netns/{namespace}", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=dict(environment()),
        start_new_session=True,  # a Ctrl-C at the terminal is not for it
    )
