"""Find communities of a weighted graph by Leiden: modularity with a resolution, from any starting partition.

Local moves are scikit-network's compiled kernel. Its own `Leiden` is not used: it refines with the C library's
global `rand`, so that a second call gives another partition, it takes no starting partition, and it cannot be
cancelled. Here refinement is greedy, so everything follows from the order of the nodes.

graspologic-native 1.3.1 was tried on 20,000 titles: as good (NMI 0.722, here 0.723; 98.1 % to 98.5 % keep their group,
here 97.8 % to 98.5 %), but clustering took 2.7 times as long, an earlier partition goes in only with edges named by
strings (10.7 s, here 1.3 s), and the call cannot be cancelled (6 s of CPU for 100,000 nodes).

Traag, Waltman, van Eck (2019): From Louvain to Leiden, https://arxiv.org/abs/1810.08473.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from explorer.task import Task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Labels = NDArray[np.int32]

ROUNDS = 2  # whole searches, each from the result of the one before
PASSES = 3  # over the nodes of one level; the next round goes on where they stop
TOLERANCE = 1e-5  # gain of modularity below which a pass was the last
ENOUGH = 1e-3  # gain below which a round was the last
CHUNK = 200_000  # edges between two checks; the kernel holds Python's lock meanwhile


@dataclass(frozen=True)
class _Level:
    """A graph of V nodes: edges that sum to 1, the nodes' share of them, and what lies inside each node."""

    edges: csr_matrix
    mass: NDArray[np.float32]
    loops: NDArray[np.float32]


def leiden(weights: csr_matrix, resolution: float, *, start: Labels | None = None, task: Task | None = None) -> Labels:
    """Find communities whose nodes are tied to each other more than `resolution` times what chance would give.

    Args:
        weights: (N, N) symmetric, no negative ones.
        resolution: Larger gives more and smaller communities; 1 is plain modularity.
        start: (N,) where to start from; every node alone if absent.
        task: Cancellation.

    Returns:
        (N,) labels from 0 on, each community connected; a node without edges is alone.
    """
    task, count = task or Task(), weights.shape[0]
    labels = np.arange(count, dtype=np.int32) if start is None else compact(start)
    if weights.nnz == 0:
        return np.arange(count, dtype=np.int32)
    level_0 = _first_level(weights)
    for _ in range(ROUNDS):
        labels, gain = _search(level_0, labels, resolution, task)
        if gain <= ENOUGH:
            break
    return split_disconnected(weights, labels)


def modularity(weights: csr_matrix, labels: Labels, resolution: float = 1.0) -> float:
    """Return how much more weight is inside communities than by chance: 0 for one community of all."""
    total = float(weights.sum(dtype=np.float64))
    if total <= 0:
        return 0.0
    first, second = _ends(weights)
    inside = float(weights.data[labels[first] == labels[second]].sum(dtype=np.float64)) / total
    degrees = np.asarray(weights.sum(axis=1, dtype=np.float64)).ravel() / total
    shares = np.bincount(labels, weights=degrees)
    return inside - resolution * float((shares**2).sum())


def compact(labels: NDArray[np.integer]) -> Labels:
    """Relabel a partition 0, 1, ... in the order of the first member of each community."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return np.asarray(rank[inverse.ravel()])


def split_disconnected(weights: csr_matrix, labels: Labels) -> Labels:
    """Cut each community into its connected parts."""
    from scipy.sparse.csgraph import connected_components

    # Of a symmetric graph the strong parts are the connected ones, and are found without a transposed copy.
    _, parts = connected_components(inner_edges(weights, labels), directed=True, connection="strong")
    return compact(parts)


def _search(level_0: _Level, labels: Labels, resolution: float, task: Task) -> tuple[Labels, float]:
    """Return one search: move nodes, refine, make each part a node of the next level, until nothing joins any more.

    Returns:
        (N,) labels, and what was gained.
    """
    level, node, total = (level_0, np.arange(len(labels), dtype=np.int32), 0.0)  # place: (N,) nodes of the level
    while True:
        labels, gain = _move_nodes(level, labels, resolution, PASSES, task)
        labels, total = compact(labels), total + gain
        parts = compact(_refine(level, labels, resolution, task))
        if parts.max() + 1 == len(parts):
            return labels[node], total
        node = parts[node]
        owners = np.empty(parts.max() + 1, np.int32)
        owners[parts] = labels
        level, labels = _aggregate(level, parts), owners


def _refine(level: _Level, labels: Labels, resolution: float, task: Task) -> Labels:
    """Divide communities: join single nodes again in one pass, along edges inside communities only."""
    inside = _Level(inner_edges(level.edges, labels), level.mass, level.loops)
    return _move_nodes(inside, np.arange(len(labels), dtype=np.int32), resolution, 1, task)[0]


def _move_nodes(level: _Level, labels: Labels, resolution: float, passes: int, task: Task) -> tuple[Labels, float]:
    """Move one node after the other to the community where modularity gains most.

    Returns:
        (V,) labels below V, and what was gained.
    """
    from sknetwork.clustering.louvain_core import optimize_core

    labels, edges, total = labels.copy(), level.edges, 0.0
    held = np.bincount(labels, weights=level.mass, minlength=len(labels)).astype(np.float32)
    held_twin, scratch = held.copy(), np.zeros_like(held)  # the kernel keeps masses for both directions
    bounds = np.unique(np.append(np.searchsorted(edges.indptr, np.arange(0, edges.nnz, CHUNK)), len(labels)))
    for _ in range(passes):
        gain = 0.0
        for first, last in pairwise(bounds):
            task.check()
            # Only rows from `first` to `last` keep edges; an infinite tolerance makes this one pass.
            lines = np.clip(edges.indptr, edges.indptr[first], edges.indptr[last])
            gain += optimize_core(
                labels,
                edges.indices,
                lines,
                edges.data,
                level.mass,
                level.mass,
                held,
                held_twin,
                scratch,
                level.loops,
                resolution,
                np.inf,
            )[1]
        total += gain
        if gain <= TOLERANCE:
            break
    return labels, total


def _first_level(weights: csr_matrix) -> _Level:
    edges = weights.astype(np.float32)
    edges.data /= np.float32(edges.data.sum(dtype=np.float64))
    return _level(edges)


def _level(edges: csr_matrix) -> _Level:
    from scipy.sparse import csr_matrix

    edges = csr_matrix(
        (edges.data.astype(np.float32), edges.indices.astype(np.int32), edges.indptr.astype(np.int32)),
        shape=edges.shape,
    )
    mass = np.asarray(edges.sum(axis=1, dtype=np.float64)).ravel().astype(np.float32)
    return _Level(edges, mass, edges.diagonal())


def _aggregate(level: _Level, parts: Labels) -> _Level:
    """Build the level whose nodes are the parts (V,)."""
    from scipy.sparse import csr_matrix

    size = len(parts)
    shape = (size, int(parts.max()) + 1)
    belongs = csr_matrix((np.ones(size, np.float32), parts, np.arange(size + 1, dtype=np.int32)), shape=shape)
    return _level((belongs.T.tocsr() @ level.edges) @ belongs)


def inner_edges(edges: csr_matrix, labels: Labels) -> csr_matrix:
    """Keep the edges whose two ends have the same label."""
    from scipy.sparse import csr_matrix

    first, second = _ends(edges)
    keep = labels[first] == labels[second]
    lines = np.concatenate([[0], np.cumsum(keep)])[edges.indptr].astype(np.int32)
    return csr_matrix((edges.data[keep], second[keep], lines), shape=edges.shape)


def _ends(edges: csr_matrix) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return np.repeat(np.arange(edges.shape[0], dtype=np.int32), np.diff(edges.indptr)), edges.indices
