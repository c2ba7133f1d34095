"""Which copies of state are on the way to which executor, and what became of them."""

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field

from albic.spark.bridge import LEAVE, Copy, Order
from albic.spark.executors import Executor
from albic.spark.operators import QueryShape
from albic.spark.placement import KeyGroup

#: How long a copy may take until it can be handed over. One that needs longer is not followed but
#: chased: the link does not carry it beside the batches.
PATIENCE_S = 60.0
#: Executors still tell of copies that a controller before this one had.
TICKETS = itertools.count(1)
FOLLOWING, HANDED_OVER, FAILED, LEFT = "following", "handed over", "failed", "left"


@dataclass(slots=True)
class _Wanted:
    """A key group that is prepared: where, since when, and how its stores are doing."""

    target: Executor
    ticket: int
    since_s: float
    stores: frozenset[tuple[int, str]]
    told: dict[tuple[int, str], Copy] = field(default_factory=dict)


class Copies:
    """Takes in what is wanted and what executors say; says what is ready and what is given up."""

    def __init__(self, shape: QueryShape) -> None:
        self._shape = shape
        self._stage_of = {
            operator_id: stage
            for stage, info in enumerate(shape.stages)
            for operator_id, _ in info.stores
        }
        self._wanted: dict[KeyGroup, _Wanted] = {}

    def __len__(self) -> int:
        return len(self._wanted)

    def targets(self) -> frozenset[Executor]:
        """Return the executors that prepare something."""
        return frozenset(each.target for each in self._wanted.values())

    def loading(self) -> frozenset[str]:
        """Return the executors, by id, that have not loaded yet all that they prepare."""
        ready = self.ready()
        return frozenset(w.target.id for group, w in self._wanted.items() if group not in ready)

    def groups(self) -> tuple[KeyGroup, ...]:
        """Return the key groups that are prepared."""
        return tuple(self._wanted)

    def all_targets(self) -> dict[KeyGroup, Executor]:
        """Return where each key group is prepared."""
        return {group: wanted.target for group, wanted in self._wanted.items()}

    def ticket(self, group: KeyGroup) -> int:
        """Return the ticket of a key group that is prepared."""
        return self._wanted[group].ticket

    def want(self, group: KeyGroup, target: Executor, now_s: float) -> int:
        """Note that a key group's stores are to be ready on ``target``; return a ticket."""
        ticket = next(TICKETS)
        stores = frozenset(self._shape.stages[group.stage].stores)
        self._wanted[group] = _Wanted(target, ticket, now_s, stores)
        return ticket

    def orders_to_leave(self, groups: Iterable[KeyGroup]) -> list[tuple[Executor, Order]]:
        """Return what executors are to be told if these are wanted no more."""
        return [
            (wanted.target, Order(store, task=LEAVE, ticket=wanted.ticket))
            for group in groups
            if (wanted := self._wanted.get(group)) is not None
            for store in self._shape.stores(*group)
        ]

    def forget(self, groups: Iterable[KeyGroup]) -> None:
        """Leave out key groups that are handed over, or are to move no more."""
        for group in groups:
            self._wanted.pop(group, None)

    def heard(self, copies: Iterable[Copy]) -> None:
        """Take in what executors say of the query."""
        for copy in copies:
            group = KeyGroup(self._stage_of.get(copy.operator_id, -1), copy.partition)
            wanted = self._wanted.get(group)
            if wanted is not None and wanted.ticket == copy.ticket:
                wanted.told[copy.operator_id, copy.name] = copy

    def ready(self) -> dict[KeyGroup, Executor]:
        """Return what can be handed over: all its stores follow their owners.

        An executor knows best whether its copy has caught up. What it says is up to a second old
        here, so where batches are short the version in it tells nothing. A copy that Spark has
        already counts as well: the executor was named, and a batch that had begun did not know it.
        """
        return {
            group: wanted.target
            for group, wanted in self._wanted.items()
            if wanted.told.keys() == wanted.stores
            and all(copy.state in {FOLLOWING, HANDED_OVER} for copy in wanted.told.values())
        }

    def broken(self, live: Iterable[Executor]) -> dict[KeyGroup, str]:
        """Return what will never be ready, with the reason."""
        there = {executor.id for executor in live}
        found = {}
        for group, wanted in self._wanted.items():
            ended = [copy for copy in wanted.told.values() if copy.state in {FAILED, LEFT}]
            if wanted.target.id not in there:
                found[group] = f"executor {wanted.target.id} is gone"
            elif ended:
                found[group] = ended[0].why or "it was left"
        return found

    def given_up(self, now_s: float, live: Iterable[Executor]) -> dict[KeyGroup, str]:
        """Return what will never be ready, or takes too long, with the reason."""
        late = {
            group: f"it was not ready within {PATIENCE_S:.0f} s"
            for group, wanted in self._wanted.items()
            if now_s - wanted.since_s > PATIENCE_S
        }
        return {**late, **self.broken(live)}

    def prepared_s(self, group: KeyGroup) -> float:
        """Return how long the copies of a key group took to load."""
        wanted = self._wanted.get(group)
        return sum(copy.load_s for copy in wanted.told.values()) if wanted else 0.0
