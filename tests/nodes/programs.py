"""Programs that run on nodes, and what is left of nodes that are gone."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from albic.nodes.commands import run
from albic.nodes.isolated import IsolatedNodes
from albic.nodes.names import Names
from albic.nodes.network import namespaces
from albic.nodes.number_locks import FOLDER, PREFIX
from albic.nodes.processor import cpu_hierarchy

#: Takes all that comes, and says how many bytes that was and how long it took.
RECEIVING = """
import socket, sys, time
listener = socket.create_server((sys.argv[1], 5000))
print("ready", flush=True)
connection, _ = listener.accept()
began, total = time.monotonic(), 0
while part := connection.recv(1 << 16):
    total += len(part)
print(total, time.monotonic() - began)
"""
SENDING = """
import socket, sys
with socket.create_connection((sys.argv[1], 5000), 5) as connection:
    connection.sendall(bytes(int(sys.argv[2])))
"""
#: Keeps a core busy for so long, and says how much of one it got.
BURNING = """
import sys, time
began, used = time.monotonic(), time.process_time()
while time.monotonic() < began + float(sys.argv[1]):
    sum(range(1000))
print((time.process_time() - used) / (time.monotonic() - began))
"""


def on(nodes: IsolatedNodes, host: str, script: str, *arguments: object) -> subprocess.Popen[str]:
    words = [*nodes.entry(host), sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def answer(process: subprocess.Popen[str]) -> str:
    said, wrong = process.communicate(timeout=40)
    assert process.returncode == 0, wrong
    return said


def megabits_per_s(sender: IsolatedNodes, receiver: IsolatedNodes, ends: Sequence[str]) -> float:
    """Send a megabyte from one end to the other, and return how fast that went."""
    source, target = ends
    receiving = on(receiver, target, RECEIVING, target)
    assert receiving.stdout is not None
    assert receiving.stdout.readline() == "ready\n"
    answer(on(sender, source, SENDING, target, 2_000_000))
    total, took_s = answer(receiving).split()
    return int(total) * 8 / float(took_s) / 1e6


def number_of(address: str) -> int:
    """Return the number of a cluster, out of one of its addresses."""
    _, second, third, _ = map(int, address.split("."))
    return (second - 18) * 256 + third


def left(number: int) -> list[str]:
    """Return all that is there of a cluster."""
    names, hierarchy = Names(number), cpu_hierarchy()
    assert hierarchy is not None
    found = list(namespaces(names))
    found += [word for word in run("ip", "-o", "link").split() if word.startswith(f"{names.root}@")]
    files = (hierarchy.folder / names.root, FOLDER / f"{PREFIX}{number}.lock")
    found += [str(path) for path in files if path.exists()]
    found += [entry.name for entry in Path("/proc").glob("[0-9]*") if _runs_for(entry, number)]
    return found


def _runs_for(process: Path, number: int) -> bool:
    """Return whether a process is the one that sweeps up after a cluster."""
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return False
    return b"albic.nodes.sweeping" in words and str(number).encode() in words
