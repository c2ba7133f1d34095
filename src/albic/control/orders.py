"""What people ask of the loop, from any thread; only the loop's own thread carries it out.

Measuring and moving belong to one thread. So a request from elsewhere lies in a queue until the
loop looks the next time, and whoever asked waits for the answer.
"""

from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from albic.model import JobEnded, NotReady

Answer = TypeVar("Answer")

OVER = "the controller has ended; attach to the query again"


class Orders:
    """A queue between those who ask and the loop."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[tuple[Callable[[], Any], Future[Any]]] = SimpleQueue()
        self._over = False

    def ask(self, order: Callable[[], Answer], timeout_s: float) -> Answer:
        """Return what ``order`` returns once the loop has run it.

        A loop that is busy for longer than ``timeout_s`` will not run it any more.
        """
        answer: Future[Answer] = Future()
        self._waiting.put((order, answer))
        if self._over:
            # The loop may have looked into the queue for the last time just before.
            self.close()
        try:
            return answer.result(timeout_s)
        except TimeoutError:
            # What began in this very moment is seen to its end.
            if answer.cancel():
                raise NotReady(
                    f"the controller was busy for {timeout_s:g} s; nothing was done, ask again"
                ) from None
            return answer.result()
        except CancelledError:
            raise JobEnded(OVER) from None

    def carry_out(self) -> None:
        """Run all that was asked for so far; what goes wrong is told to those who asked."""
        for order, answer in self._taken():
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                answer.set_result(order())
            except Exception as wrong:  # noqa: BLE001  the loop must not notice
                answer.set_exception(wrong)

    def close(self) -> None:
        """Refuse whatever is asked from now on."""
        self._over = True
        for _, answer in self._taken():
            answer.cancel()

    def _taken(self) -> list[tuple[Callable[[], Any], Future[Any]]]:
        """Return what lies in the queue now, and take it out."""
        taken = []
        try:
            while True:
                taken.append(self._waiting.get_nowait())
        except Empty:
            return taken
