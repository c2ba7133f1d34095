"""Moves that are paid before they are made: the new owner loads the state beside the batches.

A move has two steps. First the new owner gets a copy and follows the old one, from version to
version; nobody else notices. Then, at the end of a batch, it is named, and has nothing to load.
"""

import contextlib
import logging
import threading
import time
from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.bridge import Followers, Order, Recipe
from albic.spark.copies import PATIENCE_S, Copies
from albic.spark.executors import Executor
from albic.spark.operators import QueryShape
from albic.spark.placement import KeyGroup, Placement

log = logging.getLogger(__name__)

#: How often executors are asked how their copies are doing. Each time is a task of some
#: milliseconds on every one that has copies.
ASK_EVERY_S = 1.0
#: How long an executor keeps a copy that nobody comes for, beyond the time to make it.
FORGOTTEN_S = 60.0
#: Names the jobs of ours in Spark's page.
GROUP = "albic-prepares"


class Preparing:
    """Prepares the moves of one query, and hands them over when they are ready."""

    def __init__(
        self, followers: Followers, query: StreamingQuery, shape: QueryShape, placement: Placement
    ) -> None:
        self._followers = followers
        self._query = query
        self._shape = shape
        self._placement = placement
        self._stage_of = {
            operator_id: stage
            for stage, info in enumerate(shape.stages)
            for operator_id, _ in info.stores
        }
        self._recipes: Mapping[int, Recipe] | None = None
        self._copies = Copies()
        self._orders: dict[tuple[str, str], list[Order]] = {}
        self._lock = threading.Lock()
        self._broken = self._together = self._asking = False
        self._took_s: dict[KeyGroup, float] = {}
        self._dropped: list[str] = []

    def took_s(self, group: KeyGroup) -> float | None:
        """Return how long a key group's last move was prepared; None if it was not.

        It is told once: the next move may be another kind.
        """
        return self._took_s.pop(group, None)

    def begin(
        self, moves: Mapping[KeyGroup, Executor], version: int, *, together: bool
    ) -> Mapping[KeyGroup, Executor]:
        """Prepare ``moves`` from ``version`` on; return those that cannot be.

        Those that go ``together`` are handed over in one go. What was left of an earlier plan is
        dropped, for a new plan knows better.
        """
        self.stop()
        recipes = self._known_recipes()
        able = {g: target for g, target in moves.items() if self._operators(g) <= recipes.keys()}
        with self._lock:
            self._together = together
            for group, target in able.items():
                self._want(group, target, recipes, version)
            if able and not self._asking:
                self._asking = True
                threading.Thread(target=self._run, name="albic-prepares", daemon=True).start()
        self._placement.hold(able)
        return {group: target for group, target in moves.items() if group not in able}

    def hand_over(self, live: Iterable[Executor]) -> bool:
        """Name the new owners of what is ready, let go of what will not be; return if any was."""
        if not self._copies:
            return False
        with self._lock:
            ready = self._copies.ready()
            lost = self._copies.given_up(time.monotonic(), live)
            if self._broken:
                lost = dict.fromkeys(self._copies.groups(), "executors do not answer")
            if self._together and len(ready) + len(lost) < len(self._copies):
                ready = {}
            self._took_s.update((group, self._copies.prepared_s(group)) for group in ready)
            self._copies.forget((*ready, *lost))
        self._placement.hand_over(ready)
        self._placement.let_go(lost)
        self._dropped += [
            f"key group {group.partition} of stage {group.stage} stays: its copy failed, {why}"
            for group, why in lost.items()
        ]
        return bool(ready)

    def dropped(self) -> tuple[str, ...]:
        """Return what was not moved and why, in a sentence each; it is told once."""
        told, self._dropped = tuple(self._dropped), []
        return told

    def stop(self) -> None:
        """Leave all copies, and the moves that they were for."""
        with self._lock:
            groups = self._copies.groups()
            for group in groups:
                if (target := self._copies.target(group)) is not None:
                    left = self._orders.setdefault((target.host, target.id), [])
                    left.extend(Order(store) for store in self._shape.stores(*group))
            self._copies.forget(groups)
        self._placement.let_go(groups)

    def _want(
        self, group: KeyGroup, target: Executor, recipes: Mapping[int, Recipe], version: int
    ) -> None:
        """Want a copy of a key group on ``target``."""
        stores = self._shape.stores(*group)
        names = [(store.operator_id, store.name) for store in stores]
        ticket = self._copies.want(group, target, names, time.monotonic())
        self._orders.setdefault((target.host, target.id), []).extend(
            Order(store, recipes[store.operator_id], version, PATIENCE_S + FORGOTTEN_S, ticket)
            for store in stores
        )

    def _operators(self, group: KeyGroup) -> frozenset[int]:
        return frozenset(operator_id for operator_id, _ in self._shape.stages[group.stage].stores)

    def _known_recipes(self) -> Mapping[int, Recipe]:
        """Return how stores are opened; nothing where we cannot, which is told once."""
        if self._recipes is None:
            self._recipes = self._followers.recipes(self._query)
            missing = self._stage_of.keys() - self._recipes.keys()
            if missing:
                log.info("state of operators %s cannot be loaded ahead of a move", sorted(missing))
        return {} if self._broken else self._recipes

    def _give_up(self, wrong: Exception) -> None:
        """Prepare nothing any more; say so once, unless all is over anyway."""
        self._broken = True
        with contextlib.suppress(Exception):
            if self._query.isActive:
                first, *_ = str(wrong).splitlines() or [type(wrong).__name__]
                log.warning("state is not loaded ahead of moves any more: %s", first)

    def _run(self) -> None:
        """Give orders and ask, until nothing is under way any more."""
        while orders := self._next_orders():
            try:
                said = self._followers.give(orders, GROUP)
            except Exception as wrong:  # noqa: BLE001  a thread has nobody else to tell
                self._give_up(wrong)
                return
            with self._lock:
                mine = [copy for copy in said if copy.run_id == self._shape.run_id]
                self._copies.heard(mine, self._stage_of)
            time.sleep(ASK_EVERY_S)

    def _next_orders(self) -> Mapping[tuple[str, str], Sequence[Order]]:
        """Return what executors are to be told, or asked; nothing is the end of asking."""
        with self._lock:
            orders, self._orders = self._orders, {}
            for target in self._copies.targets():
                orders.setdefault((target.host, target.id), [])
            self._asking = bool(orders)
            return orders
