"""No scaling: the nodes that are there are the nodes that stay."""

from dataclasses import dataclass

from albic.model import ScalingDecision, ScalingRequest


@dataclass(frozen=True, slots=True)
class FixedSize:
    """Keeps the nodes that there are."""

    def decide(self, request: ScalingRequest) -> ScalingDecision:  # noqa: ARG002  a policy's
        """Return a decision that changes nothing."""
        return ScalingDecision("the number of nodes is fixed")
