"""What is known of a job by now, taken in record by record, in a bounded space."""

import json
from collections import deque
from dataclasses import dataclass
from typing import Any

from albic.control.journal import RoundRecord, Status
from albic.control.rounds import ARRIVAL, HAND, LOSS
from albic.live.bars import Edge, Executors, executors_of, traffic_of
from albic.live.bounded_series import Thinned
from albic.live.health import Health, Pulse
from albic.live.redacting import without_secrets
from albic.live.round_text import Move, Tale, came_of, moves_of, tale_of
from albic.model import InvalidInput, Snapshot, metrics
from albic.model.fields import Pairs
from albic.model.snapshot_file import snapshot_from

#: Rounds that are kept one by one, and marks on the time axis.
KEPT_ROUNDS, KEPT_MARKS = 500, 300
COLUMNS = ("distance_pct", "batch_s", "collocation", "load_index", "executors")


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that happened: a plan that was carried out, a loss, an arrival, a hand."""

    at_s: float
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Courses:
    """The job over time; each list has one entry a point, None where nothing was measured."""

    at_s: tuple[float, ...]
    distance_pct: tuple[float | None, ...]
    batch_s: tuple[float | None, ...]
    collocation: tuple[float | None, ...]
    load_index: tuple[float | None, ...]
    executors: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class LastPlan:
    """The plan of the last round that came to one, whether it was carried out or not."""

    round: int
    status: str
    reason: str
    proposal: str | None
    moves: tuple[Move, ...]
    more_moves: int


@dataclass(frozen=True, slots=True)
class JobState:
    """All that a page shows of a job."""

    version: int
    records: int
    health: Health
    executors: Executors | None
    traffic: tuple[Edge, ...]
    courses: Courses
    marks: tuple[Mark, ...]
    plan: LastPlan | None
    rounds: tuple[Tale, ...]


class JournalState:
    """Takes records in and says how things stand; its size does not grow with the journal."""

    def __init__(self) -> None:
        self.records = 0
        self.snapshot: dict[str, Any] | None = None
        self._pulse = Pulse()
        self._series = Thinned(COLUMNS)
        self._marks: deque[Mark] = deque(maxlen=KEPT_MARKS)
        self._rounds: deque[Tale] = deque(maxlen=KEPT_ROUNDS)
        self._plan: LastPlan | None = None
        self._start_pct: float | None = None
        self._picture: tuple[Executors, tuple[Edge, ...]] | None = None
        self._unseen: dict[str, Any] | None = None

    def take_in(self, record: RoundRecord) -> None:
        """Learn of one more record."""
        self.records += 1
        self._pulse.take_in(record)
        self._connect(record)
        self._rounds.append(tale_of(record, self.records))
        self._mark(record)
        if record.status is Status.TOLD:
            return
        if record.snapshot is not None:
            self.snapshot = self._unseen = record.snapshot
        self._series.add(record.at_s, self._numbers(record))
        if record.planner is not None:
            moves = moves_of(record)
            self._plan = LastPlan(
                record.number,
                record.status.value,
                without_secrets(record.reason),
                record.proposal,
                moves,
                len(record.moves) - len(moves),
            )

    def rounds(self, limit: int, before: int | None = None) -> tuple[Tale, ...]:
        """Return the newest rounds, newest first; ``before`` leaves out those from there on."""
        told = [each for each in reversed(self._rounds) if before is None or each.position < before]
        return tuple(told[:limit])

    def shown(self, rounds: int = 50) -> JobState:
        """Return how things stand, with so many of the newest rounds."""
        # Only the newest measurement is drawn, however many came since the last look.
        if (snapshot := _measured(self._unseen)) is not None:
            self._picture = executors_of(snapshot), traffic_of(snapshot)
        self._unseen = None
        picture, traffic = self._picture or (None, ())
        return JobState(
            version=self.records,
            records=self.records,
            health=self._pulse.health(),
            executors=picture,
            traffic=traffic,
            courses=Courses(
                tuple(self._series.times()),
                *(tuple(self._series.values(column)) for column in COLUMNS),
            ),
            marks=tuple(self._marks),
            plan=self._plan,
            rounds=self.rounds(rounds),
        )

    def _numbers(self, record: RoundRecord) -> dict[str, float | None]:
        """Return what a round adds to the courses."""
        mean_pct, index = _mean_load(record), None
        if mean_pct:
            self._start_pct = self._start_pct or mean_pct
            index = metrics.load_index(mean_pct, self._start_pct)
        local = record.collocation_measured
        return {
            "distance_pct": record.distance_before,
            "batch_s": record.batch_s,
            "collocation": record.collocation_before if local is None else local,
            "load_index": index,
            "executors": record.nodes,
        }

    def _connect(self, record: RoundRecord) -> None:
        """Tell the round before what came of it."""
        for back in range(1, len(self._rounds) + 1):
            last = self._rounds[-back]
            if last.status == Status.APPLIED:
                if last.came is None:
                    self._rounds[-back] = came_of(last, record)
                return

    def _mark(self, record: RoundRecord) -> None:
        """Remember what is worth a mark on the time axis."""
        if record.trigger in {LOSS, ARRIVAL}:
            self._marks.append(Mark(record.at_s, record.trigger, without_secrets(record.reason)))
        if record.status is Status.APPLIED and record.moves:
            self._marks.append(Mark(record.at_s, "plan", f"{len(record.moves)} moves"))
        elif record.trigger == HAND:
            self._marks.append(Mark(record.at_s, HAND, without_secrets(record.reason)))


def _mean_load(record: RoundRecord) -> float | None:
    """Return the mean load of a round; older journals have it in their snapshots only."""
    if record.mean_load_pct is not None:
        return record.mean_load_pct
    snapshot = _measured(record.snapshot)
    return None if snapshot is None else metrics.mean_load(snapshot)


def _measured(document: dict[str, Any] | None) -> Snapshot | None:
    """Return the measurement in a record; None where there is none, or one that is damaged."""
    if document is None:
        return None
    if not isinstance(document, Pairs):
        # It comes from this process, and not out of a file.
        document = json.loads(json.dumps(document), object_pairs_hook=Pairs.of)
    try:
        return snapshot_from(document)
    except InvalidInput:
        return None
