"""How a job and its controller are, by the last records."""

from collections import deque
from dataclasses import dataclass, replace

from albic.control.journal import RoundRecord, Status
from albic.control.silence import is_silent
from albic.live.redacting import without_secrets

#: Rounds that health is about; at 20 s a round, ten minutes.
RECENT = 30


@dataclass(frozen=True, slots=True)
class Health:
    """How the last rounds went.

    ``compliance`` is the share of tasks that ran on their owner. ``silent`` says that no rounds
    are run because nothing was to be won. Times are in seconds since the epoch.
    """

    rounds: int
    compliance: float | None
    not_ready: int
    failed: int
    last_error: str | None
    last_error_s: float | None
    last_record_s: float | None
    last_batch_s: float | None
    silent: bool
    paused: bool
    batches_total: int
    moves_total: int
    moved_bytes_total: int
    rounds_total: dict[str, int]


class Pulse:
    """Takes records in and says how things are."""

    def __init__(self) -> None:
        self._recent: deque[RoundRecord] = deque(maxlen=RECENT)
        self._error: tuple[str, float] | None = None
        self._record_s: float | None = None
        self._batch_s: float | None = None
        self._silent = False
        self._paused = False
        self._batches = 0
        self._moves = 0
        self._moved_bytes = 0
        self._totals = {status.value: 0 for status in Status}

    def take_in(self, record: RoundRecord) -> None:
        """Learn of one more record."""
        if record.number == 1:
            # Another controller writes on; whatever was told to the one before went with it.
            self._paused = self._silent = False
        ended_s = record.at_s + record.wall_s
        self._record_s = ended_s
        self._totals[record.status.value] += 1
        if record.status is Status.TOLD:
            self._paused = self._paused if record.paused is None else record.paused
            return
        self._silent = is_silent(record.note)
        self._recent.append(_lean(record))
        if record.error is not None:
            self._error = without_secrets(record.error), ended_s
        if record.batches:
            self._batch_s = ended_s
        self._batches += record.batches
        self._moves += len(record.migrations)
        self._moved_bytes += sum(move.state_bytes for move in record.migrations)

    def health(self) -> Health:
        """Return how things are."""
        judged = sum(record.judged for record in self._recent)
        compliant = sum(record.compliant for record in self._recent)
        return Health(
            rounds=len(self._recent),
            compliance=compliant / judged if judged else None,
            not_ready=sum(record.status is Status.NOT_READY for record in self._recent),
            failed=sum(record.status is Status.FAILED for record in self._recent),
            last_error=None if self._error is None else self._error[0],
            last_error_s=None if self._error is None else self._error[1],
            last_record_s=self._record_s,
            last_batch_s=self._batch_s,
            silent=self._silent,
            paused=self._paused,
            batches_total=self._batches,
            moves_total=self._moves,
            moved_bytes_total=self._moved_bytes,
            rounds_total=dict(self._totals),
        )


def _lean(record: RoundRecord) -> RoundRecord:
    """Return a record without what takes room."""
    return replace(record, snapshot=None, moves=(), measured_moves=())
