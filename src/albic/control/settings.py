"""What the user may ask of the loop."""

import math
import re
import sys
from dataclasses import dataclass

from albic.model import InvalidInput, Objective
from albic.model.fields import written
from albic.model.setting_kinds import Amount, Flag, Names, expect_sense, setting

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
        # An int beyond every float is no length of time either.
        if not 0 < period < sys.float_info.max:
            raise InvalidInput(
                f"period {written(asked)} is not a length of time; write for example "
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
    """How the loop plans and when it acts; what users may set says so itself.

    Parameters
    ----------
    urgent_pace
        The share of its trigger interval that two batches in a row must take for a round before
        the period is over; None where more nodes are no answer.
    time_per_key_group_s
        How long a planner that does not gather may think for each key group, within its limit.
    """

    pace: Pace = Pace(seconds=20.0)
    max_migrations: int = setting(
        8,
        Amount(least=0, whole=True),
        "The most key groups that move in a period, half of them in one batch; paper: "
        "maxMigrations.",
        "key groups",
    )
    objective: Objective = Objective.MAKESPAN
    # Loads are never measured twice the same, and moving after every whisper costs more than it
    # brings.
    least_gain: float = setting(
        0.05,
        Amount(least=0, below=1),
        "What a plan must win to be carried out, as a share of the objective or of all traffic; a "
        "planner that gathers what talks to each other, three tenths of it in traffic.",
        "share",
    )
    urgent_gain: float = setting(
        0.1,
        Amount(above=0, most=1),
        "What a plan must win to be made before the period is over, as a share of the objective.",
        "share",
    )
    urgent_pace: float | None = None
    time_limit_s: float = setting(0.2, Amount(above=0), "How long a planner may think.", "seconds")
    time_per_key_group_s: float = math.inf
    seed: int = setting(0, Amount(least=0, whole=True), "Same seed, same plans.")
    dry_run: bool = setting(
        default=False, kind=Flag(), meaning="Measure and propose, and touch nothing."
    )
    approve: bool = setting(
        default=False,
        kind=Flag(),
        meaning="Let every plan wait for a person. What lies on a lost executor moves all the "
        "same.",
    )
    # Loads are not for ever what they were.
    approve_within_s: float = setting(
        300.0, Amount(above=0), "How long a plan waits for a person before it lapses.", "seconds"
    )
    exclude_operators: tuple[str, ...] = setting(
        (),
        Names(),
        "Operators whose key groups stay where they are, unless their executor is lost or drained.",
        "names",
    )
    exclude_executors: tuple[str, ...] = setting(
        (),
        Names(),
        "Executors that receive nothing; what they have may leave.",
        "names",
    )
    record_snapshots: bool = setting(
        default=True,
        kind=Flag(),
        meaning="Whether records hold the whole measurement, so that another planner can be asked "
        "later and advice can be given. On clusters of many thousand key groups that is most of a "
        "journal.",
    )

    def __post_init__(self) -> None:
        expect_sense(self)
        object.__setattr__(self, "exclude_operators", tuple(self.exclude_operators))
        object.__setattr__(self, "exclude_executors", tuple(self.exclude_executors))
        if self.urgent_pace is not None and not self.urgent_pace > 0:
            raise InvalidInput(
                f"urgent_pace is {self.urgent_pace}; it must be above 0, or None for never"
            )

    @property
    def excluded(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the operators and the executors that are kept out of plans."""
        return self.exclude_operators, self.exclude_executors

    def changes(self, other: "Settings") -> list[str]:
        """Return what is different in ``other`` of what can be changed at run time, in words."""
        names = ("pace", "max_migrations", "approve", "exclude_operators", "exclude_executors")
        both = [(name, getattr(self, name), getattr(other, name)) for name in names]
        return [
            f"{'period' if name == 'pace' else name} {_listed(old)} → {_listed(new)}"
            for name, old, new in both
            if old != new
        ]


def _listed(value: object) -> object:
    """Return a value for a sentence; names with commas between them."""
    return (", ".join(value) or "none") if isinstance(value, tuple) else value
