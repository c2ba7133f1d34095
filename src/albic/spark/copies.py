"""Which copies of state are on the way to which executor, and what became of them."""

import itertools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from albic.spark.bridge import Copy
from albic.spark.executors import Executor
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

    def __init__(self) -> None:
        self._wanted: dict[KeyGroup, _Wanted] = {}

    def __len__(self) -> int:
        return len(self._wanted)

    def targets(self) -> frozenset[Executor]:
        """Return the executors that prepare something."""
        return frozenset(each.target for each in self._wanted.values())

    def groups(self) -> tuple[KeyGroup, ...]:
        """Return the key groups that are prepared."""
        return tuple(self._wanted)

    def target(self, group: KeyGroup) -> Executor | None:
        """Return where a key group is prepared, if it is."""
        return self._wanted[group].target if group in self._wanted else None

    def want(
        self, group: KeyGroup, target: Executor, stores: Iterable[tuple[int, str]], now_s: float
    ) -> int:
        """Note that a key group's ``stores`` are to be ready on ``target``; return a ticket."""
        ticket = next(TICKETS)
        self._wanted[group] = _Wanted(target, ticket, now_s, frozenset(stores))
        return ticket

    def forget(self, groups: Iterable[KeyGroup]) -> None:
        """Leave out key groups that are handed over, or are to move no more."""
        for group in groups:
            self._wanted.pop(group, None)

    def heard(self, copies: Iterable[Copy], stage_of: Mapping[int, int]) -> None:
        """Take in what executors say of one query; ``stage_of`` are the stages of operators."""
        for copy in copies:
            group = KeyGroup(stage_of.get(copy.operator_id, -1), copy.partition)
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

    def given_up(self, now_s: float, live: Iterable[Executor]) -> dict[KeyGroup, str]:
        """Return what will not be ready, with the reason."""
        there = {executor.id for executor in live}
        found = {}
        for group, wanted in self._wanted.items():
            broken = [copy for copy in wanted.told.values() if copy.state in {FAILED, LEFT}]
            if wanted.target.id not in there:
                found[group] = f"executor {wanted.target.id} is gone"
            elif broken:
                found[group] = broken[0].why or "it was left"
            elif now_s - wanted.since_s > PATIENCE_S:
                found[group] = f"it was not ready within {PATIENCE_S:.0f} s"
        return found

    def prepared_s(self, group: KeyGroup) -> float:
        """Return how long the copies of a key group took to load."""
        wanted = self._wanted.get(group)
        return sum(copy.load_s for copy in wanted.told.values()) if wanted else 0.0
