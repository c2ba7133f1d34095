"""When a batch will end, going by the last ones: looks are for the moments that matter."""

import math

#: A batch takes at least this share of the shortest of the last two, or is no worse for being
#: noticed a little late.
SURE = 0.95
#: A batch that is overdue may be looked for so much less often as it is late: a query may have
#: nothing to do for hours.
PATIENCE = 0.05


def sure_until_s(ended_s: float, started_s: float, shortest_s: float, interval_s: float) -> float:
    """Return until when the batch after one that started and ended then is sure to run.

    Parameters
    ----------
    shortest_s
        How long a short batch takes.
    interval_s
        How often batches start; 0 if they follow each other at once. Spark starts them at whole
        multiples of it, or at once where the one before took too long.
    """
    begins_s = ended_s
    if interval_s > 0:
        begins_s = max(ended_s, (math.floor(started_s / interval_s) + 1) * interval_s)
    return begins_s + SURE * shortest_s


def look_in_s(now_s: float, sure_s: float) -> float:
    """Return how long a look can wait if no batch ends before ``sure_s``."""
    left_s = sure_s - now_s
    return left_s if left_s > 0 else -PATIENCE * left_s
