"""Cluster documents on the kNN graph, independent of the order of files; what fits nowhere is left over."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.clusters.dedup_graph import ClusterGraph, Labels, Vectors, build_cluster_graph
from explorer.analysis.clusters.leiden import modularity
from explorer.analysis.clusters.methods import METHODS, ClusterRecipe, Method, divide, resolution
from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.task import Task

__all__ = ["METHODS", "ClusterRecipe", "Clustering", "Labels", "Method", "assign_leftovers", "centroids", "cluster"]

SMALLEST = 3  # members of a cluster
WEAK = 1 / 4  # of the usual tie into the own cluster; below, a document belongs nowhere
MOST_WEAK = 1 / 10  # of all documents that are called leftovers for that
BETTER = 0.02  # gain in modularity for which an earlier clustering is given up
_BLOCK = 4096  # rows; of 65,536 the sums took 400 MB
SAME = 0.2  # Jaccard index of members from which two clusters may be one


@dataclass(frozen=True)
class Clustering:
    """A cluster for every document, or none.

    Attributes:
        labels: (N,) int32 ids of clusters, -1 for leftovers; as computed 0, 1, ... from the largest on.
        recipe: How they were computed.
        names: Names given by the user, by id; most clusters have none.
    """

    labels: Labels
    recipe: ClusterRecipe = field(default_factory=ClusterRecipe)
    names: Mapping[int, str] = field(default_factory=dict)

    @property
    def ids(self) -> tuple[int, ...]:
        """Return the ids in use, ascending."""
        return tuple(int(value) for value in np.unique(self.labels[self.labels >= 0]))

    @property
    def leftover_share(self) -> float:
        """Return the share of documents without a cluster."""
        return float((self.labels < 0).mean()) if len(self.labels) else 0.0

    def members(self, cluster_id: int) -> NDArray[np.int64]:
        """Return the rows of a cluster, ascending."""
        return np.flatnonzero(self.labels == cluster_id)


def cluster(
    graph: KnnGraph,
    vectors: Vectors,
    keys: Sequence[bytes],
    *,
    method: Method = "leiden",
    granularity: float = 0.5,
    count: int | None = None,
    seed: int = 0,
    earlier: Mapping[bytes, int] | None = None,
    task: Task | None = None,
) -> Clustering:
    """Divide documents into clusters.

    Args:
        graph: The neighbours of N rows.
        vectors: (N, n) unit vectors; zeros where a text had nothing to encode.
        keys: A digest of the text of each row; the result does not depend on the order of rows.
        method: "leiden" by default; see `METHODS`.
        granularity: From 0, a handful of clusters, to 1, hundreds.
        count: The number of clusters wanted, instead of a granularity.
        seed: Same seed, same clusters.
        earlier: The ids an earlier run with the same settings gave, by key. Leiden and k-means start from them,
            so that clusters stay what they were unless the collection has changed too much.
        task: Progress and cancellation.

    Returns:
        Labels from the largest cluster on. `follow` carries over earlier ids.

    Raises:
        ValueError: Settings out of range, or inputs of different lengths.
        Cancelled: The task was cancelled.
    """
    task, recipe = task or Task(), ClusterRecipe(method, granularity, count, seed)
    task.report(0, 1, "clusters")
    base = build_cluster_graph(graph, vectors, keys, task)
    start = None if earlier is None else _starting_labels(base, keys, earlier)
    labels = _finish_labels(base, vectors, recipe, start, task)
    task.report(1, 1, "clusters")
    return Clustering(base.spread(labels), recipe)


def _finish_labels(
    base: ClusterGraph, vectors: Vectors, recipe: ClusterRecipe, start: Labels | None, task: Task
) -> Labels:
    """Divide the nodes (D,), leave out those that belong nowhere, and number the clusters by size."""
    if len(base) <= SMALLEST:
        return np.zeros(len(base), np.int32)
    labels = divide(base, vectors, recipe, start, task)
    if start is not None and recipe.method == "leiden" and recipe.count is None:
        labels = _clearly_better(base, labels, divide(base, vectors, recipe, None, task), recipe)
    if recipe.method != "hdbscan":
        labels = dissolve_small(base, labels, SMALLEST if recipe.count is None else 1)
        labels = _leave_out_weak(base, labels, vectors)
    return _number_by_size(base, labels)


def _clearly_better(base: ClusterGraph, continued: Labels, fresh: Labels, recipe: ClusterRecipe) -> Labels:
    """Return the clusters that continue earlier ones, unless a fresh start is clearly better."""
    scale = resolution(recipe.granularity, len(base))
    gain = modularity(base.weights, fresh, scale) - modularity(base.weights, continued, scale)
    return fresh if gain > BETTER else continued


def dissolve_small(base: ClusterGraph, labels: Labels, smallest: int) -> Labels:
    """Dissolve clusters of fewer than `smallest` vectors: each joins where its ties are strongest, or gets -1."""
    from scipy.sparse import csr_matrix

    sizes = np.bincount(base.nodes[base.nodes >= 0], minlength=len(base))  # copies count
    members = np.bincount(labels, weights=sizes)
    tiny = members[labels] < smallest
    if not tiny.any():
        return labels
    one_hot = csr_matrix(
        (np.ones(int((~tiny).sum())), (np.flatnonzero(~tiny), labels[~tiny])), shape=(len(labels), len(members))
    )
    ties = base.weights[tiny] @ one_hot  # (T, C)
    moved = labels.copy()
    strongest = np.asarray(ties.argmax(axis=1)).ravel()
    moved[tiny] = np.where(np.asarray(ties.max(axis=1).todense()).ravel() > 0, strongest, -1)
    return moved


def _leave_out_weak(base: ClusterGraph, labels: Labels, vectors: Vectors) -> Labels:
    """Label -1 where the ties into the own cluster, beyond what chance gives, are a quarter of the usual or less.

    A tie is the sum of cosines above chance to the neighbours in the own cluster, by the number of neighbours a
    vector usually has; chance is the mean cosine of any two vectors. So a document is left over whose neighbours
    are far away, or scattered over many clusters.
    """
    first = np.repeat(np.arange(len(base)), np.diff(base.weights.indptr))
    own = labels[first] == labels[base.weights.indices]
    above = np.maximum(base.weights.data - _chance(vectors, base), 0) * own
    degrees = np.diff(base.weights.indptr)
    ties = np.bincount(first, weights=above, minlength=len(base)) / np.maximum(degrees, np.median(degrees))
    usual = float(np.median(ties))
    weak = (ties < WEAK * usual) & (usual > 1e-3)
    if weak.mean() > MOST_WEAK:
        weak &= ties <= np.sort(ties)[int(MOST_WEAK * len(ties))]
    return np.where(weak, -1, labels).astype(np.int32)


def _chance(vectors: Vectors, base: ClusterGraph) -> float:
    """Return the mean cosine of two vectors, rounded so that the order of rows never shows."""
    # It is the squared length of their mean.
    used = (base.nodes >= 0).astype(np.float32)
    total = np.zeros(vectors.shape[1])
    for row in range(0, len(vectors), _BLOCK):
        total += used[row : row + _BLOCK] @ np.asarray(vectors[row : row + _BLOCK], np.float32)
    mean = total / max(1.0, float(used.sum()))
    return round(float(mean @ mean), 4)


def _number_by_size(base: ClusterGraph, labels: Labels) -> Labels:
    """Number clusters from the largest on; of equals, that with the first key."""
    real = labels >= 0
    if not real.any():
        return labels
    names, first, inverse = np.unique(labels[real], return_index=True, return_inverse=True)
    sizes = np.bincount(base.nodes[base.nodes >= 0], minlength=len(base))[real]
    order = np.lexsort((first, -np.bincount(inverse, weights=sizes)))
    rank = np.empty(len(names), np.int32)
    rank[order] = np.arange(len(names), dtype=np.int32)
    numbered = np.full(len(labels), -1, np.int32)
    numbered[real] = rank[inverse]
    return numbered


def _starting_labels(base: ClusterGraph, keys: Sequence[bytes], earlier: Mapping[bytes, int]) -> Labels | None:
    known = np.array([earlier.get(keys[row], -1) for row in base.rows], np.int64)
    if not (known >= 0).any():
        return None
    _, inverse = np.unique(known, return_inverse=True)
    return (inverse.ravel() - int((known < 0).any())).astype(np.int32)


def centroids(labels: Labels, vectors: Vectors) -> tuple[Labels, NDArray[np.float32]]:
    """Return the ids in use (C,) and the unit mean of each cluster's vectors (C, n) float32; zeros if there is none."""
    ids, inverse = np.unique(labels, return_inverse=True)
    sums = np.zeros((len(ids), vectors.shape[1]))
    for row in range(0, len(labels), _BLOCK):
        part = inverse[row : row + _BLOCK]
        order = np.argsort(part, kind="stable")
        starts = np.flatnonzero(np.diff(part[order], prepend=-1))
        block = np.asarray(vectors[row : row + _BLOCK], np.float64)[order]
        sums[part[order][starts]] += np.add.reduceat(block, starts, axis=0)
    sums = sums[ids >= 0]
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return ids[ids >= 0], np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0).astype(np.float32)


def assign_leftovers(clustering: Clustering, vectors: Vectors) -> Clustering:
    """Assign each leftover to the cluster with the nearest mean.

    Returns:
        The clustering without leftovers, but for vectors of zeros, and where there is no cluster at all.
    """
    ids, means = centroids(clustering.labels, vectors)
    rows = np.flatnonzero(clustering.labels < 0)
    if not len(ids) or not len(rows):
        return clustering
    labels = clustering.labels.copy()
    for start in range(0, len(rows), _BLOCK):
        part = rows[start : start + _BLOCK]
        block = np.asarray(vectors[part], np.float32)
        filled = block.any(axis=1)
        labels[part[filled]] = ids[(block[filled] @ means.T).argmax(axis=1)]
    return replace(clustering, labels=labels)


@dataclass(frozen=True)
class StableIds:
    """Labels with lasting ids.

    Attributes:
        labels: (N,) int32; -1 for leftovers.
        next_id: The id that the next new cluster will get; keep it, so that no id is ever used again.
    """

    labels: Labels
    next_id: int


def follow(earlier: Mapping[bytes, int], keys: Sequence[bytes], labels: Labels, *, next_id: int = 0) -> StableIds:
    """Give clusters the ids of those earlier ones whose members they share.

    One id goes to one cluster, so that the sum of the Jaccard indices is largest. Only documents known then and now
    count, so that new ones do not weaken a match.

    Args:
        earlier: The id of each document's cluster by key, -1 for leftovers.
        keys: The key of each row.
        labels: (N,) the clusters now, in any numbers.
        next_id: What an earlier call returned; ids below are never given to new clusters.

    Returns:
        The labels with earlier ids where there is one, new ids in the order of size elsewhere.
    """
    before = np.array([earlier.get(key, -1) for key in keys], np.int64)
    old, new = np.unique(before[before >= 0]), np.unique(labels[labels >= 0])
    given = _match_ids(before, labels, old, new)
    free = max([next_id, *(value + 1 for value in earlier.values())], default=0)
    sizes = np.bincount(np.searchsorted(new, labels[labels >= 0]), minlength=len(new))
    for index in np.argsort(-sizes, kind="stable"):
        if given[index] < 0:
            given[index], free = free, free + 1
    followed = np.full(len(labels), -1, np.int32)
    followed[labels >= 0] = given[np.searchsorted(new, labels[labels >= 0])]
    return StableIds(followed, int(free))


def _match_ids(
    before: NDArray[np.int64], labels: Labels, old: NDArray[np.int64], new: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Return the old id of each new label (C,), -1 where none fits."""
    from scipy.optimize import linear_sum_assignment

    both = (before >= 0) & (labels >= 0)
    shared = np.zeros((len(old), len(new)))
    np.add.at(shared, (np.searchsorted(old, before[both]), np.searchsorted(new, labels[both])), 1)
    had = np.bincount(np.searchsorted(old, before[before >= 0]), minlength=len(old))
    known = labels[(before >= 0) & (labels >= 0)]
    have = np.bincount(np.searchsorted(new, known), minlength=len(new))
    jaccard = shared / np.maximum(had[:, None] + have[None, :] - shared, 1)  # (old, new)
    jaccard[jaccard < SAME] = 0
    given = np.full(len(new), -1, np.int64)
    first, second = linear_sum_assignment(jaccard, maximize=True)
    fits = jaccard[first, second] > 0
    given[second[fits]] = old[first[fits]]
    return given
