"""When to look: at the moments that matter, and no more often than the looks are worth.

A look takes about a millisecond, nearly all of it to wake up two processes. On a busy machine it
takes more, and then looks are fewer.
"""

import math

#: How often we look for ended batches and lost nodes, when one may end and when none will.
LOOK_EVERY_S, QUIET_LOOK_EVERY_S = 0.06, 0.3
#: The part of the time that looks may take, likewise.
MOST_SHARE, MOST_QUIET_SHARE = 0.01, 0.003
#: However long looks take, a lost node is noticed after this.
LONGEST_PAUSE_S = 0.5

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


def pause_s(quiet_s: float, look_s: float) -> float:
    """Return how long to wait for the next look if no batch ends for so long.

    ``look_s`` is what a look takes that brings nothing new.
    """
    least_s = max(LOOK_EVERY_S, look_s / MOST_SHARE)
    most_s = max(QUIET_LOOK_EVERY_S, look_s / MOST_QUIET_SHARE)
    return min(max(least_s, min(quiet_s, most_s)), LONGEST_PAUSE_S)
