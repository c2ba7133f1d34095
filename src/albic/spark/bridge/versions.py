"""What differs between versions of Spark, as far as we reach behind its interface.

Chosen once, when a bridge is made; nobody else asks for a version. What differs in methods that our
Java calls stands in ``Follower.java``, which takes what it finds.
"""

from collections.abc import Mapping
from dataclasses import dataclass

_STREAMING = "org.apache.spark.sql.execution.streaming"
_STATEFUL = f"{_STREAMING}.operators.stateful"


@dataclass(frozen=True, slots=True)
class Version:
    """Where one version has its classes, and what it knows of a store.

    ``opening`` are the fields of the RDD that opens a store, in the order in which Spark makes a
    provider out of them. A version without ``checkpoint_ids`` calls versions of state by their
    number alone; one without ``join_schemas`` does not tell how the stores of a join look, so they
    cannot be loaded ahead of a move. One that ``rechecks_joins`` compares the schema of a join's
    state wherever it is opened, and sees another one in a batch without rows on one side.
    """

    stateful_operator: str = f"{_STATEFUL}.StatefulOperator"
    join: str = f"{_STATEFUL}.join.StreamingSymmetricHashJoinExec"
    join_helper: str = f"{_STATEFUL}.join.StreamingSymmetricHashJoinHelper"
    join_manager: str = f"{_STATEFUL}.join.SymmetricHashJoinStateManager"
    file_manager: str = f"{_STREAMING}.checkpointing.FileSystemBasedCheckpointFileManager"
    opening: tuple[str, ...] = (
        "keySchema",
        "valueSchema",
        "keyStateEncoderSpec",
        "useColumnFamilies",
        "storeConf",
        "hadoopConfBroadcast",
        "useMultipleValuesPerKey",
        "stateSchemaBroadcast",
    )
    checkpoint_ids: bool = True
    join_schemas: bool = True
    rechecks_joins: bool = False
    python_processors: bool = True


def _before_packages_moved(**others: object) -> Version:
    """Return a version in which all of streaming is one package."""
    return Version(
        stateful_operator=f"{_STREAMING}.StatefulOperator",
        join=f"{_STREAMING}.StreamingSymmetricHashJoinExec",
        join_helper=f"{_STREAMING}.StreamingSymmetricHashJoinHelper",
        join_manager=f"{_STREAMING}.state.SymmetricHashJoinStateManager",
        file_manager=f"{_STREAMING}.FileSystemBasedCheckpointFileManager",
        **others,  # type: ignore[arg-type]
    )


#: The versions that the contract tests were run against, oldest first.
VERSIONS: Mapping[str, Version] = {
    "3.5": _before_packages_moved(
        opening=(
            "keySchema",
            "valueSchema",
            "numColsPrefixKey",
            "storeConf",
            "hadoopConfBroadcast",
        ),
        checkpoint_ids=False,
        join_schemas=False,
        rechecks_joins=True,
        python_processors=False,
    ),
    "4.0": _before_packages_moved(),
    "4.1": Version(),
    "4.2": Version(),
    "4.3": Version(),
}


def release(version: str) -> str:
    """Return the first two parts of a version, as in ``4.1``."""
    return ".".join(version.split(".")[:2])


def version_of(version: str) -> Version:
    """Return what a version has; of one that was not tried, what the newest has."""
    return VERSIONS.get(release(version), Version())
