"""Runs of several planners that took turns: who came to how much of plain Spark's batch time."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from albic.control.batches import BatchRecord
from albic.reports.batch_parts import Part, makeup
from albic.reports.batch_series import LAST, Summary, summary
from albic.reports.run_records import RunRecords


@dataclass(frozen=True, slots=True)
class Repeats:
    """All runs of one planner, in the order in which they ran.

    ``empty`` are batches of the same job with next to no rows.
    """

    runs: tuple[RunRecords, ...]
    empty: tuple[BatchRecord, ...] = ()

    @property
    def name(self) -> str:
        """Return what people call it."""
        return self.runs[0].name

    def summary(self) -> Summary:
        """Return all runs together in numbers."""
        return summary(*self.runs)

    def makeup(self) -> tuple[Part, ...]:
        """Return what the last batches consist of; nothing if nobody measured empty ones."""
        end = [record for run in self.runs for record in run.counted[-LAST:]]
        return makeup(end, self.empty, self.runs[0].stages) if self.empty else ()


@dataclass(frozen=True, slots=True)
class Ratio:
    """How long batches take, as a share of another planner's.

    ``end`` is of the last batches, ``lowest`` and ``highest`` of those of single runs, each against
    the other planner's run of the same turn. ``all`` is of all batches that count, moves included.
    """

    end: float
    lowest: float
    highest: float
    all: float


def turns(planners: Sequence[str], repeats: int) -> tuple[tuple[str, int], ...]:
    """Return who runs after whom, and for which time: A B, then B A, then A B again.

    A machine that grows faster, or slower, from run to run favours nobody that way.
    """
    return tuple(
        (name, turn)
        for turn in range(repeats)
        for name in (planners if turn % 2 == 0 else reversed(planners))
    )


def ratio(one: Repeats, plain: Repeats) -> Ratio:
    """Return the batch time of one planner as a share of another's."""
    each = [_end_s(a) / _end_s(b) for a, b in zip(one.runs, plain.runs, strict=True)]
    mine, theirs = one.summary(), plain.summary()
    return Ratio(
        mine.end_batch_s / theirs.end_batch_s, min(each), max(each), mine.batch_s / theirs.batch_s
    )


def _end_s(run: RunRecords) -> float:
    """Return the median batch at the end of a run."""
    return statistics.median(record.batch_s for record in run.counted[-LAST:])
