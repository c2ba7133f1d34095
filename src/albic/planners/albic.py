"""ALBIC: balance the load while key groups that talk to each other stay or come together.

Algorithm 2 of the paper, its unclear lines read as in ``docs/decisions/004-albic-reading.md``.
"""

import time
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from albic.model import (
    Bundles,
    InvalidInput,
    Outcome,
    Plan,
    PlanRequest,
    SearchReport,
    metrics,
    plan_for,
    violations,
)
from albic.model.validation import ROUNDING
from albic.planners.affinity import Pairs, heavy_pairs
from albic.planners.bundling import Gathering, Joined, collocated_sets, split
from albic.planners.planner import Planner
from albic.planners.search import SearchPlanner


@dataclass(frozen=True, slots=True)
class AlbicPlanner:
    """Chooses what moves as one and leaves the balancing to another planner.

    Parameters
    ----------
    inner
        Plans with the bundles that this planner makes; paper: the MILP.
    score_factor
        How far above average a pair must talk to count; paper: sF.
    max_part_load_pct
        The most that a part of a collocated set may weigh at first; paper: maxPL.
    part_load_step_pct
        By how much that falls when the load distance is too large; paper: stepPL.
    pairs_per_round
        How many pairs are brought together in one plan. The paper brings one.
    """

    keeps_budget: ClassVar[bool] = True
    gathers: ClassVar[bool] = True

    inner: Planner = field(default_factory=SearchPlanner)
    score_factor: float = 1.5
    max_part_load_pct: float = 25.0
    part_load_step_pct: float = 5.0
    pairs_per_round: int = 1

    def __post_init__(self) -> None:
        if not self.score_factor >= 0:
            raise InvalidInput(f"the score factor is {self.score_factor:g}; it must be 0 or more")
        if not 0 < self.part_load_step_pct < np.inf or not 0 < self.max_part_load_pct < np.inf:
            raise InvalidInput(
                f"the maximum part load is {self.max_part_load_pct:g} and its step "
                f"{self.part_load_step_pct:g}; both must be above 0, or the search never ends"
            )
        if self.pairs_per_round < 1:
            raise InvalidInput(f"{self.pairs_per_round} pairs a round; it must be 1 or more")

    def plan(self, request: PlanRequest) -> Plan:
        """Return a plan within the request's maximum load distance, else the plain one."""
        started_s = time.perf_counter()
        attempts = [] if request.bundles is not None else self._attempts(request)
        plan = self._first_good(request, attempts)
        return replace(plan, wall_s=time.perf_counter() - started_s)

    def _attempts(self, request: PlanRequest) -> list["_Attempt"]:
        """Return what to try, from large parts to small; the same bundles only once."""
        pairs = heavy_pairs(request.snapshot, self.score_factor)
        owner = request.snapshot.allocation.owner
        sets = collocated_sets(pairs, owner)
        apart = _heaviest_first(
            pairs.where(owner[pairs.upstream] != owner[pairs.downstream]), request.seed
        )
        attempts: list[_Attempt] = []
        for part_load_pct in np.arange(
            self.max_part_load_pct, ROUNDING, -self.part_load_step_pct
        ).tolist():
            gathering = Gathering(request, split(sets, request, part_load_pct))
            joined = self._join(gathering, apart)
            attempt = _Attempt(gathering.bundles(), part_load_pct, joined)
            if attempt.binds and not (attempts and attempts[-1].same_as(attempt)):
                attempts.append(attempt)
        return attempts

    def _join(self, gathering: Gathering, apart: Pairs) -> tuple[Joined, ...]:
        """Bring the first pairs together that can be; paper: step 3."""
        joined: list[Joined] = []
        for upstream, downstream in zip(
            apart.upstream.tolist(), apart.downstream.tolist(), strict=True
        ):
            if len(joined) == self.pairs_per_round:
                break
            pair = gathering.bring_together(upstream, downstream)
            joined += [pair] if pair else []
        return tuple(joined)

    def _first_good(self, request: PlanRequest, attempts: list["_Attempt"]) -> Plan:
        """Return the first plan that is even enough, at last the plain one; paper: step 4."""
        shares_s = _time_shares(request.time_limit_s, len(attempts) + 1)
        for attempt, share_s in zip(attempts, shares_s, strict=False):
            asked = replace(request, bundles=attempt.bundles, time_limit_s=share_s)
            answer = self.inner.plan(asked)
            plan = plan_for(request, answer.target, attempt.report(request, answer))
            within = metrics.distance_asked(request, plan.target) <= (
                request.max_load_distance_pct + ROUNDING
            )
            if within and not violations(answer, asked) and not violations(plan, request):
                return plan
        plain = self.inner.plan(replace(request, time_limit_s=shares_s[-1]))
        return replace(plain, planner="albic", reason=_why_plain(request, attempts, plain))


@dataclass(frozen=True, slots=True, eq=False)
class _Attempt:
    """Bundles to plan with, and what they were made of."""

    bundles: Bundles
    part_load_pct: float
    joined: tuple[Joined, ...]

    @property
    def binds(self) -> bool:
        """Return whether the bundles ask for anything at all."""
        return bool(self.bundles.pinned) or self.bundles.units < self.bundles.unit_of.size

    def same_as(self, other: "_Attempt") -> bool:
        """Return whether both would be planned alike."""
        mine, theirs = self.bundles, other.bundles
        return mine.pinned == theirs.pinned and np.array_equal(mine.unit_of, theirs.unit_of)

    def report(self, request: PlanRequest, answer: Plan) -> SearchReport:
        """Return how the plan came about.

        What the inner planner proved holds for its bundles only, so no proof is passed on.
        """
        whole = int((np.bincount(self.bundles.unit_of) > 1).sum())
        distance = metrics.load_distance(request.snapshot, answer.target)
        reason = (
            f"{_told(self.joined)}; {whole} units of several key groups, kept whole up to "
            f"{self.part_load_pct:g} points; load distance {distance:.3g}; "
            f"{answer.planner}: {answer.reason}"
        )
        timed_out = answer.outcome is Outcome.TIME_LIMIT
        return SearchReport("albic", answer.outcome if timed_out else Outcome.HEURISTIC, reason)


def _told(joined: tuple[Joined, ...]) -> str:
    """Return which pairs come together; of many, only the heaviest by name."""
    if not joined:
        return "no pair comes together"
    heaviest = joined[0]
    others = f", and {len(joined) - 1} more" if len(joined) > 1 else ""
    return (
        f"key groups {heaviest.upstream} and {heaviest.downstream} come together "
        f"on node {heaviest.node}{others}"
    )


def _heaviest_first(pairs: Pairs, seed: int) -> Pairs:
    """Return ``pairs`` by falling rate, equals in random order."""
    order = np.random.default_rng(seed).permutation(pairs.rate.size)
    order = order[np.argsort(-pairs.rate[order], kind="stable")]
    return Pairs(pairs.upstream[order], pairs.downstream[order], pairs.rate[order])


def _time_shares(limit_s: float, plans: int) -> list[float]:
    """Return each plan's share of the time: half for the first, which mostly is the only one."""
    if plans == 1:
        return [limit_s]
    return [limit_s / 2] + [limit_s / 2 / (plans - 1)] * (plans - 1)


def _why_plain(request: PlanRequest, attempts: list[_Attempt], plain: Plan) -> str:
    """Return why the plan is one without collocation."""
    distance = metrics.load_distance(request.snapshot, plain.target)
    if request.bundles is not None:
        why = "the request brings its own bundles, so none were added"
    elif not attempts:
        why = "no key groups to keep or bring together"
    elif distance > request.max_load_distance_pct:
        why = f"a load distance of {request.max_load_distance_pct:g} is out of reach"
    else:
        why = (
            "no plan with collocation kept to all rules and to a load distance of "
            f"{request.max_load_distance_pct:g}"
        )
    return f"{why}; {plain.planner}: {plain.reason}"
