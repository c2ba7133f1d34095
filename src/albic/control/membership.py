"""Which nodes are on their way out, and what was decided about their number so far.

A node that is draining is an ordinary node to the job. Only the loop knows that it shall go, marks
it in every snapshot, and lets it go once it owns nothing. One that a person set aside is emptied
the same way, and stays.
"""

from collections import deque
from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from albic.model import (
    NodeState,
    PastRound,
    Plan,
    PlanRequest,
    ScalingDecision,
    ScalingRequest,
    Snapshot,
    Throughput,
    metrics,
)

#: Rounds that policies can look back on; at 20 s a round, an hour and a half.
REMEMBERED = 256


class Membership:
    """Keeps what the loop must remember between rounds about nodes that come and go."""

    def __init__(self) -> None:
        self._draining: set[str] = set()
        self._released: set[str] = set()
        self._aside: set[str] = set()
        self._full = False
        self._there: frozenset[str] = frozenset()
        self._past: deque[PastRound] = deque(maxlen=REMEMBERED)

    @property
    def leaving(self) -> bool:
        """Return whether any node is on its way out, or being emptied."""
        return self._full or bool((self._draining | self._released) & self._there)

    @property
    def aside(self) -> tuple[str, ...]:
        """Return the nodes that are kept empty until somebody takes them back."""
        return tuple(sorted(self._aside))

    def staying(self, shut: Collection[str]) -> frozenset[str]:
        """Return the nodes that may be empty and stay: set aside, or ``shut`` and not to go."""
        return frozenset(self._aside | (set(shut) - self._draining))

    def set_aside(self, node_id: str) -> None:
        """Empty a node and keep it so."""
        self._aside.add(node_id)
        self._draining.discard(node_id)

    def take_back(self, node_id: str) -> None:
        """Let a node that was set aside have key groups again."""
        self._aside.discard(node_id)

    def marked(self, snapshot: Snapshot, shut: Collection[str] = ()) -> Snapshot:
        """Return the snapshot with the nodes that shall be empty marked; the last one never is.

        Nodes that are ``shut`` and own nothing are among them: nobody is to reckon with them.
        """
        self._there = frozenset(node.id for node in snapshot.cluster.nodes)
        self._draining &= self._there
        self._aside &= self._there
        owners = {snapshot.cluster.nodes[at].id for at in np.unique(snapshot.allocation.owner)}
        self._full = bool(self._aside & owners)
        going = self._draining | self._released | self._aside | (set(shut) - owners)
        nodes = tuple(
            replace(node, state=NodeState.DRAINING) if node.id in going else node
            for node in snapshot.cluster.nodes
        )
        if all(node.state is NodeState.DRAINING for node in nodes):
            # Others were lost: whoever is left has to do the work.
            self._draining.clear()
            nodes = snapshot.cluster.nodes
        if nodes == snapshot.cluster.nodes:
            return snapshot
        return replace(snapshot, cluster=replace(snapshot.cluster, nodes=nodes))

    def unexpected(self, lost: Iterable[str]) -> tuple[str, ...]:
        """Return the lost nodes that we had not let go ourselves."""
        return tuple(node for node in lost if node not in self._released)

    def released(self, node_ids: Iterable[str]) -> None:
        """Remember who was let go; they may be seen for a while yet."""
        self._released.update(node_ids)
        self._draining.difference_update(node_ids)

    def take_on(self, decision: ScalingDecision) -> None:
        """Mark those that shall go, and no longer those that shall stay after all."""
        self._draining.update(decision.drain)
        self._draining.difference_update(decision.keep)

    def request(
        self,
        at_s: float,
        planned: tuple[PlanRequest, Plan],
        throughput: Throughput,
        coming: int,
    ) -> ScalingRequest:
        """Return what the scaling policy is asked."""
        asked, plan = planned
        going = tuple(sorted(self._draining))
        return ScalingRequest(at_s, asked, plan, throughput, coming, going, tuple(self._past))

    def remember(self, request: ScalingRequest, decision: ScalingDecision) -> None:
        """Keep what was seen and decided for later rounds."""
        snapshot = request.snapshot
        stays = ~snapshot.cluster.draining()
        self._past.append(
            PastRound(
                at_s=request.at_s,
                nodes=int(np.count_nonzero(stays)),
                peak_pct=float(metrics.node_loads(snapshot, snapshot.allocation)[stays].max()),
                load_pct=float(metrics.group_loads(snapshot).sum()),
                decision=decision,
            )
        )
