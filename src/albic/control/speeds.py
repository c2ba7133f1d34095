"""How fast nodes are, from what key groups cost before and after they moved.

Paper, Heterogeneity: loads of different nodes are compared by multiplying them with the node's
capacity, and "the constants can be inferred at runtime, by first assuming all nodes are
homogeneous, then measuring the actual effect of state migration". So every node starts at 1.

What is compared is the cost of a row, for input changes as well. And it is compared with what
became of those that stayed in the meantime: a job that got slower everywhere says nothing about
the node that somebody moved to.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import numpy as np

from albic.arrays import Floats, Ints
from albic.control.samples import Observation, RawBatch

#: Batches before and after a move that are looked at, and the fewest that tell anything.
MOST_BATCHES, FEWEST_BATCHES = 6, 2
#: Batches after a load that do not count: caches are cold, and a new node has yet to warm up.
SETTLING = 2
#: A task has a price of its own beside its rows, so rows must not differ by more than this.
MOST_CHANGE_OF_ROWS = 1.5
#: Moves that are remembered; old ones speak of nodes as they were.
REMEMBERED = 256
#: Key groups that must have moved between two nodes before these count as different.
ENOUGH = 3
#: A node that is less than so much faster or slower is like the others.
LEAST_DIFFERENCE = 1.1
#: Standard errors that are chance yet: there are many nodes, and one of them is always the oddest.
CHANCE = 3.0
#: No node is taken for more than so much faster or slower than the usual one.
MOST_DIFFERENCE = 4.0
#: Weight of "all nodes are alike", in moved key groups.
PRIOR = 1.0


@dataclass(frozen=True, slots=True)
class Comparison:
    """One key group on two nodes: a row costs ``ratio`` times as much on ``target``."""

    key_group: int
    moved_s: float
    source: str
    target: str
    ratio: float


class Learning:
    """Remembers what moves have shown, and how fast nodes are by that."""

    def __init__(self) -> None:
        self._found: dict[tuple[int, float], Comparison] = {}
        self._known: Mapping[str, float] = {}

    def learn(self, seen: Observation) -> None:
        """Take in what the moves of ``seen`` show."""
        batches = (*seen.earlier, *seen.batches)
        for one in comparisons(batches, seen.topology.operator_of()):
            # More batches after the move may have come since it was looked at last.
            self._found.pop((one.key_group, one.moved_s), None)
            self._found[one.key_group, one.moved_s] = one
        for oldest in list(self._found)[:-REMEMBERED]:
            del self._found[oldest]
        self._known = speeds(tuple(self._found.values()))

    def applied(self, seen: Observation) -> Observation:
        """Return ``seen`` with the speeds of its nodes, as far as they are known."""
        nodes = (replace(node, speed=self._known.get(node.id, 1.0)) for node in seen.nodes)
        return replace(seen, nodes=tuple(nodes))


@dataclass(frozen=True, slots=True)
class _Run:
    """A key group in one batch."""

    started_s: float
    node_id: str
    row_s: float
    rows: int


def comparisons(batches: Iterable[RawBatch], operator_of: Ints) -> tuple[Comparison, ...]:
    """Return what each move in ``batches`` shows about its two nodes, where it shows anything."""
    runs = _runs(batches)
    stays = {group: _stays(mine) for group, mine in runs.items()}
    found = []
    for group, mine in stays.items():
        if len(mine) == 1:
            continue
        mates = [
            runs[other]
            for other, theirs in stays.items()
            if len(theirs) == 1 and operator_of[other] == operator_of[group]
        ]
        for before, after in pairwise(mine):
            settled = after[SETTLING:]
            ratio = _ratio(before[-MOST_BATCHES:], settled[-MOST_BATCHES:], mates)
            if ratio is not None:
                ends = before[-1].node_id, after[0].node_id
                found.append(Comparison(group, after[0].started_s, *ends, ratio))
    return tuple(found)


def speeds(found: Sequence[Comparison]) -> Mapping[str, float]:
    """Return how fast each node is that ``found`` tells about; 1 is the usual node.

    The median over the key groups that went between two nodes says how these two differ. The
    speeds are those that fit all such differences best (least squares of logarithms), with a
    little weight on all nodes being alike.
    """
    pairs: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in found:
        forth = one.source < one.target
        ends = (one.source, one.target) if forth else (one.target, one.source)
        # Dear rows are a slow node: the logarithm of the second node's speed over the first's.
        pairs[ends].append(-np.log(one.ratio) if forth else np.log(one.ratio))
    known = {ends: np.array(seen) for ends, seen in sorted(pairs.items()) if len(seen) >= ENOUGH}
    position = {node: at for at, node in enumerate(sorted({n for ends in known for n in ends}))}
    normal = PRIOR * np.eye(len(position))
    right = np.zeros(len(position))
    for (first, second), seen in known.items():
        edge = np.zeros(len(position))
        edge[position[first]], edge[position[second]] = -1.0, 1.0
        normal += seen.size * np.outer(edge, edge)
        right += seen.size * float(np.median(seen)) * edge
    share = np.linalg.inv(normal)
    logs = share @ right
    # A median is 1.25 times less exact than a mean would be.
    chance = CHANCE * 1.25 * _noise(list(known.values())) * np.sqrt(np.diag(share))
    logs[np.abs(logs) < np.maximum(chance, np.log(LEAST_DIFFERENCE))] = 0.0
    bound = np.log(MOST_DIFFERENCE)
    return {node: float(np.exp(np.clip(logs[at], -bound, bound))) for node, at in position.items()}


def _noise(pairs: Sequence[Floats]) -> float:
    """Return by how much key groups disagree about the same two nodes: a standard deviation.

    It is taken from the median of all disagreements, which outliers do not reach.
    """
    gaps = [abs(one - other) for seen in pairs for one, other in combinations(seen, 2)]
    # Half of all normal values differ by less than 0.954 standard deviations.
    return float(np.median(gaps)) / 0.954 if gaps else 0.0


def _runs(batches: Iterable[RawBatch]) -> dict[int, list[_Run]]:
    """Return the batches of each key group that say what a row costs, oldest first."""
    runs: defaultdict[int, list[_Run]] = defaultdict(list)
    for batch in sorted(batches, key=lambda batch: batch.started_s):
        for sample in batch.groups:
            if not sample.loaded and sample.rows > 0 and sample.busy_s > 0:
                row_s = sample.busy_s / sample.rows
                run = _Run(batch.started_s, sample.node_id, row_s, sample.rows)
                runs[sample.key_group].append(run)
    return runs


def _stays(runs: Sequence[_Run]) -> list[list[_Run]]:
    """Return the batches of a key group, those on one node together."""
    stays: list[list[_Run]] = []
    for run in runs:
        if not stays or stays[-1][0].node_id != run.node_id:
            stays.append([])
        stays[-1].append(run)
    return stays


def _ratio(
    before: Sequence[_Run], after: Sequence[_Run], mates: Iterable[Sequence[_Run]]
) -> float | None:
    """Return how the price of a row changed beyond what it did for those that stayed."""
    change = _change(before, after)
    if change is None:
        return None
    spans = [(runs[0].started_s, runs[-1].started_s) for runs in (before, after)]
    others = []
    for runs in mates:
        earlier, later = (
            [run for run in runs if first_s <= run.started_s <= last_s] for first_s, last_s in spans
        )
        others.append(_change(earlier, later))
    usual = [other for other in others if other is not None]
    return change / float(np.median(usual)) if usual else change


def _change(before: Sequence[_Run], after: Sequence[_Run]) -> float | None:
    """Return what a row costs after, as a share of before; None where nobody can tell."""
    if min(len(before), len(after)) < FEWEST_BATCHES:
        return None
    rows = np.median([run.rows for run in after]) / np.median([run.rows for run in before])
    if not 1 / MOST_CHANGE_OF_ROWS <= rows <= MOST_CHANGE_OF_ROWS:
        return None
    costs = (float(np.median([run.row_s for run in runs])) for runs in (after, before))
    return next(costs) / next(costs)
