"""How fast the rows of a replay come."""

from dataclasses import dataclass

from albic.jobs.datasets.prepared import Prepared
from albic.model import InvalidInput

#: Rows a batch where neither a number nor a span of event time was asked for.
ROWS_PER_BATCH = 20_000


@dataclass(frozen=True)
class Pace:
    """How fast rows come.

    Attributes
    ----------
    speed_up
        Seconds of event time for each second on the wall; 3600 is an hour a second. Without it,
        rows come as fast as batches end.
    rows
        The most rows a batch; 20,000 where nothing else is said.
    span_s
        The most event time a batch, in seconds. A batch ends where a multiple of it since 1970
        does, so that several replays of one span stay side by side. A gap is jumped over.
    """

    speed_up: float | None = None
    rows: int | None = None
    span_s: float | None = None

    def __post_init__(self) -> None:
        for name in ("speed_up", "rows", "span_s"):
            value = getattr(self, name)
            if value is not None and not 0 < value < float("inf"):
                raise InvalidInput(f"{name} is {value!r}; it must be above 0")

    def end(self, copy: Prepared, start: int, due_us: int | None) -> int:
        """Return where a batch ends that begins at row ``start``; ``due_us`` is the clock's say."""
        ends = [copy.end]
        if due_us is not None:
            ends.append(copy.row_at(due_us))
        if self.span_s is not None:
            span_us = round(self.span_s * 1e6)
            ends.append(copy.row_at((copy.time_at_us(start) // span_us + 1) * span_us))
        if self.rows is not None:
            ends.append(start + self.rows)
        elif self.span_s is None and self.speed_up is None:
            ends.append(start + ROWS_PER_BATCH)
        return max(min(ends), start)
