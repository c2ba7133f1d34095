"""The executors as the cluster manager gave them: none is added, none is taken away."""

from collections.abc import Sequence

from albic.control.ports import Fleet
from albic.model import InvalidInput


class FixedExecutors:
    """Answers the loop's door to more nodes, and keeps it shut."""

    def grow(self, count: int) -> None:
        """Refuse."""
        raise InvalidInput(
            f"the executors of this application are fixed, but scaling asked for {count} more; "
            f"use the scaling policy FixedSize"
        )

    def release(self, node_ids: Sequence[str]) -> tuple[str, ...]:
        """Do nothing: nobody was asked to drain, and who is lost is gone already."""
        return tuple(node_ids)

    def fleet(self) -> Fleet:
        """Return that nobody is to come."""
        return Fleet()
