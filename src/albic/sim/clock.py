"""Time that passes only when somebody sleeps."""


class SimulatedClock:
    """Answers the loop's port Clock; sleeping takes no time outside the simulation."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def now_s(self) -> float:
        """Return the simulated seconds since the start."""
        return self._now_s

    def sleep_until(self, moment_s: float) -> None:
        """Let time pass until ``moment_s``, at once."""
        self._now_s = max(self._now_s, moment_s)

    def wake(self) -> None:
        """Do nothing: nobody sleeps here."""
