"""The planners by name."""

from collections.abc import Callable

from albic.planners.albic import AlbicPlanner
from albic.planners.auto import AutoPlanner
from albic.planners.cola import ColaPlanner
from albic.planners.flux import FluxPlanner
from albic.planners.hold import HoldPlanner
from albic.planners.joint import JointPlanner
from albic.planners.milp import MilpPlanner
from albic.planners.planner import Planner
from albic.planners.search import SearchPlanner

PLANNERS: dict[str, Callable[[], Planner]] = {
    "auto": AutoPlanner,
    "search": SearchPlanner,
    "milp": MilpPlanner,
    "albic": AlbicPlanner,
    "joint": JointPlanner,
    "flux": FluxPlanner,
    "cola": ColaPlanner,
    "hold": HoldPlanner,
}
