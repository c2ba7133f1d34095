"""How many nodes there should be, as a scaling policy says it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ScalingDecision:
    """Nodes to add and nodes to empty; both may be none, and the reason says why."""

    reason: str
    add: int = 0
    drain: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Return whether there is anything to do."""
        return self.add > 0 or bool(self.drain)
