"""Steps 2 and 3 of ALBIC: which key groups stay together, and which are brought together."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from albic.arrays import Floats, Ints
from albic.model import Bundles, PlanRequest, Resource, metrics
from albic.model.validation import ROUNDING
from albic.optimize.partition import partition
from albic.planners.affinity import Pairs
from albic.planners.problem import held


@dataclass(frozen=True, slots=True)
class Joined:
    """A pair that is brought together, and the node where."""

    upstream: int
    downstream: int
    node: int


def collocated_sets(pairs: Pairs, owner: Ints) -> list[Ints]:
    """Return the key groups that collocated pairs connect, a set each; paper: calcSets(colGrps)."""
    near = pairs.where(owner[pairs.upstream] == owner[pairs.downstream])
    label = _connected(owner.size, near.upstream, near.downstream)
    size = np.bincount(label, minlength=owner.size)
    several: Ints = np.flatnonzero(size[label] > 1)
    by_set = several[np.argsort(label[several], kind="stable")]
    ends = np.cumsum(size[size > 1])
    return np.split(by_set, ends[:-1]) if ends.size else []


def _connected(count: int, one: Ints, other: Ints) -> Ints:
    """Return for each of ``count`` things the lowest one that links connect it with.

    scipy's own loads so much that the first plan of a process would be late.
    """
    label = np.arange(count)
    while (label[one] != label[other]).any():
        lower = np.minimum(label[one], label[other])
        np.minimum.at(label, one, lower)
        np.minimum.at(label, other, lower)
        label = label[label]
    return label


def split(sets: Iterable[Ints], request: PlanRequest, max_part_load_pct: float) -> list[Ints]:
    """Return ``sets`` in parts that the budget can move and that weigh no more than allowed.

    Parts are cut again while one of them is still too dear or too heavy, down to single key
    groups. Paper: p_1, p_2 and graphPart(S, max(p_1, p_2)).
    """
    load, charge = metrics.group_loads(request.snapshot), request.charge()
    # Where nothing can move at all, no part is too dear to be kept whole.
    affordable = request.budget.limit or np.inf
    pending, done = list(sets), []
    while pending:
        part = pending.pop()
        dear = float(charge[part].sum()) / affordable
        heavy = float(load[part].sum()) / max_part_load_pct
        pieces = int(np.ceil(min(max(dear, heavy) - ROUNDING, part.size)))
        if pieces <= 1:
            done.append(part)
            continue
        weight, most = (charge, affordable) if dear > heavy else (load, max_part_load_pct)
        traffic = request.snapshot.traffic[part][:, part]
        label = partition(traffic, weight[part], pieces, request.seed, most)
        pending += [part[label == piece] for piece in range(pieces)]
    return sorted(done, key=lambda part: int(part[0]))


class Gathering:
    """The units of one plan while pairs are brought together, one after the other."""

    def __init__(self, request: PlanRequest, parts: Iterable[Ints]) -> None:
        snapshot, present = request.snapshot, request.snapshot.allocation
        self._owner: Ints = present.owner.copy()
        self._charge, self._left = request.charge(), request.budget.limit
        self._draining = snapshot.cluster.draining()
        self._may_move, self._may_receive = ~held(request), request.may_receive()
        self._waiting = int(self._draining[self._owner].sum())
        self._capacity, self._group_usage = snapshot.cluster.capacities(), snapshot.usage
        self._bottleneck = metrics.bottleneck(snapshot)
        self._load = metrics.node_loads(snapshot, present).copy()
        self._usage = np.stack([metrics.node_usage(snapshot, present, kind) for kind in Resource])
        self._ceiling = np.maximum(self._usage, request.limits_pct[:, None])
        self._ceiling[metrics.balanced(request)] = np.inf
        self._part_of: dict[int, Ints] = {}
        self._pinned: dict[int, int] = {}
        for part in parts:
            self._part_of.update(dict.fromkeys(part.tolist(), part))

    def bring_together(self, upstream: int, downstream: int) -> Joined | None:
        """Pin both, with all that stays with them, onto one of their nodes; None if that fails."""
        node = self._meeting_node(upstream, downstream)
        if node is None:
            return None
        members = np.union1d(self._unit(upstream), self._unit(downstream))
        movers = members[self._owner[members] != node]
        if not self._allows(movers, node):
            return None
        self._move(movers, node)
        self._part_of.update(dict.fromkeys(members.tolist(), members))
        self._pinned.update(dict.fromkeys(members.tolist(), node))
        return Joined(upstream, downstream, node)

    def bundles(self) -> Bundles:
        """Return the units and the pins."""
        units = {int(part[0]): part for part in self._part_of.values()}
        return Bundles.of(
            self._owner.size,
            (part.tolist() for part in units.values()),
            [(group, self._pinned[group]) for group in units if group in self._pinned],
        )

    def _unit(self, group: int) -> Ints:
        """Return all that moves with ``group``."""
        return self._part_of.get(group, np.array([group]))

    def _meeting_node(self, upstream: int, downstream: int) -> int | None:
        """Return where the pair should meet: the three cases of step 3, and what they leave open.

        One that is pinned by now cannot move any more, and not every node may receive something.
        """
        first, second = int(self._owner[upstream]), int(self._owner[downstream])
        fixed = (self._stays(upstream), self._stays(downstream))
        receives = self._may_receive[[first, second]]
        if first == second or all(fixed) or not receives.any():
            return None
        if any(fixed):
            return first if fixed[0] else second
        if not receives.all():
            return first if receives[0] else second
        kept = (upstream in self._part_of, downstream in self._part_of)
        if kept[0] != kept[1]:
            return first if kept[0] else second
        return first if self._load[first] <= self._load[second] else second

    def _stays(self, group: int) -> bool:
        """Return whether ``group`` cannot move any more, or not at all."""
        return group in self._pinned or not self._may_move[self._unit(group)].all()

    def _allows(self, movers: Ints, node: int) -> bool:
        """Return whether budget, draining and limits leave room for ``movers`` on ``node``."""
        if self._charge[movers].sum() > self._left or not self._may_receive[node]:
            return False
        # Draining comes first: until it is done, only a pair that helps it may use the budget.
        if self._waiting and not self._draining[self._owner[movers[0]]]:
            return False
        usage = self._usage[:, node] + self._share(movers, node)
        return bool((usage <= self._ceiling[:, node] + ROUNDING / 2).all())

    def _move(self, movers: Ints, node: int) -> None:
        source = int(self._owner[movers[0]])
        for place, sign in ((source, -1), (node, 1)):
            share = sign * self._share(movers, place)
            self._usage[:, place] += share
            self._load[place] += share[self._bottleneck]
        self._waiting -= movers.size if self._draining[source] else 0
        self._left -= float(self._charge[movers].sum())
        self._owner[movers] = node

    def _share(self, movers: Ints, node: int) -> Floats:
        """Return what ``movers`` use, or would use, of each resource of ``node``."""
        share: Floats = self._group_usage[:, movers].sum(axis=1) / self._capacity[node]
        return share
