"""A network under measurement: its state is dealt out like cards, and its batches are kept."""

from albic.control.batches import BatchRecord
from albic.jobs.observed_run import batches
from albic.model import JobEnded
from albic.spark.starting_places import Dealer
from albic.streams import RunningNetwork

#: Batches that start Python, fill caches, and bring state to where it belongs.
WARM_BATCHES = 4


def dealt_out(running: RunningNetwork, count: int | None = None) -> list[BatchRecord]:
    """Return the next ``count`` batches, or all that come; then the network is stopped.

    Key groups of the same number lie together, so that rows of one key stay on a node.
    """
    seen: list[BatchRecord] = []
    dealer: Dealer | None = None
    try:
        for record in batches(running.query):
            seen.append(record)
            if count is not None and len(seen) >= count:
                break
            if running.query.isActive:
                dealer = dealer or Dealer(running.query, shift=0)
                dealer.settled(record.node)
    except JobEnded:
        if running.query.exception() is not None:
            raise
    finally:
        running.stop()
    return seen
