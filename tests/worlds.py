"""Tiny clusters for tests, as drawings and as lists.

A drawing names each node and the loads of the key groups on it, in reading order::

    a: 30 20 | b(x2): 10 | c(draining): 5 | d(+15):

``x2`` is a capacity, ``2 slots`` the tasks at once, ``draining`` a state and ``+15`` background
load in percent of the node; several go with commas. Key groups are numbered as they are read.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from albic.model import (
    Allocation,
    Budget,
    BudgetUnit,
    Bundles,
    Cluster,
    Node,
    NodeState,
    Operator,
    Period,
    Plan,
    PlanRequest,
    Resource,
    Snapshot,
    Topology,
)

#: Seconds for a plan: as few proposals are made on tiny clusters, but no stall of a busy machine
#: cuts them short.
AMPLE_S = 5.0
_NODE = re.compile(r"\s*(?P<name>\w+)\s*(?:\((?P<marks>[^)]*)\))?\s*:(?P<loads>[^|]*)")


def world(drawing: str, budget: float = np.inf, **more: Any) -> PlanRequest:
    """Return the request that ``drawing`` shows; ``more`` goes to :func:`request`."""
    names, capacities, background, draining, loads, home = [], [], [], [], [], []
    slots: list[int] = []
    for position, part in enumerate(drawing.split("|")):
        node = _NODE.fullmatch(part)
        if node is None:
            raise ValueError(f"cannot read the node {part!r}")
        names.append(node["name"])
        marks = [mark.strip() for mark in (node["marks"] or "").split(",")]
        capacities.append(float(next((m[1:] for m in marks if m.startswith("x")), 1)))
        slots.append(int(next((m.split()[0] for m in marks if m.endswith("slots")), 1)))
        background.append(float(next((m for m in marks if m.startswith("+")), 0)))
        if "draining" in marks:
            draining.append(position)
        loads += [float(load) for load in node["loads"].split()]
        home += [position] * len(node["loads"].split())
    drawn_as = {"capacities": capacities, "background": background, "draining": draining}
    drawn_as["slots"] = slots
    return request(loads, home, budget=budget, **{"names": names, **drawn_as, **more})


def request(  # noqa: PLR0913 - a world has many sides, and tests name the one they are about
    loads: Sequence[float],
    home: Sequence[int],
    nodes: int | None = None,
    *,
    budget: float = np.inf,
    unit: BudgetUnit | str = BudgetUnit.MOVES,
    names: Sequence[str] | None = None,
    capacities: Sequence[float] | None = None,
    slots: Sequence[int] | None = None,
    draining: Iterable[int] = (),
    background: Sequence[float] | None = None,
    operators: Sequence[int] | None = None,
    streams: Iterable[tuple[int, int]] = (),
    memory: Sequence[float] | None = None,
    network: Sequence[float] | None = None,
    state_bytes: Sequence[int] | None = None,
    traffic: Iterable[tuple[int, int, float]] = (),
    together: Iterable[Iterable[int]] = (),
    pinned: Iterable[tuple[int, int]] = (),
    generation: int = 0,
    **asked: Any,
) -> PlanRequest:
    """Return a request from lists.

    ``operators`` gives the number of key groups of each, ``traffic`` lists (from, to, bytes/s),
    ``together`` the sets that move as one, ``pinned`` (key group, node); ``asked`` are further
    fields of :class:`PlanRequest`.
    """
    groups = len(loads)
    nodes = nodes or len(names or capacities or ()) or max(home) + 1
    names = names or [f"n{position}" for position in range(nodes)]
    emptied = set(draining)
    links = list(traffic)
    together, pinned = [list(members) for members in together], list(pinned)
    snapshot = Snapshot(
        period=Period(0.0, 10.0),
        topology=Topology(
            tuple(Operator(f"o{i}", size) for i, size in enumerate(operators or [groups])),
            tuple(streams),
        ),
        cluster=Cluster(
            tuple(
                Node(
                    name,
                    1.0 if capacities is None else capacities[position],
                    NodeState.DRAINING if position in emptied else NodeState.ACTIVE,
                    1 if slots is None else slots[position],
                )
                for position, name in enumerate(names)
            )
        ),
        allocation=Allocation(np.array(home)),
        usage=np.array([loads, memory or [0.0] * groups, network or [0.0] * groups]),
        state_bytes=np.array([1] * groups if state_bytes is None else state_bytes),
        traffic=sp.csr_array(
            (
                [float(weight) for _, _, weight in links],
                ([up for up, _, _ in links], [down for _, down, _ in links]),
            ),
            shape=(groups, groups),
        ),
        background=np.zeros(nodes) if background is None else np.array(background),
        generation=generation,
    )
    if together or pinned:
        asked["bundles"] = Bundles.of(groups, together, pinned)
    asked.setdefault("time_limit_s", AMPLE_S)
    return PlanRequest(snapshot, Budget(float(budget), BudgetUnit(unit)), **asked)


def drawn(plan: Plan, asked: PlanRequest) -> str:
    """Return the cluster after ``plan`` as a drawing: its nodes, and their loads in order."""
    snapshot = asked.snapshot
    loads = snapshot.usage[Resource.CPU]
    return " | ".join(
        " ".join(
            [f"{_marked(snapshot, position)}:"]
            + [f"{load:g}" for load in loads[plan.target.owner == position]]
        )
        for position in range(len(snapshot.cluster.nodes))
    )


def later(plan: Plan, asked: PlanRequest) -> PlanRequest:
    """Return the same request one round after ``plan``."""
    snapshot = replace(asked.snapshot, allocation=plan.target)
    return replace(asked, snapshot=snapshot)


def _marked(snapshot: Snapshot, position: int) -> str:
    node, background = snapshot.cluster.nodes[position], snapshot.background[position]
    marks = [f"x{node.capacity:g}"] if node.capacity != 1 else []
    marks += [f"{node.slots} slots"] if node.slots > 1 else []
    marks += [f"+{background:g}"] if background else []
    marks += ["draining"] if node.state is NodeState.DRAINING else []
    return f"{node.id}({', '.join(marks)})" if marks else node.id
