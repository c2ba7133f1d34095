"""One record a round, as a line of JSON."""

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from albic.advice import TaskCost
from albic.control.move_costs import MeasuredMove
from albic.control.rotation import KEPT_FILES, MOST_BYTES, ends_midway, exists, newest_first, rotate
from albic.control.typed_fields import names, refuse, texts, typed
from albic.model import InvalidInput
from albic.model.fields import Pairs
from albic.model.files import bounded

FORMAT = "albic-journal/1"


class Status(StrEnum):
    """How a round ended."""

    APPLIED = "applied"
    HELD = "held"
    """Nothing was worth moving; the reason says why."""
    PROPOSED = "proposed"
    """A dry run."""
    WAITING = "waiting"
    """The plan waits for a person."""
    REJECTED = "rejected"
    """A person did not want the plan that waited."""
    LAPSED = "lapsed"
    """Nobody answered in time, or something overtook the plan that waited."""
    TOLD = "told"
    """No round: somebody told the loop something; the reason says what."""
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
    cost_per_move: float = 0.0
    exclude_operators: tuple[str, ...] = ()
    exclude_executors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """What one round saw, planned and did.

    ``…_before`` is measured, ``…_after`` is what the plan promises; the next record's ``…_before``
    tells what came of it. ``mean_load_pct`` is what each node would carry if all were equal.
    ``batch_s`` and the tasks are of the batches since the last record.
    ``cost_s`` is how late the plan's moves should make their key groups in all, ``measured_moves``
    how late earlier ones were. ``cpu_s`` and ``rows`` are sums over the key groups' tasks;
    ``local_bytes`` and ``remote_bytes`` are what key groups read from others on the same node and
    elsewhere. ``nodes`` are those that stayed before the decision to add, drain or keep some, and
    ``scaling`` is its reason. ``snapshot`` is the whole measurement and ``terms`` are the rest of
    the question, so that another planner can be asked later. Of ``batches`` so many were ``read``
    whole: tasks, rows and bytes are of these. ``note`` is what else people should know. ``by`` is
    who asked for it, where a person did; ``proposal`` names the plan that waits or was answered,
    and ``paused`` says whether the loop was, where that was what was asked.

    The rest is for advice. ``busy_s`` and ``wait_s`` are how long tasks ran, and stood still for
    rows of other nodes; ``interval_s``, ``beside_s`` and ``arrived_share`` are as in
    Throughput, ``impatience`` and ``task_costs`` as in Evidence. ``spark`` are settings of the
    session when we attached.
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
    mean_load_pct: float | None = None
    moves: tuple[MoveRecord, ...] = ()
    cost_s: float | None = None
    measured_moves: tuple[MeasuredMove, ...] = ()
    scaling: str | None = None
    nodes: int | None = None
    added: int = 0
    drained: int = 0
    kept: int = 0
    batches: int = 0
    batch_s: float | None = None
    read: int = 0
    judged: int = 0
    compliant: int = 0
    cpu_s: float = 0.0
    rows: int = 0
    local_bytes: int = 0
    remote_bytes: int = 0
    error: str | None = None
    note: str | None = None
    busy_s: float = 0.0
    wait_s: float = 0.0
    interval_s: float | None = None
    beside_s: float = 0.0
    arrived_share: float = 1.0
    impatience: float | None = None
    task_costs: tuple[TaskCost, ...] = ()
    spark: dict[str, str] | None = None
    by: str | None = None
    proposal: str | None = None
    paused: bool | None = None
    terms: TermsRecord | None = None
    snapshot: dict[str, Any] | None = None

    @property
    def migrations(self) -> tuple[MoveRecord, ...]:
        """Return the moves that were carried out; of a plan that was held, none were."""
        return self.moves if self.status is Status.APPLIED else ()

    @property
    def compliance(self) -> float | None:
        """Return the share of tasks that ran on their owner; None when there was none to judge."""
        return self.compliant / self.judged if self.judged else None

    @property
    def collocation_measured(self) -> float | None:
        """Return the share of bytes between key groups that stayed on a node, as it was."""
        read_bytes = self.local_bytes + self.remote_bytes
        return self.local_bytes / read_bytes if read_bytes else None


class MemoryJournal:
    """Keeps records for as long as the process lives; with ``most``, only the newest."""

    def __init__(self, most: int | None = None) -> None:
        self._records: deque[RoundRecord] = deque(maxlen=most)

    def add(self, record: RoundRecord) -> None:
        """Keep one record."""
        self._records.append(record)

    def records(self) -> Sequence[RoundRecord]:
        """Return all records, oldest first."""
        return tuple(self._records)


class JsonLinesJournal:
    """Appends records to a file, each whole or not at all for whoever reads it.

    A file of ``max_bytes`` is put aside and another one begun; 0 lets it grow. Of all these, the
    newest ``files`` are kept.
    """

    def __init__(self, path: Path, max_bytes: int = MOST_BYTES, files: int = KEPT_FILES) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._files = files
        self._begun = False

    def add(self, record: RoundRecord) -> None:
        """Append one record."""
        line = json.dumps({"format": FORMAT, **asdict(record)}, allow_nan=False) + "\n"
        size = self.path.stat().st_size if self.path.exists() else 0
        full = self._max_bytes and size and size + len(line) > self._max_bytes
        # What a writer that was killed left behind must not become the start of our first line.
        if full or (size and not self._begun and ends_midway(self.path)):
            rotate(self.path, self._files)
        self._begun = True
        with self.path.open("a", encoding="utf-8") as stream:
            stream.write(line)

    def records(self) -> Sequence[RoundRecord]:
        """Return all records that are kept, oldest first."""
        return read_journal(self.path) if exists(self.path) else ()


def _why(wrong: Exception) -> str:
    """Return why a file cannot be read, in plain words."""
    if isinstance(wrong, UnicodeDecodeError):
        return "it is not a text in UTF-8"
    told = wrong.strerror if isinstance(wrong, OSError) else None
    return told.lower() if told else str(wrong)


def read_journal(path: Path) -> tuple[RoundRecord, ...]:
    """Return the records at ``path``, those that were put aside first, oldest first.

    A last line without an end is left out: a writer that was killed leaves half a line.
    """
    try:
        found: list[tuple[Path, str]] = []
        for stream in newest_first(path):
            with stream:
                found.append((Path(stream.name), bounded(stream).decode("utf-8")))
        if not found:
            # To hear from the system what is wrong with it.
            path.open("rb").close()
    except (InvalidInput, OSError, ValueError) as wrong:
        raise InvalidInput(f"{str(path)!r} cannot be read as a journal: {_why(wrong)}") from None
    return tuple(
        record_of(file, number, line)
        for file, text in reversed(found)
        for number, line in enumerate(text.split("\n")[:-1], 1)
        if line
    )


def record_of(path: Path, number: int, line: str) -> RoundRecord:
    """Return the record in one line of a journal."""
    try:
        document = json.loads(line, object_pairs_hook=Pairs.of, parse_constant=refuse)
        if document.pop("format") != FORMAT:
            raise InvalidInput(f"{str(path)!r}, line {number}: the format is not {FORMAT}")
        known = typed(RoundRecord, document)
        known["status"] = Status(known["status"])
        known["moves"] = tuple(MoveRecord(**typed(MoveRecord, move)) for move in known["moves"])
        known["measured_moves"] = tuple(
            MeasuredMove(**typed(MeasuredMove, move)) for move in known.get("measured_moves", ())
        )
        known["task_costs"] = tuple(
            TaskCost(**typed(TaskCost, cost)) for cost in known.get("task_costs", ())
        )
        known["spark"] = texts("spark", known.get("spark"))
        if known.get("terms") is not None:
            terms = typed(TermsRecord, known["terms"])
            for name in ("exclude_operators", "exclude_executors"):
                terms[name] = names(name, terms.get(name, ()))
            known["terms"] = TermsRecord(**terms)
        return RoundRecord(**known)
    except json.JSONDecodeError:
        raise InvalidInput(
            f"{str(path)!r}, line {number} is not JSON; a journal of albic has a record of "
            f"{FORMAT} in every line"
        ) from None
    except (AttributeError, KeyError, RecursionError, TypeError, ValueError) as wrong:
        raise InvalidInput(
            f"{str(path)!r}, line {number} is no record of {FORMAT}: {wrong}"
        ) from None
