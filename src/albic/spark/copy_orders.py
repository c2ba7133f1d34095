"""Orders for copies of state go to executors in a thread of its own, and their answers come back.

An order is a task on its executor, and waits there for a slot like any other. So nobody waits for
it here.
"""

import contextlib
import logging
import threading
from collections.abc import Iterable, Mapping, Sequence

from pyspark.sql.streaming.query import StreamingQuery

from albic.spark.bridge import Followers, Order, Recipe
from albic.spark.copies import Copies
from albic.spark.executors import Executor
from albic.spark.operators import QueryShape
from albic.spark.placement import KeyGroup

log = logging.getLogger(__name__)

#: Names the jobs of ours in Spark's page.
GROUP = "albic-prepares"


class Ordering:
    """Gives the orders of one query, and asks how its ``copies`` are doing while there is any.

    Executors are asked ``every_s``: each time is a task of some milliseconds on each of them. Take
    the ``lock`` to read or change the copies.
    """

    def __init__(
        self,
        followers: Followers,
        query: StreamingQuery,
        shape: QueryShape,
        *,
        every_s: float,
    ) -> None:
        self.copies = Copies(shape)
        self.lock = threading.RLock()
        self._followers = followers
        self._query = query
        self._shape = shape
        self._every_s = every_s
        self._recipes: Mapping[tuple[int, str], Recipe] | None = None
        self._orders: dict[tuple[str, str], list[Order]] = {}
        self._asking = False
        self._hurry = threading.Event()
        #: Whether executors could not be reached; nothing is ordered any more then.
        self.broken = False

    def recipes(self) -> Mapping[tuple[int, str], Recipe]:
        """Return how stores are opened; nothing where we cannot, which is told once."""
        if self._recipes is None:
            self._recipes = self._read_recipes()
            stores = {store for info in self._shape.stages for store in info.stores}
            if missing := sorted({number for number, _ in stores - self._recipes.keys()}):
                log.info("state of operators %s cannot be loaded ahead of a move", missing)
        return {} if self.broken else self._recipes

    def _read_recipes(self) -> Mapping[tuple[int, str], Recipe]:
        """Return what Spark says; one that keeps it elsewhere costs no more than the copies."""
        try:
            return self._followers.recipes(self._query)
        except Exception as wrong:  # noqa: BLE001  Spark's own, and may change with a version
            log.warning("Spark does not tell how stores are opened: %s", _first_line(wrong))
            return {}

    def able(self, group: KeyGroup) -> bool:
        """Return whether there can be a copy of a key group."""
        return self.recipes().keys() >= set(self._shape.stages[group.stage].stores)

    def give(self, orders: Iterable[tuple[Executor, Order]]) -> None:
        """Take orders for executors, and see that they get there."""
        with self.lock:
            for target, order in orders:
                self._orders.setdefault((target.host, target.id), []).append(order)
            self._hurry.set()
            if self._orders and not self._asking and not self.broken:
                self._asking = True
                threading.Thread(target=self._run, name=GROUP, daemon=True).start()

    def _run(self) -> None:
        """Give orders and ask, until nothing is under way any more."""
        while orders := self._next_orders():
            try:
                said = self._followers.give(orders, GROUP)
            except Exception as wrong:  # noqa: BLE001  a thread has nobody else to tell
                self._give_up(wrong)
                return
            with self.lock:
                self.copies.heard(copy for copy in said if copy.run_id == self._shape.run_id)
            self._hurry.wait(self._every_s)

    def _next_orders(self) -> Mapping[tuple[str, str], Sequence[Order]]:
        """Return what executors are to be told, or asked; nothing is the end of asking."""
        with self.lock:
            self._hurry.clear()
            orders, self._orders = self._orders, {}
            for target in self.copies.targets():
                orders.setdefault((target.host, target.id), [])
            self._asking = bool(orders)
            return orders

    def _give_up(self, wrong: Exception) -> None:
        """Order nothing any more; say so once, unless all is over anyway."""
        self.broken = True
        with contextlib.suppress(Exception):
            if self._query.isActive:
                log.warning("state is not loaded ahead of moves any more: %s", _first_line(wrong))


def _first_line(wrong: Exception) -> str:
    """Return what an error of the JVM says before its trace."""
    first, *_ = str(wrong).splitlines() or [type(wrong).__name__]
    return first
