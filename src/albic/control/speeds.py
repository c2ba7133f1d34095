"""How fast nodes are, from what key groups cost before and after they moved.

Paper, Heterogeneity: loads of different nodes are compared by multiplying them with the node's
capacity, and "the constants can be inferred at runtime, by first assuming all nodes are
homogeneous, then measuring the actual effect of state migration". So every node starts at 1.

What is compared is the cost of a row, for input changes as well. And it is compared with what
became of those that stayed in the meantime: a job that got slower everywhere says nothing about
the node that somebody moved to.

A node that is much slower than the rest makes rounds follow each other so fast that no move is old
enough to tell. There, young moves count as well, but only those away from a node whose key groups
became much cheaper elsewhere: a cold cache makes rows dearer, never cheaper.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from albic.arrays import Floats, Ints
from albic.control.samples import Observation, RawBatch

#: Batches before and after a move that are looked at, and the fewest that tell anything.
MOST_BATCHES, FEWEST_BATCHES = 6, 2
#: Batches after a load that do not count: caches are cold, and a new node has yet to warm up.
SETTLING = 2
#: Rows that got so much cheaper by a move tell of the node they left, however young the move is.
MUCH_CHEAPER = 1 / 1.3
#: A task has a price of its own beside its rows, so rows must not differ by more than this.
MOST_CHANGE_OF_ROWS = 1.5
#: Moves that are remembered; old ones speak of nodes as they were.
REMEMBERED = 256
#: Moves that must speak of a node before it counts as different.
ENOUGH = 3
#: A node that is less than so much faster or slower is like the others.
LEAST_DIFFERENCE = 1.1
#: Standard errors that are chance yet: there are many nodes, and one of them is always the oddest.
CHANCE = 3.0
#: No node is taken for more than so much faster or slower than the usual one.
MOST_DIFFERENCE = 4.0
#: Weight of "all nodes are alike", in moved key groups.
PRIOR = 0.5
#: Standard deviations, and the smallest logarithm, beyond which a move is believed less.
DOUBT, LEAST_DOUBT = 1.5, 0.02
#: How often a fit is repeated; it hardly changes after a few times.
FITS = 12


@dataclass(frozen=True, slots=True)
class Comparison:
    """One key group on two nodes: a row costs ``ratio`` times as much on ``target``.

    A ``young`` one has few batches on a side, or only such as came right after the load.
    """

    key_group: int
    moved_s: float
    source: str
    target: str
    ratio: float
    young: bool = False


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
        self._known = speeds(believable(tuple(self._found.values())))

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
            young = min(len(before), len(settled)) < FEWEST_BATCHES
            later = after if young else settled
            ratio = _ratio(before[-MOST_BATCHES:], later[-MOST_BATCHES:], mates)
            if ratio is not None:
                ends = before[-1].node_id, after[0].node_id
                found.append(Comparison(group, after[0].started_s, *ends, ratio, young))
    return tuple(found)


def believable(found: Sequence[Comparison]) -> list[Comparison]:
    """Return the moves that tell of nodes: the old ones, and young ones away from a slow node.

    Young ones are taken or left together, node by node: to pick the cheapest of them would take
    chance for a slow node.
    """
    young: defaultdict[str, list[float]] = defaultdict(list)
    for one in found:
        if one.young:
            young[one.source].append(one.ratio)
    left = {
        node
        for node, ratios in young.items()
        if len(ratios) >= ENOUGH and np.median(ratios) < MUCH_CHEAPER
    }
    return [one for one in found if not one.young or one.source in left]


def speeds(found: Sequence[Comparison]) -> Mapping[str, float]:
    """Return how fast each node is that ``found`` tells about; 1 is the usual node.

    The speeds are those that fit all moves best (least squares of logarithms), with a little
    weight on all nodes being alike, and little weight for a move that all others contradict. Nodes
    that few moves speak of count as usual, so that many of them together tell of the one that all
    those moves left.
    """
    ends = Counter(node for one in found for node in (one.source, one.target))
    nodes = sorted(node for node, moves in ends.items() if moves >= ENOUGH)
    position = {node: at for at, node in enumerate(nodes)}
    telling = [one for one in found if one.source in position or one.target in position]
    edges = np.zeros((len(telling), len(nodes)))
    for row, one in enumerate(telling):
        for node, sign in ((one.source, -1.0), (one.target, 1.0)):
            if node in position:
                edges[row, position[node]] = sign
    # Dear rows are a slow node: the logarithm of the target's speed over the source's.
    seen = -np.log([one.ratio for one in telling])
    weight, noise = _believed(edges, seen)
    normal = PRIOR * np.eye(len(nodes)) + edges.T @ (weight[:, None] * edges)
    share = np.linalg.inv(normal)
    logs = share @ edges.T @ (weight * seen)
    chance = CHANCE * noise * np.sqrt(np.diag(share))
    logs[np.abs(logs) < np.maximum(chance, np.log(LEAST_DIFFERENCE))] = 0.0
    bound = np.log(MOST_DIFFERENCE)
    return {node: float(np.exp(np.clip(logs[at], -bound, bound))) for node, at in position.items()}


def _believed(edges: Floats, seen: Floats) -> tuple[Floats, float]:
    """Return how far each move is believed, and by how much moves disagree with the rest.

    Fitted again and again, each time with less weight on what is far from the fit (Huber). The
    disagreement is a standard deviation, taken from the median, which outliers do not reach.
    """
    weight, noise = np.ones(seen.size), 0.0
    # A whisper of weight on all nodes being alike, for moves tell of differences alone.
    faint = 1e-6 * np.eye(edges.shape[1])
    for _ in range(FITS if seen.size else 0):
        normal = faint + edges.T @ (weight[:, None] * edges)
        gaps = np.abs(seen - edges @ np.linalg.solve(normal, edges.T @ (weight * seen)))
        # Two thirds of normal values are within a standard deviation, half within 0.6745 of it.
        noise = float(np.median(gaps)) / 0.6745
        limit = max(DOUBT * noise, LEAST_DOUBT)
        weight = np.minimum(1.0, limit / np.maximum(gaps, limit))
    return weight, noise


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
    if not before or not after:
        return None
    rows = np.median([run.rows for run in after]) / np.median([run.rows for run in before])
    if not 1 / MOST_CHANGE_OF_ROWS <= rows <= MOST_CHANGE_OF_ROWS:
        return None
    costs = (float(np.median([run.row_s for run in runs])) for runs in (after, before))
    return next(costs) / next(costs)
