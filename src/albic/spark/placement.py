"""Say where state should be, see where it is, and say it again where the two differ.

Spark treats a store's location as a preference. A task that runs elsewhere takes the store with it
and overwrites what we said. So there are two lists: the owners we want, and what each batch shows.
"""

import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from albic.model import InvalidInput
from albic.spark.batch import BatchSample
from albic.spark.bridge import Bridge
from albic.spark.executors import Executor
from albic.spark.operators import QueryShape

#: Spark asks for the owners of all tasks of a stage shortly before it calls the stage submitted. An
#: owner named in between was no order to that stage.
SETTLING_S = 0.1


class KeyGroup(NamedTuple):
    """One partition of one stateful stage of a query; both are positions."""

    stage: int
    partition: int


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """What one batch showed about the owners we want.

    ``judged`` counts the tasks whose owner was known when their stage began, ``compliant`` those
    of them that ran there. ``resent`` are the groups that ran elsewhere than wanted, ``sent`` the
    moves that were due now, ``waiting`` how many are left for later batches.
    """

    batch_id: int
    judged: int
    compliant: int
    resent: tuple[KeyGroup, ...]
    sent: tuple[KeyGroup, ...]
    waiting: int

    @property
    def compliance(self) -> float | None:
        """Return the share of tasks that ran on their owner; None when there was none to judge."""
        return self.compliant / self.judged if self.judged else None


class Placement:
    """Steers the state of one run of a query, or only follows it if ``steers`` is false."""

    def __init__(self, bridge: Bridge, shape: QueryShape, *, steers: bool = True) -> None:
        self._bridge = bridge
        self._shape = shape
        self._steers = steers
        self._owner: dict[KeyGroup, Executor] = {}
        self._since_s: dict[KeyGroup, float] = {}
        self._waiting: dict[KeyGroup, Executor] = {}
        self._held: dict[KeyGroup, Executor] = {}
        self._per_batch, self._apart = 0, False

    def owners(self) -> Mapping[KeyGroup, Executor]:
        """Return the executor that each key group was last told to be on, or was seen on."""
        return dict(self._owner)

    def waiting(self) -> Mapping[KeyGroup, Executor]:
        """Return the moves that are still to come."""
        return {**self._held, **self._waiting}

    def held(self) -> Mapping[KeyGroup, Executor]:
        """Return the moves that come when their new owners are ready for them."""
        return dict(self._held)

    def hold(self, moves: Mapping[KeyGroup, Executor]) -> None:
        """Take moves that are not to be made before somebody says so."""
        self._expect_known(moves)
        self._held |= moves

    def hand_over(self, moves: Mapping[KeyGroup, Executor]) -> None:
        """Make moves that were held."""
        for group, target in moves.items():
            if self._held.pop(group, None) == target:
                self._point(group, target)

    def let_go(self, groups: Iterable[KeyGroup]) -> None:
        """Leave out moves that were held."""
        for group in groups:
            self._held.pop(group, None)

    def stage(
        self, moves: Mapping[KeyGroup, Executor], per_batch: int, *, apart: bool = False
    ) -> tuple[KeyGroup, ...]:
        """Take a plan's moves: ``per_batch`` of them now, as many after each batch.

        Where they are to be ``apart``, an executor gets one a batch: two loads on one would make
        the batch late by both. What was left of an earlier plan is dropped, for a new plan knows
        better.
        """
        if per_batch < 1:
            raise InvalidInput(f"per_batch is {per_batch}; at least 1 move a batch is needed")
        self._expect_known(moves)
        self._waiting = {
            group: target for group, target in moves.items() if self._owner.get(group) != target
        }
        self.let_go(moves)
        self._per_batch, self._apart = per_batch, apart
        return self._release()

    def drop(self) -> None:
        """Leave out the moves of a plan that are still to come."""
        self._waiting = {}

    def move_now(self, moves: Mapping[KeyGroup, Executor]) -> None:
        """Point ``moves`` at once, as after a loss."""
        self._expect_known(moves)
        for group, target in moves.items():
            self._waiting.pop(group, None)
            self._held.pop(group, None)
            self._point(group, target)

    def follow_only(self) -> None:
        """Steer no more: drop the moves that are still to come, and take in where tasks run."""
        self._steers = False
        self._waiting, self._held = {}, {}

    def stranded(self, live: Iterable[Executor]) -> tuple[KeyGroup, ...]:
        """Return the key groups whose owner, now or after its move, is not among ``live``."""
        there = {executor.id for executor in live}
        ends = {**self._owner, **self._waiting}
        return tuple(sorted(group for group, owner in ends.items() if owner.id not in there))

    def after_batch(self, sample: BatchSample, live: Sequence[Executor]) -> Reconciliation:
        """Compare a batch with what was wanted, repeat what it ignored, send what is due.

        A key group without an owner that is there gets the one it ran on. Where nothing is known
        of a new owner, Spark's choice is as good as any.
        """
        there = {executor.id: executor for executor in live}
        self._waiting = {g: target for g, target in self._waiting.items() if target.id in there}
        judged = compliant = 0
        resent = []
        for stage, task in ((each, task) for each in sample.stages for task in each.tasks):
            group = KeyGroup(stage.stage, task.partition)
            owner = self._owner.get(group)
            if owner is None or owner.id not in there or not self._steers:
                if task.executor_id in there:
                    self._owner[group] = there[task.executor_id]
                    self._since_s[group] = stage.submitted_s
                continue
            if self._is_made(group, task.executor_id):
                continue
            if self._since_s[group] <= stage.submitted_s:
                judged += 1
                compliant += task.executor_id == owner.id
            if task.executor_id != owner.id:
                resent.append(group)
        for group in resent:
            self._send(group, self._owner[group])
        # Moves that came too late for this batch go into the next, and count for its share.
        begun_s = max((stage.submitted_s for stage in sample.stages), default=0.0)
        late = [group for group, since_s in self._since_s.items() if since_s > begun_s]
        sent = self._release(late)
        return Reconciliation(
            sample.batch_id, judged, compliant, tuple(resent), sent, len(self._waiting)
        )

    def read_back(self) -> Mapping[KeyGroup, str | None]:
        """Return the executor id that Spark has for each key group; None where stores differ."""
        found: dict[KeyGroup, str | None] = {}
        for stage, info in enumerate(self._shape.stages):
            for partition in range(info.partitions):
                stores = self._shape.stores(stage, partition)
                places = {self._bridge.location(store) for store in stores}
                found[KeyGroup(stage, partition)] = places.pop() if len(places) == 1 else None
        return found

    def _is_made(self, group: KeyGroup, ran_on: str) -> bool:
        """Return whether a held move is made: its new owner was ready sooner than we heard of."""
        held = self._held.get(group)
        return held is not None and held.id == ran_on

    def _release(self, late: Sequence[KeyGroup] = ()) -> tuple[KeyGroup, ...]:
        """Point the next moves of the plan and return them; those that were ``late`` count too."""
        room = self._per_batch - len(late)
        busy = [self._owner[group] for group in late] if self._apart else None
        due = next_moves(self._waiting, room, busy)
        for group in due:
            self._point(group, self._waiting.pop(group))
        return due

    def _point(self, group: KeyGroup, target: Executor) -> None:
        self._send(group, target)
        self._owner[group] = target
        self._since_s[group] = time.time() + SETTLING_S

    def _send(self, group: KeyGroup, target: Executor) -> None:
        self._bridge.point(self._shape.stores(*group), target.host, target.id)

    def _expect_known(self, groups: Iterable[KeyGroup]) -> None:
        """Refuse key groups that the query does not have."""
        for group in groups:
            inside = 0 <= group.stage < len(self._shape.stages)
            if not inside or not 0 <= group.partition < self._shape.stages[group.stage].partitions:
                raise InvalidInput(f"{group} is not in query {self._shape.name!r}")


def next_moves(
    waiting: Mapping[KeyGroup, Executor], room: int, busy: Collection[Executor] | None
) -> tuple[KeyGroup, ...]:
    """Return the moves of the next batch: the first of them, as many as there is ``room`` for.

    With ``busy`` executors, none of these gets one, and no other gets two.
    """
    due: list[KeyGroup] = []
    taken = {executor.id for executor in busy or ()}
    for group, target in waiting.items():
        if len(due) >= room:
            break
        if busy is None or target.id not in taken:
            due.append(group)
            taken.add(target.id)
    return tuple(due)
