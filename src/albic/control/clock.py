"""The clock on the wall."""

import threading
import time


class WallClock:
    """Real time; sleeping threads can be woken."""

    def __init__(self) -> None:
        self._woken = threading.Event()

    def now_s(self) -> float:
        """Return seconds since the epoch."""
        return time.time()

    def sleep_until(self, moment_s: float) -> None:
        """Return at that time, or when woken."""
        self._woken.wait(max(moment_s - self.now_s(), 0.0))

    def wake(self) -> None:
        """End all sleep, for good."""
        self._woken.set()
