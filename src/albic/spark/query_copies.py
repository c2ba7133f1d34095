"""All copies of the state of one query: those for moves, and those in case of a loss."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.bridge import Bridge, Followers
from albic.spark.executors import Executor
from albic.spark.operators import QueryShape
from albic.spark.placement import KeyGroup, Placement
from albic.spark.prepared_moves import Preparing
from albic.spark.standby import Standby


@dataclass(frozen=True, slots=True)
class CopyRules:
    """Which copies there are.

    ``warm`` prepares moves: large state is loaded before it moves, else the batch after a move
    loads it. Key groups with ``standby_bytes`` of state or more have a second copy; None keeps no
    such copies.
    """

    warm: bool = False
    standby_bytes: int | None = None

    @property
    def any(self) -> bool:
        """Return whether there are copies at all."""
        return self.warm or self.standby_bytes is not None


#: All is as Spark does it.
NO_COPIES = CopyRules()


class Copying:
    """Prepares moves and keeps second copies, as far as each is wanted; else all is as without.

    ``followers`` are the way to our code on executors.
    """

    def __init__(
        self,
        bridge: Bridge,
        followers: Followers | None,
        query: StreamingQuery,
        shape: QueryShape,
        placement: Placement,
        rules: CopyRules,
    ) -> None:
        self._placement = placement
        self._preparing: Preparing | None = None
        self._standby: Standby | None = None
        self._sources: dict[KeyGroup, Executor] = {}
        if followers is not None and rules.warm:
            self._preparing = Preparing(bridge, followers, query, shape, placement)
        if followers is not None and rules.standby_bytes is not None:
            self._standby = Standby(bridge, followers, query, shape, rules.standby_bytes)

    def prepare(
        self, moves: Mapping[KeyGroup, Executor], version: int, *, together: bool
    ) -> Mapping[KeyGroup, Executor]:
        """Let new owners load what moves before it does; return the moves that go without."""
        if self._preparing is None or not moves:
            return moves
        return self._preparing.begin(moves, version, together=together)

    def hand_over(self, live: Sequence[Executor]) -> bool:
        """Make the moves that are prepared by now; return whether one has its new owner."""
        if self._preparing is None:
            return False
        before = self._placement.owners()
        made = self._preparing.hand_over(live)
        self._sources.update((group, before[group]) for group in made if before[group] in live)
        return bool(made)

    def loading(self) -> frozenset[str]:
        """Return the executors that load what is to move to them.

        Second copies are left out: they are loaded when nothing has been measured yet, and seldom
        after that.
        """
        return frozenset() if self._preparing is None else self._preparing.loading()

    def prepared_s(self, group: KeyGroup) -> float | None:
        """Return how long the last move of a key group was prepared; None if it was not.

        Whoever asks has seen the move: its old owner may close what it had.
        """
        if self._preparing is None:
            return None
        source = self._sources.pop(group, None)
        if source is not None:
            self._preparing.give_back(group, source)
        return self._preparing.took_s(group)

    def dropped(self) -> tuple[str, ...]:
        """Return which prepared moves were not made, and why."""
        return () if self._preparing is None else self._preparing.dropped()

    def arrange(
        self, state_bytes: Mapping[KeyGroup, int], live: Sequence[Executor], version: int
    ) -> None:
        """See to it that the right key groups have a second copy."""
        if self._standby is not None:
            self._standby.arrange(self._placement.owners(), state_bytes, live, version)

    @property
    def keeps(self) -> bool:
        """Return whether second copies are wanted."""
        return self._standby is not None

    def standbys(self) -> Mapping[KeyGroup, Executor]:
        """Return the key groups that have a second copy, and where it is."""
        return {} if self._standby is None else self._standby.ready()

    def rescue(self, live: Sequence[Executor]) -> tuple[KeyGroup, ...]:
        """Name second copies as owners of what is lost; return what has none.

        What is being prepared is left.
        """
        # What the lost one had comes first, and may need another plan altogether.
        self.drop()
        stranded = self._placement.stranded(live)
        found = {} if self._standby is None else self._standby.rescue(stranded, live)
        self._placement.move_now(found)
        return tuple(group for group in stranded if group not in found)

    def drop(self) -> None:
        """Leave the moves that are being prepared; second copies stay."""
        if self._preparing is not None:
            self._preparing.stop()

    def stop(self) -> None:
        """Leave all copies."""
        self.drop()
        if self._standby is not None:
            self._standby.stop()
