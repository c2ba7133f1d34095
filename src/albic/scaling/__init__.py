"""Scaling policies: what was measured and the tentative plan in, nodes to add or drain out."""

from albic.scaling.fixed import FixedSize
from albic.scaling.integrated import IntegratedScaling
from albic.scaling.limits import Limits
from albic.scaling.table import POLICIES

__all__ = ["POLICIES", "FixedSize", "IntegratedScaling", "Limits"]
