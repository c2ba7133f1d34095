"""Executors that may get state: those that have run a task, in Python if the job does that."""

import logging
import threading
from collections.abc import Iterable, Sequence

from albic.spark.bridge import Bridge
from albic.spark.executors import PYTHON_MODULES, Executor, warm_up

log = logging.getLogger(__name__)

#: How long closing waits for a warm-up under way.
PATIENCE_S = 5.0


class Warmth:
    """Knows which executors are warm, and warms the others up beside the batches."""

    def __init__(self, bridge: Bridge, there: Iterable[Executor]) -> None:
        self._bridge = bridge
        # Whoever was there before us did not join.
        self._told = {executor.id for executor in there}
        self._warm: set[str] = set()
        self._thread: threading.Thread | None = None

    def warm(self, executors: Iterable[Executor]) -> list[Executor]:
        """Return those of ``executors`` that may get state."""
        return [executor for executor in executors if executor.id in self._warm]

    def newcomers(self, executors: Iterable[Executor]) -> tuple[str, ...]:
        """Return who may get state from now on and came after us; each is told once."""
        fresh = [executor.id for executor in self.warm(executors) if executor.id not in self._told]
        self._told.update(fresh)
        return tuple(fresh)

    def noted(self, executor_ids: Iterable[str]) -> None:
        """Take these as warm: they run tasks of the job already, or nothing will be moved."""
        self._warm.update(executor_ids)

    def forget(self, executor_ids: Iterable[str]) -> None:
        """Leave out executors that are gone."""
        self._warm.difference_update(executor_ids)

    def make(self, executors: Iterable[Executor], *, python: bool) -> None:
        """Begin to warm up those that are cold; one warm-up runs at a time."""
        cold = [executor for executor in executors if executor.id not in self._warm]
        if not cold or (self._thread is not None and self._thread.is_alive()):
            return
        self._thread = threading.Thread(
            target=self._run, args=(cold, python), name="albic-warm-up", daemon=True
        )
        self._thread.start()

    def close(self) -> None:
        """Wait a moment for a warm-up under way."""
        if self._thread is not None:
            self._thread.join(PATIENCE_S)

    def _run(self, cold: Sequence[Executor], python: bool) -> None:  # noqa: FBT001  a thread's
        """Warm up ``cold``; whatever comes of it, they may get state afterwards."""
        try:
            modules = PYTHON_MODULES if python else None
            for executor_id, took_s in warm_up(self._bridge, cold, modules).items():
                log.info("executor %s is warm after %.1f s", executor_id, took_s)
        except Exception as wrong:  # noqa: BLE001  a thread has nobody else to tell
            log.debug("warm-up failed: %s", wrong)
        finally:
            self._warm.update(executor.id for executor in cold)
