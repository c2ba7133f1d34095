"""Removes what a cluster of isolated nodes is made of; also as a process of its own.

``python -m albic.nodes.sweeping NUMBER`` waits until its input closes, which happens however its
owner ends, and then sweeps. What nobody swept is found by the next cluster through its claim.
"""

import contextlib
import os
import signal
import sys
import time

from albic.nodes.commands import CommandFailed
from albic.nodes.names import Names
from albic.nodes.network import namespaces, processes, remove_network
from albic.nodes.number_locks import Claim, abandoned, claimed
from albic.nodes.processor import remove_groups

#: How long processes may take to be gone after they were killed.
PATIENCE_S = 10.0


def sweep(names: Names) -> None:
    """Kill all processes of a cluster and remove its namespaces, links and control groups."""
    for namespace in namespaces(names):
        end(namespace)
    remove_network(names)
    remove_groups(names.root)


def end(namespace: str) -> None:
    """Kill what runs in a namespace, and wait until it is gone."""
    ends_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < ends_s:
        try:
            running = processes(namespace)
        except CommandFailed:
            return
        if not running:
            return
        for process in running:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.02)


def sweep_abandoned() -> None:
    """Sweep up after all owners that are dead."""
    for claim in abandoned():
        sweep(Names(claim.number))
        claim.release()


def main(number: int) -> None:
    """Wait until our owner is gone, and sweep up after it."""
    # A Ctrl-C at the terminal is not for us, nor is the end of a session.
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    sys.stdin.buffer.read()
    # Python closes files before it ends, and until then the number is our owner's.
    while claimed(number):
        claim = Claim.of_dead(number)
        if claim is not None:
            sweep(Names(number))
            claim.release()
        time.sleep(0.05)


if __name__ == "__main__":
    main(int(sys.argv[1]))
