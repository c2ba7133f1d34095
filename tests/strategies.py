"""Small requests of every kind, for the laws that hold for all of them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st

from albic.model import Allocation, Bundles, Cluster, Objective, PlanRequest
from tests.worlds import request


@st.composite
def small_requests(draw: st.DrawFn, **fixed: Any) -> PlanRequest:
    """Draw a request of up to 4 nodes and 8 key groups; ``fixed`` overrides what is drawn."""
    nodes = draw(st.integers(1, 4))
    groups = draw(st.integers(2, 8))
    upstream = draw(st.integers(1, groups - 1))
    amounts = st.integers(0, 40)
    links = st.tuples(st.integers(0, upstream - 1), st.integers(upstream, groups - 1), amounts)

    def each(count: int, values: st.SearchStrategy[Any]) -> list[Any]:
        return draw(st.lists(values, min_size=count, max_size=count))

    drawn = {
        "budget": draw(st.one_of(st.integers(0, 10), st.just(np.inf))),
        "unit": draw(st.sampled_from(["moves", "cost"])),
        "capacities": each(nodes, st.sampled_from([1, 1, 2, 0.5])),
        "slots": each(nodes, st.sampled_from([1, 1, 1, 2, 4])),
        "draining": draw(st.sets(st.integers(1, 3), max_size=2)),  # node 0 always stays
        "background": each(nodes, st.sampled_from([0, 0, 10])),
        "operators": [upstream, groups - upstream],
        "streams": [(0, 1)],
        "memory": each(groups, amounts.map(lambda amount: amount / 2)),
        "state_bytes": each(groups, st.integers(0, 5)),
        "traffic": draw(st.lists(links, max_size=8, unique_by=lambda link: link[:2])),
        "limits_pct": np.array([100.0, draw(st.sampled_from([30.0, 60.0])), 100.0]),
        "objective": draw(st.sampled_from(Objective)),
        "max_load_distance_pct": draw(st.sampled_from([0.0, 5.0, 10.0, 40.0])),
        "seed": draw(st.integers(0, 3)),
    }
    loads, home = each(groups, amounts), each(groups, st.integers(0, nodes - 1))
    return request(loads, home, nodes, **{**drawn, **fixed})


@st.composite
def bundled_requests(draw: st.DrawFn, **fixed: Any) -> PlanRequest:
    """Draw a request with bundles, some of them pinned to where they are."""
    asked = draw(small_requests(**fixed))
    owner = asked.snapshot.allocation.owner
    label = draw(st.lists(st.integers(0, 1), min_size=owner.size, max_size=owner.size))
    units = np.unique(2 * owner + np.array(label), return_inverse=True)[1]
    pinned = draw(st.sets(st.integers(0, owner.size - 1), max_size=2))
    pins = {(int(units[group]), int(owner[group])) for group in pinned}
    return replace(asked, bundles=Bundles(units, tuple(sorted(pins))))


@st.composite
def restricted_requests(draw: st.DrawFn, **fixed: Any) -> PlanRequest:
    """Draw a request in which some key groups are to stay and some nodes to receive nothing."""
    asked = draw(small_requests(**fixed))
    groups, nodes = asked.snapshot.topology.key_groups, len(asked.snapshot.cluster.nodes)
    stay = draw(st.sets(st.integers(0, groups - 1)))
    shut = draw(st.sets(st.integers(0, nodes - 1)))
    return replace(asked, fixed=tuple(sorted(stay)), shut=tuple(sorted(shut)))


def renumbered(asked: PlanRequest, order: Sequence[int]) -> PlanRequest:
    """Return the request with its nodes in another ``order``."""
    snapshot = asked.snapshot
    place = np.argsort(order)
    return replace(
        asked,
        snapshot=replace(
            snapshot,
            cluster=Cluster(tuple(snapshot.cluster.nodes[old] for old in order)),
            background=snapshot.background[list(order)],
            allocation=Allocation(place[snapshot.allocation.owner]),
        ),
    )
