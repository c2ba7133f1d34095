"""What holds whatever happens: asked where a plan is carried out, and after batches.

The judge refuses a faulty plan and the loop goes on. These rules are behind it, about what the loop
itself does. A rule that is broken means that something is wrong with us and not with a plan: from
then on nothing is moved any more.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from albic.model import Plan, PlanRequest, Snapshot, Violation, violations

ONE_OWNER, BUDGET, GENERATION = "one-owner-each", "budget-kept", "generation-current"
FRESH, ONE_PLAN, READY = "fresh-measurements", "one-plan-in-flight", "live-and-warm"


@dataclass(frozen=True, slots=True)
class Ground:
    """How things stand now by the job's own books; it is no measurement.

    ``owners`` are the nodes of all key groups, None where one has not run yet. ``under_way`` are
    the moves of the last plan that are still to be made, ``prepared`` how many of them wait for a
    copy. ``usable`` nodes are live and warm.
    """

    generation: int
    owners: tuple[str | None, ...]
    usable: frozenset[str]
    under_way: Mapping[int, str] = field(default_factory=dict)
    prepared: int = 0


def overtaken(snapshot: Snapshot, ground: Ground) -> str | None:
    """Return what no longer is as it was measured, if anything."""
    nodes = snapshot.cluster.nodes
    measured = [nodes[at].id for at in snapshot.allocation.owner.tolist()]
    if len(measured) != len(ground.owners):
        return f"{len(measured)} key groups were measured, there are {len(ground.owners)}"
    for group, (was, now) in enumerate(zip(measured, ground.owners, strict=True)):
        if was != now:
            return f"key group {group} was measured on {was} and is on {now or 'no node'}"
    return None


class Invariants:
    """Asks the rules, and remembers what they need of earlier plans."""

    def __init__(self) -> None:
        self._spent = 0
        self._plan_ends: dict[int, str] = {}
        self._acted_on: Snapshot | None = None
        self._last: Ground | None = None

    def new_period(self) -> None:
        """Begin another period, with all of its moves."""
        self._spent = 0

    def before(
        self, plan: Plan, request: PlanRequest, ground: Ground, most_moves: int | None
    ) -> list[Violation]:
        """Return what forbids to carry out ``plan`` now.

        ``most_moves`` is what a period has; with None a person agreed to just this plan. A cluster
        that changed meanwhile breaks no rule: the placement refuses such a plan by itself.
        """
        found = violations(plan, request)
        if found or ground.generation != plan.generation:
            return found
        return [
            *self._over_budget(plan, request, ground, most_moves),
            *self._stale(request.snapshot, ground),
            *_not_ready(plan, request.snapshot, ground),
            *_still_in_flight(ground),
        ]

    def after(self, plan: Plan, request: PlanRequest, ground: Ground) -> list[Violation]:
        """Take in that ``plan`` was carried out; return what is wrong with how things stand."""
        snapshot = request.snapshot
        self._spent += len(plan.moves)
        self._acted_on, self._last = snapshot, ground
        self._plan_ends = {
            move.key_group: snapshot.cluster.nodes[move.target].id for move in plan.moves
        }
        found = self._of_other_plans(ground)
        if ground.generation != plan.generation:
            told = f"a plan for generation {plan.generation} went to {ground.generation}"
            found.append(Violation(GENERATION, told))
        return found

    def between(self, ground: Ground) -> list[Violation]:
        """Return what batches showed that must not be."""
        last, self._last = self._last, ground
        if last is None:
            return []
        if ground.generation < last.generation:
            told = f"generation {ground.generation} came after {last.generation}"
            return [Violation(GENERATION, told)]
        if ground.generation > last.generation:
            # Nodes came or went: owners may be others, and what is under way may be left.
            return []
        return self._of_other_plans(ground) + self._moved_by_nobody(last, ground)

    def _over_budget(
        self, plan: Plan, request: PlanRequest, ground: Ground, most_moves: int | None
    ) -> list[Violation]:
        nodes = request.snapshot.cluster.nodes
        rescue = any(nodes[move.source].id not in ground.usable for move in plan.moves)
        moves = self._spent + len(plan.moves)
        if most_moves is None or rescue or not plan.moves or moves <= most_moves:
            return []
        return [Violation(BUDGET, f"{moves} moves in a period that has {most_moves}")]

    def _stale(self, snapshot: Snapshot, ground: Ground) -> list[Violation]:
        found = [overtaken(snapshot, ground)]
        before = self._acted_on
        if before is not None and before.generation == snapshot.generation:
            older = snapshot.period.end_s < before.period.start_s
            found.append("measured before what the last plan was made from" if older else None)
        return [Violation(FRESH, told) for told in found if told is not None]

    def _of_other_plans(self, ground: Ground) -> list[Violation]:
        """Return moves that the last plan did not ask for."""
        return [
            Violation(ONE_PLAN, f"key group {group} is on its way to {target}, by no plan")
            for group, target in ground.under_way.items()
            if self._plan_ends.get(group) != target
        ][:1]

    def _moved_by_nobody(self, last: Ground, ground: Ground) -> list[Violation]:
        """Return owners that changed although they are there and the last plan did not say so."""
        if len(last.owners) != len(ground.owners):
            told = f"{len(last.owners)} key groups became {len(ground.owners)}"
            return [Violation(ONE_OWNER, told)]
        if last.owners == ground.owners:
            return []
        return [
            Violation(ONE_OWNER, f"key group {group} went from {was} to {now}, by no plan")
            for group, (was, now) in enumerate(zip(last.owners, ground.owners, strict=True))
            if was in ground.usable and now not in (was, self._plan_ends.get(group))
        ][:1]


def _not_ready(plan: Plan, snapshot: Snapshot, ground: Ground) -> list[Violation]:
    """Return moves to nodes that are gone or cold."""
    targets = {snapshot.cluster.nodes[move.target].id for move in plan.moves}
    missing = sorted(targets - ground.usable)
    return [Violation(READY, f"{node} is not live and warm") for node in missing]


def _still_in_flight(ground: Ground) -> list[Violation]:
    if not ground.prepared:
        return []
    return [Violation(ONE_PLAN, f"{ground.prepared} moves of the last plan are being prepared")]
