"""What the user may ask of the loop."""

import math
import re
from dataclasses import dataclass

from albic.model import InvalidInput, Objective

_UNITS_S = {"ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
_PACE = re.compile(r"\s*(\d+(?:\.\d*)?)\s*([a-z]+)\s*")


@dataclass(frozen=True, slots=True)
class Pace:
    """How often the loop plans: every so many seconds, or batches; paper: SPL."""

    seconds: float | None = None
    batches: int | None = None

    @classmethod
    def of(cls, period: "str | float | Pace") -> "Pace":
        """Return the pace that "20s", "500 ms", "5 batches" or a number of seconds names."""
        if isinstance(period, Pace):
            return period
        asked = period
        if isinstance(period, str):
            found = _PACE.fullmatch(period)
            amount, unit = (float(found[1]), found[2]) if found else (0.0, "")
            if unit in {"batch", "batches"} and amount >= 1 and amount.is_integer():
                return cls(batches=int(amount))
            period = amount * _UNITS_S.get(unit, math.nan)
        if not (math.isfinite(period) and period > 0):
            raise InvalidInput(
                f"period {asked!r} is not a length of time; write for example "
                f'"20s", "500ms", "2m" or "5 batches"'
            )
        return cls(seconds=float(period))

    def __str__(self) -> str:
        if self.batches is not None:
            return "1 batch" if self.batches == 1 else f"{self.batches} batches"
        return f"{self.seconds:.12g}s"

    def due(self, passed_s: float, batches: int) -> bool:
        """Return whether it is time, so many seconds and batches after the last round."""
        if self.batches is not None:
            return batches >= self.batches
        return self.seconds is not None and passed_s >= self.seconds


@dataclass(frozen=True, slots=True)
class Settings:
    """How the loop plans and when it acts.

    Parameters
    ----------
    max_migrations
        The most key groups that move in a period; paper: maxMigrations.
    least_gain
        What a plan must win to be carried out, as a share of the objective or of all traffic; a
        planner that gathers what talks to each other, three tenths of it in traffic. Loads are
        never measured twice the same, and moving after every whisper costs more than it brings.
    urgent_gain
        What a plan must win to be made before the period is over, as a share of the objective.
    urgent_pace
        The share of its trigger interval that two batches in a row must take for a round before
        the period is over; None where more nodes are no answer.
    time_limit_s
        How long a planner may think.
    time_per_key_group_s
        How long one that does not gather may think for each key group, within that.
    dry_run
        Measure and propose, and move nothing.
    approve
        Let every plan wait for a person. What lies on a lost node moves all the same.
    approve_within_s
        How long a plan waits before it lapses: loads are not for ever what they were.
    record_snapshots
        Whether records hold the whole measurement, so that another planner can be asked later. On
        clusters of many thousand key groups that is most of a journal.
    """

    pace: Pace = Pace(seconds=20.0)
    max_migrations: int = 8
    objective: Objective = Objective.MAKESPAN
    least_gain: float = 0.05
    urgent_gain: float = 0.1
    urgent_pace: float | None = None
    time_limit_s: float = 0.2
    time_per_key_group_s: float = math.inf
    seed: int = 0
    dry_run: bool = False
    approve: bool = False
    approve_within_s: float = 300.0
    record_snapshots: bool = True

    def __post_init__(self) -> None:
        if self.max_migrations < 0:
            raise InvalidInput(
                f"max_migrations is {self.max_migrations}; it must be 0 or more moves a period"
            )
        if not 0 <= self.least_gain < 1:
            raise InvalidInput(f"least_gain is {self.least_gain}; it must be from 0 to below 1")
        if not 0 < self.urgent_gain <= 1:
            raise InvalidInput(
                f"urgent_gain is {self.urgent_gain}; it must be above 0, and 1 at most"
            )
        if self.urgent_pace is not None and not self.urgent_pace > 0:
            raise InvalidInput(
                f"urgent_pace is {self.urgent_pace}; it must be above 0, or None for never"
            )
        if not (math.isfinite(self.time_limit_s) and self.time_limit_s > 0):
            raise InvalidInput(f"time_limit_s is {self.time_limit_s}; it must be above 0")
        if not (math.isfinite(self.approve_within_s) and self.approve_within_s > 0):
            raise InvalidInput(f"approve_within_s is {self.approve_within_s}; it must be above 0")
