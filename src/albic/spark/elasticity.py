"""The executors as the cluster manager gave them: none is added, none is taken away."""

from collections.abc import Sequence

from albic.model import InvalidInput, ScalingDecision


class FixedExecutors:
    """Answers the loop's door to more nodes, and keeps it shut."""

    def release(self, node_ids: Sequence[str]) -> None:
        """Do nothing: nobody was asked to drain, and who is lost is gone already."""

    def resize(self, decision: ScalingDecision) -> None:
        """Refuse."""
        raise InvalidInput(
            f"the executors of this application are fixed, but scaling asked for {decision.add} "
            f"more and {len(decision.drain)} fewer; use the scaling policy FixedSize"
        )
