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


def partition(graph: Sparse, weight: Floats, parts: int, seed: int) -> Ints:
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
        eweights=_native(np.maximum(_units(edges.data), 1)),
        recursive=True,
        options=pymetis.Options(seed=seed % 2**31, ncuts=ATTEMPTS, ufactor=IMBALANCE_PERMILLE),
    )
    label = np.array(answer.vertex_part, dtype=np.int64)
    return _without_empty_parts(label, weight, parts)


def _undirected(graph: Sparse) -> Sparse:
    """Return the graph with the mean of both directions on each edge, and no loops."""
    both = sp.coo_array(0.5 * graph + 0.5 * graph.T)
    real = (both.row != both.col) & (both.data > 0)
    return sp.coo_array(
        (both.data[real], (both.row[real], both.col[real])), shape=graph.shape
    ).tocsr()


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
