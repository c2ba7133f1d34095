"""A query's own report of a batch."""

import re
from dataclasses import dataclass
from datetime import datetime

#: The part of a batch's time that only a batch has which ran, and all of it.
RUNNING_A_BATCH, WHOLE_BATCH = "addBatch", "triggerExecution"
#: One part of a batch's time, in milliseconds.
PART = re.compile(r"(\w+)=(\d+)")


@dataclass(frozen=True, slots=True)
class EndedBatch:
    """A batch that has ended; without its times where Spark's report of it was missed."""

    batch_id: int
    started_s: float | None = None
    batch_s: float | None = None

    @property
    def ended_s(self) -> float | None:
        """Return when it ended, if that is known."""
        if self.started_s is None or self.batch_s is None:
            return None
        return self.started_s + self.batch_s


def ended_by(at: str, batch_id: int, spent: str) -> EndedBatch:
    """Return the batch that had ended with the report of ``batch_id``, which began ``at``.

    ``spent`` are the parts of its time. A report without a run is one of the batch to come.
    """
    parts_ms = {part[1]: int(part[2]) for part in PART.finditer(spent)}
    if RUNNING_A_BATCH not in parts_ms:
        return EndedBatch(batch_id - 1)
    return EndedBatch(batch_id, datetime.fromisoformat(at).timestamp(), parts_ms[WHOLE_BATCH] / 1e3)
