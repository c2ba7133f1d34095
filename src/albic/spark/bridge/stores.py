"""State stores by name, as Spark's coordinator knows them."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class StoreId:
    """One state store: ``root`` is the state folder of the checkpoint as a URI."""

    root: str
    operator_id: int
    partition: int
    name: str
    run_id: str


class StoreNames:
    """Makes Spark's names of stores; each dot in a package's name is a call, so they are kept."""

    def __init__(self, jvm: Any) -> None:  # noqa: ANN401  JVM objects have no type here
        self._uuid = jvm.java.util.UUID.fromString
        state = jvm.org.apache.spark.sql.execution.streaming.state
        self._store_id = state.StateStoreId
        self._provider_id = state.StateStoreProviderId

    def __call__(self, store: StoreId) -> Any:  # noqa: ANN401  as above
        """Return the name of a store of one run of a query."""
        return self._provider_id(
            self._store_id(store.root, store.operator_id, store.partition, store.name),
            self._uuid(store.run_id),
        )
