"""Moves that are paid before they are made: the new owner loads the state beside the batches.

A move has two steps. First the new owner gets a copy and follows the old one, from version to
version; nobody else notices. Then, at the end of a batch, it is called, names itself as soon as it
has the last version, and has nothing to load.
"""

import time
from collections.abc import Iterable, Mapping

from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.bridge import CLOSE, Bridge, Followers, Order
from albic.spark.copies import PATIENCE_S
from albic.spark.copy_orders import Ordering
from albic.spark.executors import Executor
from albic.spark.handover_calls import Calling
from albic.spark.operators import QueryShape
from albic.spark.placement import KeyGroup, Placement

#: How often executors are asked how their copies are doing.
ASK_EVERY_S = 1.0
#: How long an executor keeps a copy that nobody comes for, beyond the time to make it.
FORGOTTEN_S = 60.0


class Preparing:
    """Prepares the moves of one query, and hands them over when they are ready."""

    def __init__(
        self,
        bridge: Bridge,
        followers: Followers,
        query: StreamingQuery,
        shape: QueryShape,
        placement: Placement,
    ) -> None:
        self._bridge = bridge
        self._shape = shape
        self._placement = placement
        self._ordering = Ordering(followers, query, shape, every_s=ASK_EVERY_S)
        self._copies, self._lock = self._ordering.copies, self._ordering.lock
        self._calling = Calling(bridge, shape)
        self._called: set[KeyGroup] = set()
        self._together = False
        self._took_s: dict[KeyGroup, float] = {}
        self._dropped: list[str] = []

    def took_s(self, group: KeyGroup) -> float | None:
        """Return how long a key group's last move was prepared; None if it was not.

        It is told once: the next move may be another kind.
        """
        return self._took_s.pop(group, None)

    def loading(self) -> frozenset[str]:
        """Return the executors that still load what is to move to them."""
        with self._lock:
            return self._copies.loading()

    def begin(
        self, moves: Mapping[KeyGroup, Executor], version: int, *, together: bool
    ) -> Mapping[KeyGroup, Executor]:
        """Prepare ``moves`` from ``version`` on; return those that cannot be.

        Those that go ``together`` are handed over in one go. What was left of an earlier plan is
        dropped, for a new plan knows better.
        """
        self.stop()
        able = {group: target for group, target in moves.items() if self._ordering.able(group)}
        recipes = self._ordering.recipes()
        self._together = together
        # Names of its own for each plan: a copy must not hear what was said to the one before it.
        self._calling = Calling(self._bridge, self._shape)
        with self._lock:
            now_s = time.monotonic()
            tickets = {group: self._copies.want(group, to, now_s) for group, to in able.items()}
        patience_s = PATIENCE_S + FORGOTTEN_S
        self._ordering.give(
            (
                able[group],
                Order(
                    store,
                    recipes[store.operator_id, store.name],
                    version,
                    patience_s,
                    ticket,
                    bell=self._calling.bell(able[group]),
                ),
            )
            for group, ticket in tickets.items()
            for store in self._shape.stores(*group)
        )
        self._placement.hold(able)
        return {group: target for group, target in moves.items() if group not in able}

    def hand_over(self, live: Iterable[Executor]) -> tuple[KeyGroup, ...]:
        """Call what is ready, let go of what will not be; return what has new owners now."""
        if not self._copies:
            return ()
        with self._lock:
            targets = self._copies.all_targets()
        made = {g: targets[g] for g in self._called if self._calling.answered(g, targets[g])}
        with self._lock:
            lost = self._copies.given_up(time.monotonic(), live)
            if self._ordering.broken:
                lost = dict.fromkeys(targets, "executors do not answer")
            lost = {group: why for group, why in lost.items() if group not in made}
            ready = self._copies.ready()
            awaited = targets.keys() - ready.keys() - lost.keys() - self._called
            due = {} if self._together and awaited else ready
            due = {group: to for group, to in due.items() if group not in self._called}
            self._took_s.update((group, self._copies.prepared_s(group)) for group in made)
            left = self._copies.orders_to_leave(lost)
            self._copies.forget((*made, *lost))
        self._calling.call(due)
        self._called = {*self._called, *due} - made.keys() - lost.keys()
        self._placement.hand_over(made)
        self._placement.let_go(lost)
        self._ordering.give(left)
        self._dropped += [
            f"key group {group.partition} of stage {group.stage} stays: its copy failed, {why}"
            for group, why in lost.items()
        ]
        return tuple(made)

    def give_back(self, group: KeyGroup, source: Executor) -> None:
        """Let the old owner of a key group close what it had."""
        stores = self._shape.stores(*group)
        self._ordering.give((source, Order(store, task=CLOSE)) for store in stores)

    def dropped(self) -> tuple[str, ...]:
        """Return what was not moved and why, in a sentence each; it is told once."""
        told, self._dropped = tuple(self._dropped), []
        return told

    def stop(self) -> None:
        """Leave all copies, and the moves that they were for."""
        with self._lock:
            groups = self._copies.groups()
            left = self._copies.orders_to_leave(groups)
            self._copies.forget(groups)
        self._calling.end()
        self._called = set()
        self._ordering.give(left)
        self._placement.let_go(groups)
