"""Faults of executors, workers and nodes."""

import signal
import time

from bench.faults.fault import NODES, Fault, Struck
from bench.faults.processes import executors, python_workers, send

FROZEN_S = 10.0
#: Spark takes a silent executor for lost only after minutes; nodes rejoin before.
CUT_OFF_S = 5.0


def _application(struck: Struck) -> str:
    return str(struck.cluster.spark.sparkContext.applicationId)


def _kill(struck: Struck, count: int) -> None:
    found = executors(_application(struck))
    for process in struck.rng.permutation(found)[:count]:
        send(int(process), signal.SIGKILL)


def _kill_one(struck: Struck) -> None:
    _kill(struck, 1)


def _kill_two(struck: Struck) -> None:
    _kill(struck, 2)


def _kill_python(struck: Struck) -> None:
    found = python_workers(_application(struck))
    if found:
        send(int(struck.rng.choice(found)), signal.SIGKILL)


def _stop_worker(struck: Struck) -> None:
    struck.cluster.remove_node(struck.host())
    struck.healing.append(lambda: str(struck.cluster.add_node()) and None)


def _freeze(struck: Struck) -> None:
    process = int(struck.rng.choice(executors(_application(struck))))
    send(process, signal.SIGSTOP)
    time.sleep(FROZEN_S)
    send(process, signal.SIGCONT)


def _cut_off(struck: Struck) -> None:
    host = struck.host()
    struck.cluster.cut_off(host)
    time.sleep(CUT_OFF_S)
    struck.cluster.rejoin(host)


def _slow_link(struck: Struck) -> None:
    host = struck.host()
    struck.cluster.slow(host, network="1mbit")
    struck.healing.append(lambda: struck.cluster.slow(host, network="unlimited"))


def _slow_processor(struck: Struck) -> None:
    host = struck.host()
    struck.cluster.slow(host, cpu=0.1)
    struck.healing.append(lambda: struck.cluster.slow(host, cpu=0.6))


FAULTS = (
    Fault("kill an executor", "SIGKILL; its worker starts another", _kill_one),
    Fault("kill two executors", "two of three at once", _kill_two),
    Fault("kill a Python worker", "SIGKILL in the middle of its task", _kill_python, python=True),
    Fault("stop a worker", "the node goes with its executor; another one comes", _stop_worker),
    Fault("freeze an executor", f"SIGSTOP for {FROZEN_S:g} s", _freeze),
    Fault("cut a node off", f"nothing in or out for {CUT_OFF_S:g} s", _cut_off, needs=NODES),
    Fault("make a link slow", "1 Mbit/s for the rest of the batch", _slow_link, needs=NODES),
    Fault("make a processor slow", "a tenth of a core", _slow_processor, needs=NODES),
)
