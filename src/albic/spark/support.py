"""What we cannot serve, found out before anything starts, with the reason and the remedy."""

from dataclasses import dataclass
from typing import Any

from pyspark.sql.streaming.query import StreamingQuery

from albic.model import InvalidInput
from albic.spark.bridge import VERSIONS, Bridge, release

DYNAMIC = "spark.dynamicAllocation.enabled"
UNLOAD = "spark.sql.streaming.stateStore.unloadOnCommit"
SCHEMA_CHECK = "spark.sql.streaming.stateStore.stateSchemaCheck"
#: Triggers whose tasks stay where they are for as long as they run.
STANDING = frozenset({"RealTimeTrigger", "ContinuousTrigger"})
NO_STATE = (
    "the query has no stateful operator, so there is no state to place; attach to one that "
    "aggregates, joins two streams, deduplicates or keeps state of its own"
)
#: What may keep state when a stream goes in; the physical plan of a batch then tells.
KEEPS_STATE = frozenset(
    {
        "Aggregate",
        "Deduplicate",
        "DeduplicateWithinWatermark",
        "Distinct",
        "FlatMapGroupsInPandasWithState",
        "FlatMapGroupsWithState",
        "GlobalLimit",
        "Join",
        "TransformWithState",
        "TransformWithStateInPandas",
        "TransformWithStateInPySpark",
    }
)


@dataclass(frozen=True, slots=True)
class Facts:
    """What decides whether state can be placed."""

    master: str
    trigger: str
    stream_kinds: frozenset[str]
    dynamic_allocation: bool
    unload_on_commit: bool
    rechecks_joins: bool = False


def require_classic(query: Any) -> None:  # noqa: ANN401  whatever a user hands over
    """Refuse what is not a running query of this process's own Spark."""
    if type(query).__module__.startswith("pyspark.sql.connect"):
        raise InvalidInput(
            "this query runs over Spark Connect, which cannot reach the driver's state placement; "
            "run the application with classic PySpark (spark.api.mode=classic)"
        )
    if not isinstance(query, StreamingQuery):
        raise InvalidInput(
            f"attach takes what writeStream.start() returns, not {type(query).__name__}"
        )
    if not query.isActive:
        raise InvalidInput(f"query {query.name or query.id} has stopped; attach to a running one")


def facts(bridge: Bridge, query: StreamingQuery) -> Facts:
    """Return what the session and the query say of themselves."""
    return Facts(
        master=bridge.master(),
        trigger=bridge.trigger(query),
        stream_kinds=bridge.stream_kinds(query),
        dynamic_allocation=bridge.setting(DYNAMIC, "false") == "true",
        unload_on_commit=bridge.setting(UNLOAD, "false") == "true",
        rechecks_joins=bridge.rechecks_joins() and bridge.setting(SCHEMA_CHECK, "true") == "true",
    )


def require_supported(found: Facts) -> None:
    """Refuse a session or a query whose state we cannot place, with all reasons."""
    if reasons := objections(found):
        raise InvalidInput("; ".join(reasons))


def require_tested(version: str) -> None:
    """Refuse a version of Spark that may not have what we reach for; asked before all else."""
    if release(version) not in VERSIONS:
        known = ", ".join(f"{tested}.x" for tested in VERSIONS)
        raise InvalidInput(f"Spark {version} was not tested with albic; use one of {known}")


def objections(found: Facts) -> list[str]:
    """Return every reason against steering, each with its remedy; empty when all is well."""
    reasons = []
    if found.master.startswith("local") and not found.master.startswith("local-cluster"):
        reasons.append(
            f"the master {found.master} has one executor, so state has nowhere to go; use "
            f"albic.local_cluster() or a standalone, YARN or Kubernetes cluster"
        )
    if found.dynamic_allocation:
        reasons.append(
            f"{DYNAMIC} is on and would add and remove executors against our plans; set it to false"
        )
    if found.unload_on_commit:
        reasons.append(
            f"{UNLOAD} is on, so state has no place that lasts beyond a batch; set it to false"
        )
    if found.rechecks_joins and "Join" in found.stream_kinds:
        reasons.append(
            f"the query joins two streams, and this version of Spark compares the schema of their "
            f"state wherever it moves: a batch without rows on one side looks like another schema "
            f"and ends the query; start it with {SCHEMA_CHECK}=false"
        )
    if found.trigger in STANDING:
        reasons.append(
            f"the query runs with a {found.trigger}, whose tasks stay where they are; "
            f"use a micro-batch trigger such as processingTime"
        )
    if not found.stream_kinds & KEEPS_STATE:
        reasons.append(NO_STATE)
    return reasons
