"""Copies of state are called, and answer by naming themselves as owners.

Were an executor named while its copy still takes in the last version, a task could be there first,
and load everything anew. So the owner stays the owner until the copy says that it is one. Both
words go through Spark's own coordinator, which executors can ask at any time: a store is called
under the id of a run that does not exist.
"""

from collections.abc import Mapping
from dataclasses import replace
from uuid import uuid4

from albic.spark.bridge import Bridge, StoreId
from albic.spark.executors import Executor
from albic.spark.operators import QueryShape
from albic.spark.placement import KeyGroup


class Calling:
    """Calls the copies of one query by names that nobody else uses."""

    def __init__(self, bridge: Bridge, shape: QueryShape) -> None:
        self._bridge = bridge
        self._shape = shape
        self._run_id = str(uuid4())

    def bell(self, target: Executor) -> StoreId:
        """Return the bell of an executor: a store that is none. Its owner has copies to look at."""
        root = self._shape.stages[0].root
        return StoreId(root, -1, 0, f"albic-bell-{target.id}", self._run_id)

    def call(self, groups: Mapping[KeyGroup, Executor]) -> None:
        """Let copies be the owners' as soon as they have all that the owners wrote."""
        for group, target in groups.items():
            stores = [replace(s, run_id=self._run_id) for s in self._shape.stores(*group)]
            self._bridge.point(stores, target.host, target.id)

    def ring(self, targets: frozenset[Executor]) -> None:
        """Tell executors that some of their copies are called: those look seldom by themselves."""
        for target in targets:
            self._bridge.point([self.bell(target)], target.host, target.id)

    def answered(self, group: KeyGroup, target: Executor) -> bool:
        """Return whether the copies of a key group have named themselves."""
        stores = self._shape.stores(*group)
        return all(self._bridge.location(store) == target.id for store in stores)

    def end(self) -> None:
        """Call nobody any more."""
        self._bridge.forget_stores(self._run_id)
