"""Scaling decided together with placement: the gate of Algorithm 1 around any policy."""

from dataclasses import dataclass, replace

from albic.model import ScalingDecision, ScalingRequest
from albic.scaling.demand import Demand, Policy, peak_pct, staying
from albic.scaling.draining import Planner, cheapest
from albic.scaling.limits import Limits, in_vain


@dataclass(frozen=True, slots=True)
class IntegratedScaling:
    """Adds nodes only if the tentative plan is not enough, drains only what can be spared.

    Parameters
    ----------
    policy
        Says how many nodes would be right.
    planner
        The loop's own planner, to try how the rest would do without some nodes.
    """

    policy: Policy
    limits: Limits
    planner: Planner

    def decide(self, request: ScalingRequest) -> ScalingDecision:
        """Return the decision, and in any case its reason."""
        demand = self.policy.demand(request)
        now = staying(request.snapshot) + request.coming
        allowed = self.limits.within(demand.nodes)
        decided = self._decided(request, demand, now, allowed)
        return replace(decided, wanted=demand.nodes)

    def _decided(
        self, request: ScalingRequest, demand: Demand, now: int, allowed: int
    ) -> ScalingDecision:
        """Return the decision for a demand within the limits."""
        # Below the least number of nodes there is nothing to wait for.
        if now >= self.limits.min_nodes and (why := self.limits.waiting(request)):
            return ScalingDecision(f"{demand.reason}; {why}")
        if allowed > now:
            return self._more(request, demand, now, allowed)
        if allowed < now:
            return self._fewer(request, demand, now, allowed)
        if allowed != demand.nodes:
            return ScalingDecision(
                f"{demand.reason}; allowed are {self.limits.min_nodes}-{self.limits.max_nodes}"
            )
        return ScalingDecision(demand.reason)

    def _more(
        self, request: ScalingRequest, demand: Demand, now: int, allowed: int
    ) -> ScalingDecision:
        """Return the decision for more nodes: those on their way out first, then new ones."""
        snapshot = request.snapshot
        if now >= self.limits.min_nodes:
            if not demand.overloaded:
                return ScalingDecision(f"{demand.reason}; but the plan for {now} is enough")
            if why := in_vain(request, peak_pct(snapshot, snapshot.allocation)):
                return ScalingDecision(f"{demand.reason}; but {why}")
        missing = self.limits.stepped(now, allowed) - now
        keep = request.going[:missing]
        added = missing - len(keep)
        kept = f", {len(keep)} of them kept that were to go" if keep else ""
        return ScalingDecision(f"{demand.reason}; {missing} more{kept}", add=added, keep=keep)

    def _fewer(
        self, request: ScalingRequest, demand: Demand, now: int, allowed: int
    ) -> ScalingDecision:
        """Return the decision for fewer nodes, as many of them as the rest can spare."""
        if request.coming:
            return ScalingDecision(f"{demand.reason}; {request.coming} nodes are still to come")
        patient = self.limits.patient(request, allowed)
        if patient >= now:
            return ScalingDecision(
                f"{demand.reason}; {patient} were wanted within the last "
                f"{self.limits.drain_after_s:.0f} s"
            )
        spare, why = now - self.limits.stepped(now, patient), ""
        while spare > 0:
            trial, why = cheapest(request, spare, self.policy, self.planner)
            if trial is not None:
                ids = tuple(request.snapshot.cluster.nodes[at].id for at in trial.nodes)
                return ScalingDecision(f"{demand.reason}; {len(ids)} fewer", drain=ids)
            spare //= 2
        return ScalingDecision(f"{demand.reason}; but {why}")
