"""Plans that wait for a person, and what a round may do without asking one."""

from dataclasses import dataclass
from enum import StrEnum

from albic.model import Plan, PlanRequest, ScalingDecision, Throughput


class Leave(StrEnum):
    """What a round may do by itself."""

    ACT = "act"
    ASK = "ask"
    """Plan, and wait for a person."""
    RESCUE = "rescue"
    """Move what lies on lost nodes, and nothing else.

    It does not wait for a person. A task whose owner is lost waits for it in every batch until
    somebody names another owner, so any place is better than the one it has, and whoever would
    have to agree may be asleep.
    """


@dataclass(frozen=True, slots=True, eq=False)
class Proposal:
    """A plan that nobody has answered yet; after ``lapses_s`` nobody can any more.

    ``kept`` is how the job kept up when the plan was made.
    """

    id: str
    made_s: float
    lapses_s: float
    request: PlanRequest
    plan: Plan
    decision: ScalingDecision
    kept: Throughput


def proposal_id(number: int, at_s: float) -> str:
    """Return the name of the proposal of a round.

    The time is in it, so that an answer to one run's proposal cannot hit the next run's.
    """
    return f"{number}-{int(at_s * 1000) & 0xFFFFFF:06x}"
