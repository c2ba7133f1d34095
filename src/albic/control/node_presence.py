"""How long nodes were there, for people who pay for them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stay:
    """One node's time with a job; ``until_s`` is None while it is there."""

    node: str
    from_s: float
    until_s: float | None = None
    failed_tasks: int = 0


def node_seconds(stays: Sequence[Stay], from_s: float, until_s: float) -> float:
    """Return for how long nodes were there between two moments, all of them together."""
    return sum(
        max(min(_end_s(stay, until_s), until_s) - max(stay.from_s, from_s), 0.0) for stay in stays
    )


def node_steps(
    stays: Sequence[Stay], from_s: float, until_s: float
) -> tuple[list[float], list[int]]:
    """Return when the number of nodes changed between two moments, and how many there were."""
    moments = {stay.from_s for stay in stays} | {_end_s(stay, until_s) for stay in stays}
    at_s = [from_s, *sorted(at for at in moments if from_s < at < until_s), until_s]
    there = [sum(stay.from_s <= at < _end_s(stay, until_s + 1) for stay in stays) for at in at_s]
    return at_s, there


def _end_s(stay: Stay, now_s: float) -> float:
    """Return when a node went; one that is there may be taken to go ``now_s``."""
    return now_s if stay.until_s is None else stay.until_s
