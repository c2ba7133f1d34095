"""Plans as JSON files; ``docs/formats.md`` tells the format to those who read them."""

from pathlib import Path

import numpy as np

from albic.model import metrics
from albic.model.allocation import Allocation
from albic.model.errors import InvalidInput
from albic.model.fields import Fields, Span
from albic.model.files import blaming, load_document, save_document
from albic.model.plan import Move, Objective, Outcome, Plan
from albic.model.snapshot import Snapshot

FORMAT = "albic-plan/1"

FIELDS = (
    "format",
    "planner",
    "objective",
    "outcome",
    "reason",
    "load_distance",
    "collocation",
    "makespan",
    "moves",
    "wall_s",
)
MOVE_FIELDS = ("key_group", "operator", "partition", "from", "to", "cost")

AMOUNTS = Span(0, 1e300)
POSITIONS = Span(0, 2**53)


def read_plan(path: Path, snapshot: Snapshot) -> Plan:
    """Return the plan in the file at ``path``, which was made for ``snapshot``."""
    with blaming(path):
        return plan_from(load_document(path), snapshot)


def write_plan(path: Path, plan: Plan, snapshot: Snapshot) -> None:
    """Write ``plan``, made for ``snapshot``, to ``path``."""
    with blaming(path):
        save_document(path, plan_document(plan, snapshot))


def plan_document(plan: Plan, snapshot: Snapshot) -> dict[str, object]:
    """Return ``plan`` as a document, with nodes and operators by name."""
    before, after = snapshot.allocation, plan.target
    stages = plan.objective is Objective.MAKESPAN
    document: dict[str, object] = {
        "format": FORMAT,
        "planner": plan.planner,
        "objective": plan.objective.value,
        "outcome": plan.outcome.value,
        "reason": plan.reason,
        "load_distance": {
            "before": metrics.load_distance(snapshot, before),
            "after": metrics.load_distance(snapshot, after),
            # The planner's bound is one of its objective, and of nothing else.
            "bound": None if stages else plan.bound,
        },
        "collocation": {
            "before": metrics.collocation_factor(snapshot.traffic, before),
            "after": metrics.collocation_factor(snapshot.traffic, after),
        },
    }
    if stages:
        document["makespan"] = {
            "before": metrics.makespan(snapshot, before),
            "after": metrics.makespan(snapshot, after),
            "bound": plan.bound,
        }
    document["moves"] = _moves_document(plan, snapshot)
    document["wall_s"] = plan.wall_s
    return document


def plan_from(document: object, snapshot: Snapshot) -> Plan:
    """Return the plan that a parsed document describes, as an answer for ``snapshot``."""
    fields = Fields.of(document, "", FIELDS)
    fields.choice("format", (FORMAT,))
    objective = Objective(fields.choice("objective", tuple(each.value for each in Objective)))
    measure = "makespan" if objective is Objective.MAKESPAN else "load_distance"
    goal = fields.inner(measure, ("before", "after", "bound"))
    moves = _moves_from(fields, snapshot)
    owner = snapshot.allocation.owner.copy()
    for move in moves:
        owner[move.key_group] = move.target
    return Plan(
        generation=snapshot.generation,
        planner=fields.name("planner"),
        target=Allocation(owner),
        moves=moves,
        outcome=Outcome(fields.choice("outcome", tuple(each.value for each in Outcome))),
        reason=fields.text("reason"),
        objective=objective,
        bound=None if goal.get("bound") is None else goal.number("bound", AMOUNTS),
        wall_s=fields.number("wall_s", AMOUNTS),
    )


def _moves_document(plan: Plan, snapshot: Snapshot) -> list[dict[str, object]]:
    operators, nodes = snapshot.topology.operators, snapshot.cluster.nodes
    operator_of, offsets = snapshot.topology.operator_of(), snapshot.topology.offsets()
    return [
        {
            "key_group": move.key_group,
            "operator": operators[operator_of[move.key_group]].name,
            "partition": int(move.key_group - offsets[operator_of[move.key_group]]),
            "from": nodes[move.source].id,
            "to": nodes[move.target].id,
            "cost": move.cost,
        }
        for move in plan.moves
    ]


def _moves_from(fields: Fields, snapshot: Snapshot) -> tuple[Move, ...]:
    """Return the moves, each of a key group that is where the plan says it is."""
    position = {node.id: at for at, node in enumerate(snapshot.cluster.nodes)}
    offsets = snapshot.topology.offsets()
    start = {op.name: int(at) for op, at in zip(snapshot.topology.operators, offsets, strict=False)}
    owner = snapshot.allocation.owner
    last = Span(0, snapshot.topology.key_groups - 1)
    moves, seen = [], np.zeros(owner.size, dtype=bool)
    for each in fields.each("moves", MOVE_FIELDS):
        group = each.whole("key_group", last)
        source, target = (position.get(each.name(end)) for end in ("from", "to"))
        if source is None or target is None:
            raise InvalidInput(f"{each.place} names a node that the snapshot does not have")
        if start.get(each.name("operator"), -1) + each.whole("partition", POSITIONS) != group:
            raise InvalidInput(f"{each.place}: operator and partition are not key group {group}")
        if owner[group] != source or seen[group]:
            raise InvalidInput(f"{each.place}: key group {group} is not on {each.name('from')!r}")
        seen[group] = True
        moves.append(Move(group, source, target, each.number("cost", AMOUNTS)))
    return tuple(moves)
