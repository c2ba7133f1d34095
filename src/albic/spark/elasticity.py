"""More and fewer executors: asked for, waited for without standing still, let go without harm."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from albic.control.ports import Fleet
from albic.model import InvalidInput

#: How long a new executor may take to come before the wish is taken back.
PATIENCE_S = 120.0
#: What Spark knows of its jobs may be a moment old. So the jobs that may need a retired executor
#: are asked for that long after it got its last task.
HEARSAY_S = 1.0


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


class Tenants(Protocol):
    """Knows which executors are needed, and which are ready."""

    def holding(self) -> frozenset[str]:
        """Return the executors that own state."""
        ...

    def usable(self) -> frozenset[str]:
        """Return the executors that may be given state."""
        ...


@dataclass(frozen=True, slots=True)
class Retirement:
    """Since when an executor gets no tasks, and the jobs that may need it; None: to be asked."""

    since_s: float
    needed_by: frozenset[int] | None = None


class AskedExecutors:
    """Answers the loop's port Elasticity with whatever starts executors here.

    An executor that owns no state may still run tasks of sources, and others fetch what it wrote.
    So it is retired first, and ended when all jobs that knew it are over: no task fails.
    """

    def __init__(
        self,
        scheduler: Scheduler,
        provider: Provider,
        tenants: Tenants,
        patience_s: float = PATIENCE_S,
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._scheduler = scheduler
        self._provider = provider
        self._tenants = tenants
        self._patience_s = patience_s
        self._now_s = now_s
        self._target = 0
        self._due_s: float | None = None
        self._retired: dict[str, Retirement] = {}
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
        """Give the executors no more tasks; from here on they are no part of the job.

        One that owns state stays. Who was retired before and is not needed any more is ended.
        """
        there, needed = self._scheduler.executor_ids(), self._tenants.holding()
        going = tuple(executor_id for executor_id in node_ids if executor_id not in needed)
        for executor_id in going:
            if executor_id in there and executor_id not in self._retired:
                self._scheduler.retire(executor_id)
                self._retired[executor_id] = Retirement(self._now_s())
        self._end_retired()
        return going

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
        cold = self._serving() - self._tenants.usable()
        return Fleet(self._missing() + len(cold), notes)

    def _serving(self) -> frozenset[str]:
        """Return the executors that get tasks."""
        return self._scheduler.executor_ids() - self._retired.keys()

    def _missing(self) -> int:
        """Return how many executors were asked for and are not there."""
        return 0 if self._due_s is None else max(self._target - len(self._serving()), 0)

    def _end_retired(self) -> None:
        """End the retired executors that nothing under way needs."""
        if not self._retired:
            return
        there, active = self._scheduler.executor_ids(), self._scheduler.active_jobs()
        for executor_id, retirement in tuple(self._retired.items()):
            if executor_id not in there:
                del self._retired[executor_id]
            elif self._now_s() - retirement.since_s >= HEARSAY_S:
                needed_by = active if retirement.needed_by is None else retirement.needed_by
                self._retired[executor_id] = replace(retirement, needed_by=needed_by)
                if not needed_by & active:
                    self._end(executor_id)

    def _end(self, executor_id: str) -> None:
        """End an executor; where that is refused, it is told once a round and tried again."""
        note = f"executor {executor_id} was not ended; it is asked again"
        if not self._provider.end(executor_id) and note not in self._notes:
            self._notes.append(note)
