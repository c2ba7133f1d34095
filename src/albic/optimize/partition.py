"""Balanced partitioning of a weighted graph with METIS; the only file that imports pymetis."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pymetis
import scipy.sparse as sp

from albic.arrays import Floats, Ints, Sparse

#: METIS counts in integers. All weights together become this many units, so that even a build with
#: 32-bit integers can add them up twice, and a share of one in a million is still seen.
UNITS = 2**28

#: METIS cuts this often and keeps the best; on small graphs one attempt is often a poor one.
ATTEMPTS = 4

#: Parts may be this many thousandths over the even share; what METIS itself allows k-way.
IMBALANCE_PERMILLE = 30

#: Up to this many vertices, parts that are too heavy are mended; beyond, METIS is even by itself.
SMALL = 1000


def partition(graph: Sparse, weight: Floats, parts: int, seed: int, most: float = np.inf) -> Ints:
    """Return the part of each vertex: parts of even weight, little edge weight between them.

    Parameters
    ----------
    graph
        Edge weights, n x n; both directions of an edge add up, loops do not count.
    weight
        Vertex weights; where all are 0, vertices count alike.
    parts
        How many parts; all of 0 to ``parts`` - 1 get a vertex while there are enough vertices.
    seed
        METIS draws with it; the same seed gives the same parts.
    most
        The weight that no part should exceed. METIS alone takes an imbalance of a few mean
        vertices for none at all, and of four vertices that is any imbalance.
    """
    vertices = weight.size
    if parts < 1:
        raise ValueError(f"cannot cut a graph into {parts} parts")
    if parts >= vertices:
        return np.arange(vertices, dtype=np.int64)
    if parts == 1:
        return np.zeros(vertices, dtype=np.int64)
    edges = _undirected(graph)
    # Recursive bisection: METIS's direct k-way leaves most parts empty on graphs this small.
    answer = pymetis.part_graph(
        parts,
        pymetis.CSRAdjacency(_native(edges.indptr), _native(edges.indices)),
        vweights=_native(_units(weight)),
        eweights=_native(edges.data.astype(np.int64)),
        recursive=True,
        options=pymetis.Options(seed=seed % 2**31, ncuts=ATTEMPTS, ufactor=IMBALANCE_PERMILLE),
    )
    label = np.array(answer.vertex_part, dtype=np.int64)
    # Relative to the heaviest, or the sums of very large numbers would be infinite.
    heaviest = float(weight.max()) or 1.0
    label = _without_empty_parts(label, weight / heaviest, parts)
    if vertices > SMALL:
        return label
    return _mended(edges, weight / heaviest, label, most / heaviest)


def _undirected(graph: Sparse) -> Sparse:
    """Return the graph in whole units, both directions of an edge as one, and without loops."""
    both = sp.coo_array(0.5 * graph + 0.5 * graph.T)
    real = (both.row != both.col) & (both.data > 0)
    units = np.maximum(_units(both.data[real]), 1).astype(np.float64)
    return sp.coo_array((units, (both.row[real], both.col[real])), shape=graph.shape).tocsr()


def _units(weight: Floats) -> Ints:
    """Return ``weight`` in whole units, ``UNITS`` in all; ones where there is no weight at all."""
    heaviest = weight.max(initial=0.0)
    if heaviest == 0:
        return np.ones(weight.size, dtype=np.int64)
    # Relative to the heaviest first: the sum of very large numbers would be infinite.
    share = weight / heaviest
    units: Ints = np.rint(share * (UNITS / share.sum())).astype(np.int64)
    return units


def _native(values: npt.NDArray[np.signedinteger[Any]]) -> npt.NDArray[np.integer[Any]]:
    """Return ``values`` in the integers that this build of METIS reads."""
    return np.ascontiguousarray(values, dtype=pymetis.zero_copy_dtype())


def _without_empty_parts(label: Ints, weight: Floats, parts: int) -> Ints:
    """Give each empty part the heaviest vertex of the heaviest part that has two or more."""
    filled = label.copy()
    for empty in np.flatnonzero(np.bincount(label, minlength=parts) == 0):
        size = np.bincount(filled, minlength=parts)
        load = np.bincount(filled, weights=weight, minlength=parts)
        donor = int(np.argmax(np.where(size > 1, load, -1.0)))
        members = np.flatnonzero(filled == donor)
        filled[members[np.argmax(weight[members])]] = empty
    return filled


def _mended(edges: Sparse, weight: Floats, label: Ints, most: float) -> Ints:
    """Exchange vertices until the heaviest part is light enough, or nothing makes it lighter."""
    mended = label.copy()
    while True:
        load: Floats = np.bincount(mended, weights=weight).astype(np.float64)
        heaviest = int(load.argmax())
        if load[heaviest] <= most:
            return mended
        exchange = _best_exchange(edges, weight, mended, load, most)
        if exchange is None:
            return mended
        giver, taker, part = exchange
        if taker >= 0:
            mended[taker] = heaviest
        mended[giver] = part


def _best_exchange(
    edges: Sparse, weight: Floats, label: Ints, load: Floats, most: float
) -> tuple[int, int, int] | None:
    """Return what the heaviest part gives, takes (-1: nothing) and with which part.

    The one that brings both parts nearest to ``most``, and of those the one that cuts least.
    """
    heaviest = int(load.argmax())
    inside, outside = np.flatnonzero(label == heaviest), np.flatnonzero(label != heaviest)
    others = np.flatnonzero(np.arange(load.size) != heaviest)
    giver = np.repeat(inside, others.size + outside.size)
    taker = np.tile(np.concatenate((np.full(others.size, -1), outside)), inside.size)
    part = np.tile(np.concatenate((others, label[outside])), inside.size)
    taken = taker >= 0
    shift = weight[giver] - np.where(taken, weight[taker], 0.0)
    top = np.maximum(load[heaviest] - shift, load[part] + shift)
    # Rounding must not pass for progress, or two exchanges undo each other for ever.
    useful = np.flatnonzero(top < load[heaviest] * (1 - 1e-9))
    if not useful.size:
        return None
    link: Floats = edges.toarray()
    pull = link @ np.eye(load.size)[label]
    cut = pull[giver, heaviest] - pull[giver, part]
    cut += np.where(taken, pull[taker, part] - pull[taker, heaviest] + 2 * link[giver, taker], 0.0)
    best = useful[np.lexsort((cut[useful], np.maximum(top[useful], most)))[0]]
    return int(giver[best]), int(taker[best]), int(part[best])
