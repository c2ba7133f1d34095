"""What feeds a job: ordered copies, how fast they come, and which of their columns."""

from dataclasses import dataclass

from albic.jobs.datasets.pace import Pace
from albic.jobs.datasets.prepared import Prepared


@dataclass(frozen=True, slots=True)
class Feed:
    """An ordered copy on its way into a job; its rows are never late.

    Attributes
    ----------
    name
        What operators call it.
    copy
        The rows, in the order of time.
    pace
        How many come in a batch.
    columns
        Those of use; the fewer, the less is sent.
    """

    name: str
    copy: Prepared
    pace: Pace
    columns: tuple[str, ...]
