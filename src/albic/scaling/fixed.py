"""No scaling: the nodes that are there are the nodes that stay."""

from dataclasses import dataclass
from typing import ClassVar

from albic.model import ScalingDecision, ScalingRequest


@dataclass(frozen=True, slots=True)
class FixedSize:
    """Keeps the nodes that there are; ``fixed`` tells the loop that it never does otherwise."""

    fixed: ClassVar[bool] = True

    def decide(self, request: ScalingRequest) -> ScalingDecision:  # noqa: ARG002  a policy's
        """Return a decision that changes nothing."""
        return ScalingDecision("the number of nodes is fixed")
