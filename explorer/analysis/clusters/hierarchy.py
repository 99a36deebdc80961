"""Nest clusters: a few levels from coarse to fine, each cluster inside exactly one coarser one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.clusters.cluster import SMALLEST, Clustering, dissolve_small
from explorer.analysis.clusters.dedup_graph import ClusterGraph, Labels, Vectors, build_cluster_graph
from explorer.analysis.clusters.leiden import compact, inner_edges, leiden
from explorer.analysis.clusters.methods import resolution
from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.task import Task

COARSER, FINER = 1 / 4, 4.0  # of the resolution, from level to level
LEAST = 2 * SMALLEST  # members a cluster needs to be divided


@dataclass(frozen=True)
class Tree:
    """Nested levels of clusters.

    Attributes:
        levels: From coarse to fine, each (N,) int32 labels; -1 for leftovers, at every level the same.
        parents: For each level (C,) the label, one level up, that holds each of its clusters; -1 at the top.
        shown: Which level is the clustering that the tree was made for; its labels are that clustering's ids, so
            that some labels may be unused, with parent -1.
    """

    levels: tuple[Labels, ...]
    parents: tuple[Labels, ...]
    shown: int

    def children(self, level: int, label: int) -> NDArray[np.int64]:
        """Return the labels, one level down, that a cluster holds; none at the finest level."""
        if level + 1 >= len(self.levels):
            return np.zeros(0, np.int64)
        inside = self.levels[level + 1][self.levels[level] == label]
        return np.unique(inside).astype(np.int64)


def hierarchy(
    graph: KnnGraph,
    vectors: Vectors,
    keys: Sequence[bytes],
    clustering: Clustering,
    *,
    coarser: int = 2,
    finer: int = 2,
    task: Task | None = None,
) -> Tree:
    """Join clusters into coarser ones and divide them into finer ones.

    Args:
        graph: The neighbours of N rows.
        vectors: (N, n).
        keys: A digest of the text of each row.
        clustering: What is shown; edited or not.
        coarser: Levels above it, at most.
        finer: Levels below it, at most.
        task: Progress and cancellation.

    Returns:
        The levels that differ from each other; one level where there is nothing to join or divide.
    """
    task = task or Task()
    base = build_cluster_graph(graph, vectors, keys, task)
    scale = resolution(clustering.recipe.granularity, len(base))
    middle = clustering.labels
    above, below = [middle], [middle]
    for step in range(coarser):
        task.report(step, coarser + finer, "levels of clusters")
        above.append(_coarsen(base, above[-1], scale * COARSER ** (step + 1), task))
    for step in range(finer):
        task.report(coarser + step, coarser + finer, "levels of clusters")
        below.append(_subdivide(base, below[-1], scale * FINER ** (step + 1), task))
    top = [level for under, level in pairwise(above) if 1 < _count(level) < _count(under)]
    low = [level for over, level in pairwise(below) if _count(level) > _count(over)]
    levels = (*reversed(top), middle, *low)
    parents = tuple(_parents(over, level) for over, level in zip((None, *levels), levels, strict=False))
    return Tree(levels, parents, len(top))


def _coarsen(base: ClusterGraph, labels: Labels, scale: float, task: Task) -> Labels:
    """Join clusters by Leiden on the graph whose nodes are the clusters."""
    from scipy.sparse import csr_matrix

    inner = base.gather(labels)
    held = np.flatnonzero(inner >= 0)
    if not len(held):
        return labels
    ids, nodes = np.unique(inner[held], return_inverse=True)
    belongs = csr_matrix((np.ones(len(held), np.float32), nodes, np.arange(len(held) + 1)), shape=(len(held), len(ids)))
    between = (belongs.T @ base.weights[held][:, held] @ belongs).tocsr()
    groups = leiden(between, scale, task=task)
    to = np.full(int(labels.max()) + 2, -1, np.int32)  # the last stays -1, for leftovers
    to[ids] = groups
    return to[labels]


def _subdivide(base: ClusterGraph, labels: Labels, scale: float, task: Task) -> Labels:
    """Divide clusters by Leiden along the edges inside them; parts that are too small join others."""
    inner = base.gather(labels)
    held = np.flatnonzero(inner >= 0)
    if not len(held):
        return labels
    part = base.subset(held)
    owners = inner[held]
    within = ClusterGraph(part.rows, part.nodes, inner_edges(part.weights, owners))
    fine = leiden(within.weights, scale, task=task)
    small = np.bincount(owners, minlength=1)[owners] < LEAST
    fine = compact(_pair_keys(owners, np.where(small, 0, fine + 1)))
    fine = dissolve_small(within, fine, SMALLEST)
    fine = compact(_homes(owners, fine))
    spread = np.full(len(base) + 1, -1, np.int32)
    spread[held] = fine
    return spread[np.where(labels < 0, -1, base.nodes)]


def _homes(owners: Labels, parts: Labels) -> NDArray[np.int64]:
    """Return the parts, with unconnected nodes (-1) in the largest part of their cluster, (V,)."""
    sizes = np.bincount(parts + 1)
    sizes[0] = 0
    order = np.lexsort((sizes[parts + 1], owners))  # the largest part of each cluster comes last
    last = order[np.append(np.flatnonzero(np.diff(owners[order])), len(order) - 1)]
    largest = np.full(int(owners.max()) + 1, -1, np.int64)
    largest[owners[last]] = parts[last]
    return _pair_keys(owners, np.where(parts < 0, largest[owners], parts) + 1)


def _pair_keys(owners: Labels, parts: NDArray[np.integer]) -> NDArray[np.int64]:
    return owners.astype(np.int64) * (int(parts.max(initial=0)) + 1) + parts


def _count(labels: Labels) -> int:
    return len(np.unique(labels[labels >= 0]))


def _parents(over: Labels | None, level: Labels) -> Labels:
    parents = np.full(int(level.max(initial=-1)) + 1, -1, np.int32)
    if over is not None:
        parents[level[level >= 0]] = over[level >= 0]
    return parents
