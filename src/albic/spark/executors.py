"""The executors of an application: who is there, who has gone, and making newcomers warm."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from pyspark.errors import PySparkException

from albic.spark.bridge import Bridge

log = logging.getLogger(__name__)

#: What every Python operator needs before its first row.
PYTHON_MODULES = ("pandas", "pyarrow")


@dataclass(frozen=True, slots=True)
class Executor:
    """One live executor; ``slots`` is how many tasks it runs at once."""

    id: str
    host: str
    slots: int
    added_s: float


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to the executors between two looks."""

    joined: tuple[Executor, ...]
    lost: tuple[str, ...]


class Executors:
    """Keeps the list of live executors; a look without news costs about a millisecond."""

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._known: dict[str, Executor] = {}

    def live(self) -> tuple[Executor, ...]:
        """Return the executors of the last look, in the order in which they joined."""
        return tuple(sorted(self._known.values(), key=lambda e: (e.added_s, _number(e.id))))

    def look(self) -> Change:
        """Ask the scheduler who is there.

        Its own list is asked, not the status store: that hears of a loss only later. The status
        store may not know a newcomer yet; it then counts as joined at the next look.
        """
        there = self._bridge.executor_ids()
        lost = tuple(sorted(self._known.keys() - there, key=_number))
        for executor_id in lost:
            del self._known[executor_id]
        joined: tuple[Executor, ...] = ()
        if there - self._known.keys():
            told = {e.id: e for e in _executors(self._bridge.executors())}
            joined = tuple(told[i] for i in sorted(there - self._known.keys()) if i in told)
            self._known.update((executor.id, executor) for executor in joined)
        return Change(joined, lost)


def warm_up(
    bridge: Bridge, newcomers: Sequence[Executor], modules: Iterable[str] | None = PYTHON_MODULES
) -> Mapping[str, float]:
    """Run one task on every slot of ``newcomers`` and return the seconds each took.

    The task starts the Python worker and imports ``modules``; with None it stays in the JVM, for
    jobs that run no Python: a worker takes seconds to start. It is a job of its own beside the
    stream's, on executors that own no state yet, so no batch waits for it. An executor that is
    lost meanwhile, or whose task ran elsewhere, is missing in the answer.
    """
    places = [(e.host, e.id) for e in newcomers for _ in range(e.slots)]
    if not places:
        return {}
    group = f"albic-warm-up-{uuid4()}"
    try:
        bridge.run_located(places, None if modules is None else _importing(tuple(modules)), group)
    except PySparkException as error:
        log.warning("warm-up of %s failed: %s", ", ".join(e.id for e in newcomers), error)
        return {}
    wanted = {executor_id for _, executor_id in places}
    took_s: dict[str, float] = {}
    for job in bridge.jobs(group, -1):
        for stage_id in job["stageIds"]:
            for task in bridge.tasks(stage_id, 0):
                if task["executorId"] in wanted and task["status"] == "SUCCESS":
                    spent_s = task["duration"] / 1e3
                    took_s[task["executorId"]] = max(took_s.get(task["executorId"], 0.0), spent_s)
    return took_s


def _importing(modules: tuple[str, ...]) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Return the task of a warm-up; being local, it travels by value and needs no albic there."""

    def touch(frames: Iterator[Any]) -> Iterator[Any]:
        import contextlib  # noqa: PLC0415  runs in another process
        import importlib  # noqa: PLC0415  as above

        for module in modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(module)
        yield from frames

    return touch


def _executors(told: Sequence[Any]) -> Iterator[Executor]:
    """Yield the executors out of Spark's list; the driver runs no tasks."""
    for entry in told:
        if entry["id"] != "driver" and entry["isActive"]:
            host = host_of(str(entry["hostPort"]))
            added_s = entry["addTime"] / 1e3
            yield Executor(str(entry["id"]), host, int(entry["maxTasks"]), added_s)


def host_of(address: str) -> str:
    """Return the host of ``host:port``; a newcomer has no port yet, an IPv6 host has brackets."""
    host, colon, port = address.rpartition(":")
    return host if colon and port.isdecimal() else address


def _number(executor_id: str) -> tuple[int, str]:
    """Return a key that sorts ids as numbers where they are."""
    return (int(executor_id) if executor_id.isdecimal() else -1, executor_id)
