"""Scaling by a script, for experiments in which somebody else decides."""

from collections.abc import Mapping
from dataclasses import dataclass

from albic.model import ScalingDecision, ScalingRequest


@dataclass(frozen=True, slots=True)
class ScriptedScaling:
    """Decides what the script says for the n-th round, counted from 0, and nothing in others."""

    decisions: Mapping[int, ScalingDecision]

    def decide(self, request: ScalingRequest) -> ScalingDecision:
        """Return the decision for this round."""
        nothing = ScalingDecision("the script has nothing for this round")
        return self.decisions.get(len(request.past), nothing)
