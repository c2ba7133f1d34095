"""What we cannot serve, found out before anything starts, with the reason and the remedy."""

from typing import Any

from pyspark.sql.streaming.query import StreamingQuery

from albic.model import InvalidInput
from albic.spark.bridge import Bridge

#: The versions that the contract tests were run against; the bridge reaches behind Spark's API.
TESTED_VERSIONS = ("4.3",)

UNLOAD = "spark.sql.streaming.stateStore.unloadOnCommit"
DYNAMIC = "spark.dynamicAllocation.enabled"
REAL_TIME = "RealTimeTrigger"
CONTINUOUS = "ContinuousTrigger"


def require_classic(query: Any) -> None:  # noqa: ANN401  whatever a user hands over
    """Refuse what is not a streaming query of this process's own Spark."""
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


def require_supported(bridge: Bridge, query: StreamingQuery) -> None:
    """Refuse a session or a query whose state we cannot place."""
    for reason in unsupported(bridge, bridge.trigger(query)):
        raise InvalidInput(reason)


def unsupported(bridge: Bridge, trigger: str) -> list[str]:
    """Return every reason against steering, each with its remedy; empty when all is well."""
    reasons = []
    version = bridge.version()
    if ".".join(version.split(".")[:2]) not in TESTED_VERSIONS:
        reasons.append(
            f"Spark {version} was not tested; use {', '.join(TESTED_VERSIONS)}.x, or run "
            f"the tests in tests/spark against it and add it to TESTED_VERSIONS"
        )
    master = bridge.master()
    if master.startswith("local") and not master.startswith("local-cluster"):
        reasons.append(
            f"the master {master} has one executor, so state has nowhere to go; use "
            f"albic.local_cluster() or a standalone, YARN or Kubernetes cluster"
        )
    if bridge.setting(DYNAMIC, "false") == "true":
        reasons.append(
            f"{DYNAMIC} is on and would add and remove executors against our plans; set it to false"
        )
    if bridge.setting(UNLOAD, "false") == "true":
        reasons.append(
            f"{UNLOAD} is on, so state has no place that lasts beyond a batch; set it to false"
        )
    if trigger in {REAL_TIME, CONTINUOUS}:
        reasons.append(
            f"the query runs with a {trigger}, whose tasks stay where they are; "
            f"use a micro-batch trigger such as processingTime"
        )
    return reasons
