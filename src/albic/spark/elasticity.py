"""More and fewer executors: asked for, waited for without standing still, let go without harm."""

import time
from collections.abc import Callable, Sequence
from typing import Protocol

from albic.control.ports import Fleet
from albic.model import InvalidInput

#: How long a new executor may take to come before the wish is taken back.
PATIENCE_S = 120.0


class FixedExecutors:
    """Answers the loop's door to more nodes, and keeps it shut."""

    def grow(self, count: int) -> None:
        """Refuse."""
        raise InvalidInput(
            f"the executors of this application are fixed, but scaling asked for {count} more; "
            f"use the scaling policy fixed"
        )

    def release(self, node_ids: Sequence[str]) -> tuple[str, ...]:
        """Do nothing: nobody was asked to drain, and who is lost is gone already."""
        return tuple(node_ids)

    def fleet(self) -> Fleet:
        """Return that nobody is to come."""
        return Fleet()


class Scheduler(Protocol):
    """Knows who is there and gives tasks to some of them only."""

    def executor_ids(self) -> frozenset[str]:
        """Return the executors that are registered."""
        ...

    def retire(self, executor_id: str) -> bool:
        """Give an executor no more tasks."""
        ...

    def active_jobs(self) -> frozenset[int]:
        """Return the jobs that are running."""
        ...


class Provider(Protocol):
    """Starts and ends executors."""

    def request(self, total: int) -> bool:
        """Ask for so many executors in all."""
        ...

    def end(self, executor_id: str) -> bool:
        """End one executor, and return whether that will happen."""
        ...


class AskedExecutors:
    """Answers the loop's port Elasticity with whatever starts executors here.

    An executor that owns no state may still run tasks of sources, and others fetch what it wrote.
    So it is retired first, and ended when all jobs that knew it are over: no task fails.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        provider: Provider,
        patience_s: float = PATIENCE_S,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._scheduler = scheduler
        self._provider = provider
        self._patience_s = patience_s
        self._now_s = now_s
        self._target = 0
        self._due_s: float | None = None
        self._retired: dict[str, frozenset[int]] = {}
        self._notes: list[str] = []

    def grow(self, count: int) -> None:
        """Ask for more executors, and return at once."""
        coming = self._missing()
        self._target = len(self._serving()) + coming + count
        self._due_s = self._now_s() + self._patience_s
        if not self._provider.request(self._target + len(self._retired)):
            self._notes.append(f"the cluster manager did not take the wish for {count} executors")
            self._target -= count

    def release(self, node_ids: Sequence[str]) -> tuple[str, ...]:
        """Give the executors no more tasks; from here on they are no part of the job."""
        there = self._scheduler.executor_ids()
        for executor_id in node_ids:
            if executor_id in there and executor_id not in self._retired:
                self._retired[executor_id] = self._scheduler.active_jobs()
                self._scheduler.retire(executor_id)
        return tuple(node_ids)

    def fleet(self) -> Fleet:
        """End who is retired and not needed; take back what is overdue; return who is to come."""
        self._end_retired()
        missing = self._missing()
        if missing and self._due_s is not None and self._now_s() >= self._due_s:
            there = len(self._serving())
            self._notes.append(
                f"{missing} executors did not come within {self._patience_s:g} s; "
                f"the wish was taken back, {there} are there"
            )
            self._provider.request(there + len(self._retired))
            self._target = there
        if not self._missing():
            self._due_s = None
        notes, self._notes = tuple(self._notes), []
        return Fleet(self._missing(), notes)

    def _serving(self) -> frozenset[str]:
        """Return the executors that get tasks."""
        return self._scheduler.executor_ids() - self._retired.keys()

    def _missing(self) -> int:
        """Return how many executors were asked for and are not there."""
        return 0 if self._due_s is None else max(self._target - len(self._serving()), 0)

    def _end_retired(self) -> None:
        """End the retired executors that nothing under way needs."""
        there, active = self._scheduler.executor_ids(), self._scheduler.active_jobs()
        for executor_id, knew_it in tuple(self._retired.items()):
            if executor_id not in there:
                del self._retired[executor_id]
            elif not knew_it & active and not self._provider.end(executor_id):
                self._notes.append(f"executor {executor_id} was not ended; it is asked again")
