"""Ctrl-C while a call to the JVM is under way.

Raised in the midst of a call, py4j answers ``KeyboardInterrupt`` by closing the connections of all
threads, PySpark by another call within the first. Either way the next calls fail, and with them
whatever should end in good order. So Ctrl-C waits for the call to end. One that takes long, as
``query.awaitTermination()`` does, is cut off, and its connection alone goes with it.
"""

import signal
import threading
import time
from queue import SimpleQueue
from types import FrameType
from typing import Any

from py4j.clientserver import JavaClient  # type: ignore[import-untyped]

#: Calls take milliseconds; whoever presses Ctrl-C does not notice this.
PATIENCE_S = 0.5
LOOK_AGAIN_S = 0.01


class Interrupts:
    """Holds an interrupt back while the main thread calls a JVM; ``client`` is py4j's gateway."""

    def __init__(self, client: Any) -> None:  # noqa: ANN401  py4j has no types
        self._client = client
        self._before = signal.getsignal(signal.SIGINT)
        self._cut_off_s: float | None = None
        # Whoever answers a signal must take no lock that it may have interrupted: this has none.
        self._postponed: SimpleQueue[int | None] = SimpleQueue()
        threading.Thread(target=self._remind, name="ctrl-c", daemon=True).start()

    def take(self) -> None:
        """Answer Ctrl-C from now on; what would have answered it is asked when the call is over."""
        if _in_main_thread() and self._before is not None:
            answer = self._answer if callable(self._before) else self._before
            signal.signal(signal.SIGINT, answer)

    def give_back(self) -> None:
        """Let Ctrl-C be answered as before."""
        if _in_main_thread() and signal.getsignal(signal.SIGINT) == self._answer:
            signal.signal(signal.SIGINT, self._before)
        self._postponed.put(None)

    def _remind(self) -> None:
        """Send what was postponed to the main thread again."""
        main = threading.main_thread().ident
        while (number := self._postponed.get()) is not None and main is not None:
            time.sleep(LOOK_AGAIN_S)
            signal.pthread_kill(main, number)

    def _answer(self, number: int, frame: FrameType | None) -> None:
        """Pass an interrupt on, or come back to it if a call is under way."""
        now_s = time.monotonic()
        if self._cut_off_s is None:
            self._cut_off_s = now_s + PATIENCE_S
        under_way = frame is not None and _calls(frame)
        # At work itself, py4j may be tidying up, and there Python drops what is raised.
        if frame is not None and under_way and (now_s < self._cut_off_s or _is_py4j(frame)):
            self._postponed.put(number)
            return
        self._cut_off_s = None
        try:
            if callable(self._before):
                self._before(number, frame)
        except BaseException:
            if under_way:
                self._drop_connection()
            raise

    def _drop_connection(self) -> None:
        """Close this thread's connection, for the answer of the call would be the next one's."""
        links = self._client._gateway_client
        if isinstance(links, JavaClient) and (link := links.get_thread_connection()) is not None:
            link.close()


def _in_main_thread() -> bool:
    """Return whether we may say what answers a signal; Python lets no other thread."""
    return threading.current_thread() is threading.main_thread()


def _calls(frame: FrameType) -> bool:
    """Return whether a call to the JVM is under way."""
    at: FrameType | None = frame
    while at is not None and not _is_py4j(at):
        at = at.f_back
    return at is not None


def _is_py4j(frame: FrameType) -> bool:
    """Return whether a function of py4j runs, and none that it called."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "py4j"
