"""Which queries are under watch, and which are still to be: their first batch has not ended."""

from collections.abc import Iterable, Iterator, Mapping

from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.bridge import Bridge
from albic.spark.operators import Named
from albic.spark.query_copies import CopyRules
from albic.spark.watch import QueryWatch


class WatchedQueries:
    """Takes queries on once they have run a batch, and lets go of those that stopped.

    Parameters
    ----------
    named
        The queries that brought their operators along, by run id.
    copies
        Which copies of state there are.
    """

    def __init__(
        self,
        bridge: Bridge,
        queries: Iterable[StreamingQuery],
        named: Mapping[str, Named],
        copies: CopyRules,
    ) -> None:
        self.watches: list[QueryWatch] = []
        self.pending = list(queries)
        self._bridge = bridge
        self._named = named
        self._copies = copies
        self._followers = bridge.followers() if copies.any else None

    def newcomers(self, *, steers: bool) -> Iterator[QueryWatch]:
        """Take on queries whose first batch has ended, and yield each as soon as it is watched.

        ``steers`` says whether their state is moved at all.
        """
        for query in tuple(self.pending):
            if not query.isActive:
                self.pending.remove(query)
            elif self._bridge.last_batch(query) >= 0:
                # First, so that a query we cannot serve is refused once and not again and again.
                self.pending.remove(query)
                watch = QueryWatch(
                    self._bridge,
                    query,
                    steers=steers,
                    named=self._named.get(str(query.runId)),
                    followers=self._followers,
                    copies=self._copies,
                )
                self.watches.append(watch)
                yield watch

    def let_go(self) -> bool:
        """Let go of queries that stopped; return whether there was one."""
        active = [watch for watch in self.watches if watch.active]
        left = len(active) < len(self.watches)
        if left:
            self.watches = active
        return left
