"""One run of a job in numbers."""

import statistics
from dataclasses import dataclass

from albic.control.batches import BatchRecord, bound_s
from albic.control.journal import RoundRecord, Status
from albic.model import InvalidInput


@dataclass(frozen=True, slots=True)
class RunRecords:
    """All that was recorded of one run.

    Batches before ``warm_up`` do not count; ``changes`` are those in which the job changed.
    ``operators`` has the name of each key group's operator, in the order of the batches' entries,
    ``stages`` what runs in each stateful stage.
    """

    name: str
    nodes: int
    batches: tuple[BatchRecord, ...]
    rounds: tuple[RoundRecord, ...] = ()
    changes: tuple[int, ...] = ()
    warm_up: int = 1
    operators: tuple[str, ...] = ()
    stages: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.counted:
            raise InvalidInput(
                f"the run {self.name!r} has {len(self.batches)} batches, and the first "
                f"{self.warm_up} do not count; record more"
            )

    @property
    def counted(self) -> tuple[BatchRecord, ...]:
        """Return the batches that count."""
        return tuple(record for record in self.batches if record.batch >= self.warm_up)

    @property
    def batch_s(self) -> float:
        """Return the mean length of a batch."""
        return statistics.fmean(record.batch_s for record in self.counted)

    @property
    def bound_s(self) -> float:
        """Return how long a batch would last at the least, the state placed perfectly."""
        return statistics.fmean(
            record.batch_s - record.stage_s + bound_s(record.busy_s, self.nodes)
            for record in self.counted
        )

    @property
    def over_bound(self) -> float:
        """Return the mean batch as a multiple of the best that placement could do in this run.

        Each run is held against its own tasks. So it tells about placement alone, also where the
        machine was faster in one run than in the other.
        """
        return self.batch_s / self.bound_s

    @property
    def distance_pct(self) -> float:
        """Return the mean load distance."""
        return statistics.fmean(record.distance_pct(self.nodes) for record in self.counted)

    @property
    def moves(self) -> int:
        """Return how many key groups were told to move."""
        return sum(len(each.moves) for each in self.rounds if each.status is Status.APPLIED)

    @property
    def compliance(self) -> float | None:
        """Return the share of tasks that ran where they should; None if nobody said where."""
        judged = sum(each.judged for each in self.rounds)
        return sum(each.compliant for each in self.rounds) / judged if judged else None

    def percentile_s(self, percent: int) -> float:
        """Return the batch length that ``percent`` of the batches are not above."""
        ordered = sorted(record.batch_s for record in self.counted)
        return ordered[max(-(-len(ordered) * percent // 100), 1) - 1]

    def node_busy_s(self, last: int) -> dict[str, float]:
        """Return the mean seconds that each node worked in the ``last`` batches, busiest first."""
        recent = self.counted[-last:]
        names = sorted({node for record in self.batches for node in record.node})
        busy = {
            name: statistics.fmean(record.node_busy_s().get(name, 0.0) for record in recent)
            for name in names
        }
        idle = {f"idle {number + 1}": 0.0 for number in range(self.nodes - len(names))}
        return dict(sorted({**busy, **idle}.items(), key=lambda entry: -entry[1]))


def faster(plain: RunRecords, steered: RunRecords) -> float:
    """Return the steered run's mean batch as a share of the plain one's."""
    return steered.batch_s / plain.batch_s
