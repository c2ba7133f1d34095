"""Ctrl-C while a call to the JVM is under way.

Raised in the midst of a call, py4j answers ``KeyboardInterrupt`` by closing the connections of all
threads, PySpark by another call within the first. Either way the next calls fail, and with them
whatever should end in good order. So Ctrl-C waits for the call to end. One that takes long, as
``query.awaitTermination()`` does, is cut off, and its connection alone goes with it. While the JVM
starts, Ctrl-C waits as well: given up then, it would stay for ever.
"""

import logging
import signal
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from types import FrameType
from typing import Any

from py4j.clientserver import JavaClient  # type: ignore[import-untyped]

#: Calls take milliseconds; whoever presses Ctrl-C does not notice this.
PATIENCE_S = 0.5
#: A JVM that is not there by now will not come.
START_PATIENCE_S = 60.0
LOOK_AGAIN_S = 0.01
CALLING = "py4j"


class Interrupts:
    """Holds an interrupt back while the main thread starts a JVM or calls it."""

    def __init__(self) -> None:
        self._client: Any = None
        self._starting = False
        self._before = signal.getsignal(signal.SIGINT)
        self._pressed_s: float | None = None
        # Whoever answers a signal must take no lock that it may have interrupted: this has none.
        self._postponed: SimpleQueue[int | None] = SimpleQueue()
        threading.Thread(target=self._remind, name="ctrl-c", daemon=True).start()

    def started(self, start: Callable[[], Any]) -> Any:  # noqa: ANN401  py4j has no types
        """Return the gateway of py4j that ``start`` makes; if it fails, all is as before."""
        self.take()
        self._starting = True
        try:
            self._client = start()
        except BaseException:
            self.give_back()
            raise
        finally:
            self._starting = False
        return self._client

    def take(self) -> None:
        """Answer Ctrl-C from now on; what answered it before is asked when it may be."""
        if _in_main_thread() and self._before is not None:
            answer = self._answer if callable(self._before) else self._before
            signal.signal(signal.SIGINT, answer)
        # py4j writes there, for all to see.
        logging.getLogger().addFilter(_worth_telling)

    def give_back(self) -> None:
        """Let Ctrl-C be answered as before."""
        if _in_main_thread() and signal.getsignal(signal.SIGINT) == self._answer:
            signal.signal(signal.SIGINT, self._before)
        logging.getLogger().removeFilter(_worth_telling)
        self._postponed.put(None)

    def _remind(self) -> None:
        """Send what was postponed to the main thread again."""
        main = threading.main_thread().ident
        while (number := self._postponed.get()) is not None and main is not None:
            time.sleep(LOOK_AGAIN_S)
            signal.pthread_kill(main, number)

    def _answer(self, number: int, frame: FrameType | None) -> None:
        """Pass an interrupt on, or come back to it if it would break what is under way."""
        running = _packages(frame)
        if self._has_to_wait(running):
            self._postponed.put(number)
            return
        self._pressed_s = None
        try:
            if callable(self._before):
                self._before(number, frame)
        except BaseException:
            if CALLING in running:
                self._drop_connection()
            raise

    def _has_to_wait(self, running: Sequence[str]) -> bool:
        """Return whether what runs, the innermost first, should be let run on."""
        now_s = time.monotonic()
        if self._pressed_s is None:
            self._pressed_s = now_s
        if self._starting:
            return now_s < self._pressed_s + START_PATIENCE_S
        if CALLING not in running:
            return False
        # At work itself, py4j may be tidying up, and there Python drops what is raised.
        return now_s < self._pressed_s + PATIENCE_S or running[0] == CALLING

    def _drop_connection(self) -> None:
        """Close this thread's connection, for the answer of the call would be the next one's."""
        links = getattr(self._client, "_gateway_client", None)
        if isinstance(links, JavaClient) and (link := links.get_thread_connection()) is not None:
            link.close()


def _in_main_thread() -> bool:
    """Return whether we may say what answers a signal; Python lets no other thread."""
    return threading.current_thread() is threading.main_thread()


def _worth_telling(record: logging.LogRecord) -> bool:
    """Leave out that a call was cut off, which py4j tells with its trace: that was asked for."""
    return not record.getMessage().startswith("KeyboardInterrupt while sending command")


def _packages(frame: FrameType | None) -> list[str]:
    """Return the packages of the functions that run, the innermost first."""
    found = []
    while frame is not None:
        found.append(str(frame.f_globals.get("__name__", "")).partition(".")[0])
        frame = frame.f_back
    return found
