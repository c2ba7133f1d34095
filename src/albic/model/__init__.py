"""The vocabulary: frozen values that every other part speaks in."""

from albic.model.allocation import Allocation
from albic.model.bundles import Bundles
from albic.model.cluster import Cluster, Node, NodeState
from albic.model.errors import (
    AlbicError,
    Interrupted,
    InvalidInput,
    JobEnded,
    NotReady,
    PlanRejected,
    ProcessorFailed,
    StoreGone,
)
from albic.model.plan import (
    Budget,
    BudgetUnit,
    Move,
    Objective,
    Outcome,
    Plan,
    PlanRequest,
    SearchReport,
    plan_for,
)
from albic.model.scaling import PastRound, ScalingDecision, ScalingRequest, Throughput
from albic.model.snapshot import Period, Resource, Snapshot
from albic.model.topology import Operator, Topology
from albic.model.validation import Violation, violations

__all__ = [
    "AlbicError",
    "Allocation",
    "Budget",
    "BudgetUnit",
    "Bundles",
    "Cluster",
    "Interrupted",
    "InvalidInput",
    "JobEnded",
    "Move",
    "Node",
    "NodeState",
    "NotReady",
    "Objective",
    "Operator",
    "Outcome",
    "PastRound",
    "Period",
    "Plan",
    "PlanRejected",
    "PlanRequest",
    "ProcessorFailed",
    "Resource",
    "ScalingDecision",
    "ScalingRequest",
    "SearchReport",
    "Snapshot",
    "StoreGone",
    "Throughput",
    "Topology",
    "Violation",
    "plan_for",
    "violations",
]
