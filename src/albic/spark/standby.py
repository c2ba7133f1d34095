"""Second copies of large state: should its owner be lost, another executor has it already.

A copy that is kept follows its owner from one committed batch to the next, so that it is where the
batch begins again in which the owner is lost.
"""

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.bridge import KEEP, Bridge, Followers, Order, StoreId
from albic.spark.copy_orders import Ordering
from albic.spark.executors import Executor
from albic.spark.handover_calls import Calling
from albic.spark.operators import QueryShape
from albic.spark.placement import KeyGroup

#: Which key groups have a copy, by the setting: those with so much state. What is loaded within
#: half a second or so is not worth it.
STANDBY_BYTES: Mapping[str, int | None] = {"0": None, "1": 0, "auto": 8 * 2**20}
#: What copies on one executor may hold in all, by the size of the state in the checkpoint. Most of
#: it is disk; an open database has some MB of memory besides.
MOST_BYTES, MOST_COPIES = 2**30, 64
#: How often it is seen to that the right copies are kept, and how often executors are asked.
ARRANGE_EVERY_S, ASK_EVERY_S = 5.0, 10.0
#: After a loss batches come first: new copies would take the links that they need.
REST_S = 30.0
#: How often executors are told that copies are still wanted, and how long they believe it.
RENEW_EVERY_S, BELIEVED_S = 60.0, 300.0
#: How long the bell is rung: copies look at once whether they are called.
RUNG_S = 20.0
#: How long a copy has to answer; who does not is named all the same, and may have to load.
ANSWERED_S, LOOK_EVERY_S = 0.5, 0.02


class Standby:
    """Keeps copies of the key groups of one query, and says where they are after a loss."""

    def __init__(
        self,
        bridge: Bridge,
        followers: Followers,
        query: StreamingQuery,
        shape: QueryShape,
        least_bytes: int,
    ) -> None:
        self._calling = Calling(bridge, shape)
        self._shape = shape
        self._least_bytes = least_bytes
        self._ordering = Ordering(followers, query, shape, every_s=ASK_EVERY_S)
        self._copies, self._lock = self._ordering.copies, self._ordering.lock
        self._rung_s: float | None = None
        self._arranged_s = self._renewed_s = 0.0

    def arrange(
        self,
        owners: Mapping[KeyGroup, Executor],
        state_bytes: Mapping[KeyGroup, int],
        live: Sequence[Executor],
        version: int,
    ) -> None:
        """See to it that large key groups have a copy beside their owner's; cheap if asked often.

        Copies begin with ``version``, the newest that all owners have.
        """
        now_s = time.monotonic()
        if now_s < self._arranged_s + ARRANGE_EVERY_S or self._ordering.broken:
            return
        self._arranged_s = now_s
        self._silence(now_s)
        renews = now_s >= self._renewed_s + RENEW_EVERY_S
        if renews:
            self._renewed_s = now_s
        large = {
            group: size
            for group, size in state_bytes.items()
            if size >= self._least_bytes and group in owners and self._ordering.able(group)
        }
        with self._lock:
            # Those that failed are tried again, but not at once.
            lost = self._copies.broken(live) if renews else self._gone(live)
            self._copies.forget(lost)
            kept = self._copies.all_targets()
            wanted = chosen(large, owners, live, kept)
            left = self._copies.orders_to_leave(kept.keys() - wanted.keys())
            self._copies.forget(kept.keys() - wanted.keys())
            new = [group for group, target in wanted.items() if kept.get(group) != target]
            for group in new:
                left += self._copies.orders_to_leave([group])
                self._copies.want(group, wanted[group], now_s)
            tickets = {group: self._copies.ticket(group) for group in (wanted if renews else new)}
        orders = [
            (wanted[group], self._order(store, wanted[group], version, ticket))
            for group, ticket in tickets.items()
            for store in self._shape.stores(*group)
        ]
        self._ordering.give([*left, *orders])

    def rescue(
        self, stranded: Iterable[KeyGroup], live: Iterable[Executor]
    ) -> Mapping[KeyGroup, Executor]:
        """Return where key groups without an owner have a copy, and let these be the owners'."""
        there = set(live)
        with self._lock:
            ready = self._copies.ready()
            found = {g: ready[g] for g in stranded if g in ready and ready[g] in there}
            self._copies.forget(found)
        if found:
            self._calling.call(found)
            self._calling.ring(frozenset(found.values()))
            self._rung_s = time.monotonic()
            self._arranged_s = self._rung_s + REST_S
            self._await_answers(found, self._rung_s + ANSWERED_S)
        return found

    def _await_answers(self, called: Mapping[KeyGroup, Executor], until_s: float) -> None:
        """Wait until copies have named themselves, but not for long."""
        while called and time.monotonic() < until_s:
            time.sleep(LOOK_EVERY_S)
            called = {g: to for g, to in called.items() if not self._calling.answered(g, to)}

    def ready(self) -> Mapping[KeyGroup, Executor]:
        """Return the key groups with a copy, and where it is."""
        with self._lock:
            return self._copies.ready()

    def stop(self) -> None:
        """Keep no copies any more."""
        with self._lock:
            left = self._copies.orders_to_leave(self._copies.groups())
            self._copies.forget(self._copies.groups())
        self._ordering.give(left)

    def _gone(self, live: Iterable[Executor]) -> list[KeyGroup]:
        """Return the key groups whose copy was on an executor that is gone."""
        there = set(live)
        return [g for g, target in self._copies.all_targets().items() if target not in there]

    def _silence(self, now_s: float) -> None:
        if self._rung_s is not None and now_s > self._rung_s + RUNG_S:
            self._calling.end()
            self._rung_s = None

    def _order(self, store: StoreId, target: Executor, version: int, ticket: int) -> Order:
        recipe = self._ordering.recipes()[store.operator_id, store.name]
        return Order(store, recipe, version, BELIEVED_S, ticket, KEEP, self._calling.bell(target))


def chosen(
    state_bytes: Mapping[KeyGroup, int],
    owners: Mapping[KeyGroup, Executor],
    live: Sequence[Executor],
    kept: Mapping[KeyGroup, Executor],
) -> dict[KeyGroup, Executor]:
    """Return which key groups have a copy where: the largest first, as far as there is room.

    A copy that is there already stays. What one owner has goes to as many others as there are, so
    that its loss is a little more work for each.
    """
    found: dict[KeyGroup, Executor] = {}
    used_bytes: defaultdict[str, int] = defaultdict(int)
    used: defaultdict[str, int] = defaultdict(int)
    of_owner: defaultdict[tuple[str, str], int] = defaultdict(int)
    there = {executor.id: executor for executor in live}
    for group in sorted(state_bytes, key=lambda g: (g not in kept, -state_bytes[g], g)):
        owner, size = owners[group], state_bytes[group]
        room = [
            each
            for each in there.values()
            if each.id != owner.id
            and used[each.id] < MOST_COPIES
            and used_bytes[each.id] + size <= MOST_BYTES
        ]
        if not room:
            continue
        target = kept.get(group)
        if target is None or target not in room:
            # Another host, if there is one: hosts are lost too.
            target = min(
                room,
                key=lambda e: (
                    e.host == owner.host,
                    of_owner[owner.id, e.id],
                    used_bytes[e.id],
                ),
            )
        found[group] = target
        used_bytes[target.id] += size
        used[target.id] += 1
        of_owner[owner.id, target.id] += size
    return found
