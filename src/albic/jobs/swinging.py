"""A load that doubles and halves, as the day's does: low, rising, high, falling, and again."""

from dataclasses import dataclass

from albic.model import InvalidInput


@dataclass(frozen=True, slots=True)
class Swing:
    """What part of the most rows each batch has.

    Parameters
    ----------
    low_share
        What comes when little comes, as a part of the most.
    low, rise, high, fall
        Batches of each part; with a ``rise`` or ``fall`` of 0 the load jumps.
    """

    low_share: float = 0.5
    low: int = 10
    rise: int = 10
    high: int = 10
    fall: int = 10

    def __post_init__(self) -> None:
        if not 0 < self.low_share <= 1:
            raise InvalidInput(
                f"low_share is {self.low_share:g}; it must be above 0, and 1 at most"
            )
        if min(self.low, self.high) < 1 or min(self.rise, self.fall) < 0:
            raise InvalidInput("low and high must be at least 1 batch, rise and fall 0 or more")

    def shares(self) -> tuple[float, ...]:
        """Return the part of the most that each batch of one swing has."""
        up = [(step + 1) / (self.rise + 1) for step in range(self.rise)]
        down = [1 - (step + 1) / (self.fall + 1) for step in range(self.fall)]
        heights = [0.0] * self.low + up + [1.0] * self.high + down
        return tuple(self.low_share + (1 - self.low_share) * height for height in heights)

    def rows(self, most: int) -> tuple[int, ...]:
        """Return the rows of each batch of one swing; the fullest has ``most``."""
        return tuple(round(share * most) for share in self.shares())
