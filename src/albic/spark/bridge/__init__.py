"""Every call into the JVM; no other part reaches for it.

What lies behind is Spark's own and may change with a version. ``tests/spark`` checks each call.
Answers are plain values: text, JSON, numbers. Objects of the JVM stay inside.
"""

from albic.spark.bridge.active_session import Bridge
from albic.spark.bridge.cluster_manager import ClusterManager
from albic.spark.bridge.followers import CLOSE, KEEP, LEAVE, Copy, Followers, Order
from albic.spark.bridge.gateway import Gateway, Master
from albic.spark.bridge.plans import NodeState, PlanNode
from albic.spark.bridge.progress import EndedBatch
from albic.spark.bridge.store_recipes import Recipe
from albic.spark.bridge.stores import StoreId
from albic.spark.bridge.versions import VERSIONS, Version, release, version_of
from albic.spark.bridge.workers import WorkerProcess, WorkerThread

__all__ = [
    "CLOSE",
    "KEEP",
    "LEAVE",
    "VERSIONS",
    "Bridge",
    "ClusterManager",
    "Copy",
    "EndedBatch",
    "Followers",
    "Gateway",
    "Master",
    "NodeState",
    "Order",
    "PlanNode",
    "Recipe",
    "StoreId",
    "Version",
    "WorkerProcess",
    "WorkerThread",
    "release",
    "version_of",
]
