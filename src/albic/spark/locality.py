"""How long Spark lets a task wait for the executor that has its state."""

import logging
import math
from collections.abc import Sequence

from albic.model import InvalidInput
from albic.spark.bridge import Bridge

log = logging.getLogger(__name__)

#: An idle executor takes a waiting task away from its owner when the wait is over. As long as a
#: whole stage, with much to spare for a load that grows or a state that is loaded, it never is.
#: Waiting too long costs nothing: who waits for a lost executor is set free at once.
WAIT_PER_STAGE = 3.0
#: Spark's own default.
SHORTEST_WAIT_S = 3.0
#: What a batch stands still at most for a lost executor if nobody is left to unblock it.
LONGEST_WAIT_S = 30.0
#: A wait that is so near to the right one is right: there is much to spare.
NEAR = 0.1
PROCESS, NODE = "process", "node"


class LocalityWait:
    """Spark's patience with busy executors, set for as long as we steer.

    The wait for an executor is ours, for only state and cached data ask for one. The wait for a
    host also serves sources, so it stays the application's, but for the time after a loss.
    """

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._before = {level: bridge.locality_wait(level) for level in (PROCESS, NODE)}
        self._wait_s: float | None = None

    def fit(self, busiest_stage_s: float) -> float:
        """Set the wait for a stage that keeps its busiest executor busy so long; return it.

        A wait that is nearly so already stays.
        """
        if not math.isfinite(busiest_stage_s) or busiest_stage_s < 0:
            raise InvalidInput(f"busiest_stage_s is {busiest_stage_s}; it must be 0 or more")
        wait_s = min(max(WAIT_PER_STAGE * busiest_stage_s, SHORTEST_WAIT_S), LONGEST_WAIT_S)
        if self._wait_s is not None and abs(wait_s - self._wait_s) <= NEAR * self._wait_s:
            return self._wait_s
        self._bridge.set_locality_wait(PROCESS, f"{round(wait_s * 1e3)}ms")
        self._bridge.set_locality_wait(NODE, self._before[NODE])
        self._wait_s = wait_s
        return wait_s

    def suspend(self) -> int:
        """Let tasks go anywhere until the next ``fit``; return how many task sets were running.

        For a batch in flight after a loss: its tasks wait for the dead, and were placed before
        anything could be re-pointed. New task sets, and old ones that Spark reckons anew when it
        hears of the loss, read the setting; those that did so already are changed directly.
        """
        self._wait_s = None
        for level in (PROCESS, NODE):
            self._bridge.set_locality_wait(level, "0ms")
        return self._bridge.release_waiting_tasks()

    def restore(self) -> None:
        """Put back what the application had."""
        self._wait_s = None
        for level, wait in self._before.items():
            self._bridge.set_locality_wait(level, wait)


def placed_anew(bridge: Bridge, lost: Sequence[str]) -> bool:
    """Let tasks that wait for lost executors be placed once more; return whether they were."""
    try:
        placed = bridge.place_waiting_tasks(lost)
    except Exception as wrong:  # noqa: BLE001  Spark's own, and may change with a version
        log.warning("tasks that wait for a lost executor go anywhere: %s", wrong)
        return False
    log.info("%d tasks that waited for a lost executor were placed anew", placed)
    return True
