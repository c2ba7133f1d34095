"""One record a round, as a line of JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from albic.model import InvalidInput

FORMAT = "albic-journal/1"


class Status(StrEnum):
    """How a round ended."""

    APPLIED = "applied"
    HELD = "held"
    """Nothing was worth moving; the reason says why."""
    PROPOSED = "proposed"
    """A dry run."""
    NOT_READY = "not ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class MoveRecord:
    """One migration, by name."""

    operator: str
    partition: int
    source: str
    target: str
    state_bytes: int


@dataclass(frozen=True, slots=True)
class TermsRecord:
    """What the planner was asked beside the snapshot; names as in PlanRequest and Settings."""

    budget: float
    budget_unit: str
    cost_per_byte: float
    max_load_distance_pct: float
    drain_weight: float
    time_limit_s: float
    seed: int
    least_gain: float


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """What one round saw, planned and did.

    ``…_before`` is measured, ``…_after`` is what the plan promises; the next record's ``…_before``
    tells what came of it. ``batch_s`` and the tasks are of the batches since the last record.
    ``snapshot`` is the whole measurement and ``terms`` are the rest of the question, so that
    another planner can be asked later.
    """

    number: int
    at_s: float
    trigger: str
    status: Status
    reason: str
    wall_s: float = 0.0
    generation: int | None = None
    planner: str | None = None
    objective: str | None = None
    outcome: str | None = None
    makespan_before: float | None = None
    makespan_after: float | None = None
    distance_before: float | None = None
    distance_after: float | None = None
    collocation_before: float | None = None
    collocation_after: float | None = None
    moves: tuple[MoveRecord, ...] = ()
    scaling: str | None = None
    batches: int = 0
    batch_s: float | None = None
    judged: int = 0
    compliant: int = 0
    error: str | None = None
    terms: TermsRecord | None = None
    snapshot: dict[str, Any] | None = None

    @property
    def compliance(self) -> float | None:
        """Return the share of tasks that ran on their owner; None when there was none to judge."""
        return self.compliant / self.judged if self.judged else None


class MemoryJournal:
    """Keeps records for as long as the process lives."""

    def __init__(self) -> None:
        self._records: list[RoundRecord] = []

    def add(self, record: RoundRecord) -> None:
        """Keep one record."""
        self._records.append(record)

    def records(self) -> Sequence[RoundRecord]:
        """Return all records, oldest first."""
        return tuple(self._records)


class JsonLinesJournal:
    """Appends records to a file, each whole or not at all for whoever reads it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, record: RoundRecord) -> None:
        """Append one record."""
        line = json.dumps({"format": FORMAT, **asdict(record)}, allow_nan=False)
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")

    def records(self) -> Sequence[RoundRecord]:
        """Return all records, oldest first."""
        return read_journal(self.path) if self.path.exists() else ()


def read_journal(path: Path) -> tuple[RoundRecord, ...]:
    """Return the records in the file at ``path``; a last line without an end is left out."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as wrong:
        raise InvalidInput(f"{str(path)!r} cannot be read as a journal: {wrong}") from None
    # A writer that was killed leaves half a line; whole ones end with a newline.
    lines = text.split("\n")[:-1]
    return tuple(_record(path, number, line) for number, line in enumerate(lines, 1) if line)


def _record(path: Path, number: int, line: str) -> RoundRecord:
    """Return the record in one line."""
    try:
        document = json.loads(line)
        if document.pop("format") != FORMAT:
            raise InvalidInput(f"{str(path)!r}, line {number}: the format is not {FORMAT}")
        names = {field.name for field in fields(RoundRecord)}
        known = {name: value for name, value in document.items() if name in names}
        known["status"] = Status(known["status"])
        known["moves"] = tuple(MoveRecord(**move) for move in known["moves"])
        if known.get("terms") is not None:
            known["terms"] = TermsRecord(**known["terms"])
        return RoundRecord(**known)
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise InvalidInput(
            f"{str(path)!r}, line {number} is no record of {FORMAT}: {wrong}"
        ) from None
