"""How many nodes there should be: what a scaling policy is asked and what it answers."""

from dataclasses import dataclass

from albic.model.plan import Plan, PlanRequest
from albic.model.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class ScalingDecision:
    """Nodes to add, to empty and to keep after all; all may be none, and the reason says why.

    ``wanted`` is how many nodes the policy would like, before limits and gates; None where it has
    no opinion.
    """

    reason: str
    add: int = 0
    drain: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    wanted: int | None = None

    @property
    def changes(self) -> bool:
        """Return whether there is anything to do."""
        return self.add > 0 or bool(self.drain) or bool(self.keep)


@dataclass(frozen=True, slots=True)
class Throughput:
    """How a job kept up in a period; None where it is not known.

    ``batch_s`` is the mean time of a batch, ``beside_s`` the part of it in which no key group can
    work because it is planned, read or committed; ``interval_s`` is how often one should start,
    ``arrived_share`` what arrived for every row that was processed: above 1, a backlog grows.
    ``growth`` is what the last batches had to do beside the mean one of the period, at least 1: a
    load that rises is behind its own mean.
    """

    batch_s: float | None = None
    interval_s: float | None = None
    arrived_share: float = 1.0
    growth: float = 1.0
    beside_s: float = 0.0


@dataclass(frozen=True, slots=True)
class PastRound:
    """What an earlier round saw and decided about the number of nodes.

    ``nodes`` are those that stayed, ``peak_pct`` the load of the busiest of them, ``load_pct`` all
    work of key groups in reference nodes.
    """

    at_s: float
    nodes: int
    peak_pct: float
    load_pct: float
    decision: ScalingDecision


@dataclass(frozen=True, slots=True, eq=False)
class ScalingRequest:
    """Everything that a scaling policy may look at.

    Parameters
    ----------
    asked, plan
        What the planner was asked with the nodes there are, and its answer: Algorithm 1 plans
        first and scales only if that is not enough.
    coming, going
        How many nodes were asked for and are not there yet; which ones shall go and still own
        something. Lost ones are not among them.
    past
        Earlier rounds, oldest first.
    """

    at_s: float
    asked: PlanRequest
    plan: Plan
    throughput: Throughput = Throughput()
    coming: int = 0
    going: tuple[str, ...] = ()
    past: tuple[PastRound, ...] = ()

    @property
    def snapshot(self) -> Snapshot:
        """Return the measurements."""
        return self.asked.snapshot
