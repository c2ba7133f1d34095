"""Planners: request in, plan out; pure functions with settings."""

from albic.planners.lookup import find_planner, planner_names
from albic.planners.planner import Planner
from albic.planners.table import PLANNERS

__all__ = ["PLANNERS", "Planner", "find_planner", "planner_names"]
