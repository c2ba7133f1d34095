"""Plans that wait for a person, and what a round may do without asking one."""

from dataclasses import dataclass, replace
from enum import StrEnum

from albic.control.journal import RoundRecord
from albic.model import Plan, PlanRequest, ScalingDecision, ScalingRequest


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

    ``asked`` is all that was known when it was made, ``decision`` what goes with it about nodes.
    """

    id: str
    lapses_s: float
    asked: ScalingRequest
    plan: Plan
    decision: ScalingDecision

    @property
    def made_s(self) -> float:
        """Return when it was made."""
        return self.asked.at_s

    @property
    def request(self) -> PlanRequest:
        """Return what the planner was asked."""
        return self.asked.asked


def offered(
    blank: RoundRecord, asked: ScalingRequest, decision: ScalingDecision, within_s: float
) -> Proposal:
    """Return the plan of a round as a proposal that lapses ``within_s``.

    The time is in its name, so that an answer to one run's proposal cannot hit the next run's.
    """
    name = f"{blank.number}-{int(blank.at_s * 1000) & 0xFFFFFF:06x}"
    return Proposal(name, asked.at_s + within_s, asked, asked.plan, decision)


def untaken(decision: ScalingDecision) -> ScalingDecision:
    """Return a decision that is not carried out, for the books."""
    return replace(decision, add=0, drain=(), keep=())
