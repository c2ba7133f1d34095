"""The jobs that are shown: journals, some of them with the controller that writes them."""

import re
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from albic.advice import Finding
from albic.control import Controller, ControllerStatus, JsonLinesJournal, RoundRecord
from albic.control.advice_evidence import advice
from albic.live import JobState, JournalFollower, JournalState, MemoryFollower, Source
from albic.live.redacting import without_secrets
from albic.model import InvalidInput

#: Rounds that advice is made from; each holds a whole measurement.
ADVISED = 32


@dataclass(frozen=True, slots=True)
class Reading:
    """How the reading of a journal goes.

    ``behind_bytes`` is what is still to be read, ``damaged`` counts lines that were no records.
    """

    missing: bool
    damaged: int
    complaint: str | None
    behind_bytes: int


@dataclass(frozen=True, slots=True)
class JobPage:
    """All that a page shows of a job, and who answers for it."""

    id: str
    name: str
    reading: Reading
    controller: ControllerStatus | None
    state: JobState


class Job:
    """One journal as it grows; several threads may look at it.

    ``controller`` is there where it runs in this process; without one, nothing can be changed.
    """

    def __init__(
        self,
        id_: str,
        name: str,
        source: Source,
        controller: Controller | None = None,
    ) -> None:
        self.id = id_
        self.name = name
        self.controller = controller
        self._source = source
        self._state = JournalState()
        self._recent: deque[RoundRecord] = deque(maxlen=ADVISED)
        self._lock = threading.Lock()

    def page(self, rounds: int = 50) -> JobPage:
        """Return how things stand now."""
        with self._lock:
            self._read()
            complaint = self._source.complaint
            reading = Reading(
                self._source.missing,
                self._source.damaged,
                None if complaint is None else without_secrets(complaint),
                self._source.behind_bytes,
            )
            state = self._state.shown(rounds)
        return JobPage(self.id, self.name, reading, self.status(), state)

    def rounds(self, limit: int, before: int | None) -> Sequence[Any]:
        """Return the newest rounds, newest first."""
        with self._lock:
            self._read()
            return self._state.rounds(limit, before)

    def snapshot(self) -> dict[str, Any] | None:
        """Return the newest measurement, as a snapshot file has it."""
        with self._lock:
            self._read()
            return self._state.snapshot

    def advice(self) -> tuple[Finding, ...]:
        """Return what placement cannot fix, by the newest rounds."""
        with self._lock:
            self._read()
            recent = tuple(self._recent)
        return advice(recent)

    def status(self) -> ControllerStatus | None:
        """Return where the controller stands, if there is one."""
        if self.controller is None:
            return None
        status = self.controller.status()
        # In whole seconds, or the page would be another one at every look.
        return replace(status, worked_s=float(int(status.worked_s)))

    def _read(self) -> None:
        """Take in what was appended; only those who look pay for it."""
        for record in self._source.records():
            self._state.take_in(record)
            self._recent.append(record)


class Jobs:
    """The jobs of one server, by id."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._jobs = {job.id: job for job in jobs}

    def __iter__(self) -> Iterator[Job]:
        return iter(self._jobs.values())

    def get(self, id_: str) -> Job | None:
        """Return the job of that id, if there is one."""
        return self._jobs.get(id_)


def jobs_of_journals(paths: Sequence[Path]) -> Jobs:
    """Return a job for each journal; one that is not there yet may come."""
    if len({path.resolve() for path in paths}) < len(paths):
        raise InvalidInput("a journal is listed twice; name each once")
    names = _names(paths)
    ids = _ids(names)
    return Jobs(
        [
            Job(id_, name, JournalFollower(path))
            for id_, name, path in zip(ids, names, paths, strict=True)
        ]
    )


def job_of_controller(controller: Controller, name: str) -> Job:
    """Return the job that a controller of this process steers."""
    journal = controller.journal
    source: Source = (
        JournalFollower(journal.path)
        if isinstance(journal, JsonLinesJournal)
        else MemoryFollower(journal)
    )
    return Job(_ids([name])[0], name, source, controller)


def _names(paths: Sequence[Path]) -> list[str]:
    """Return short names; where files are called the same, their folder is named too."""
    short = [path.name.removesuffix(".jsonl") for path in paths]
    longer = [
        f"{path.absolute().parent.name}/{name}" for path, name in zip(paths, short, strict=True)
    ]
    return [
        long if short.count(name) > 1 else name for name, long in zip(short, longer, strict=True)
    ]


def _ids(names: Sequence[str]) -> list[str]:
    """Return ids that are fit for an address, each once."""
    taken: list[str] = []
    for name in names:
        plain = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "job"
        id_, number = plain, 1
        while id_ in taken:
            number += 1
            id_ = f"{plain}-{number}"
        taken.append(id_)
    return taken
