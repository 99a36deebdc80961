"""Divide the cluster graph: by Leiden, or by scikit-learn's k-means, HDBSCAN or Ward clustering."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.clusters.dedup_graph import ClusterGraph, Labels, Vectors
from explorer.analysis.clusters.leiden import compact, leiden
from explorer.analysis.vectors.exact import blocks
from explorer.task import Task

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Method = Literal["leiden", "kmeans", "hdbscan", "agglomerative"]
METHODS: tuple[Method, ...] = ("leiden", "kmeans", "hdbscan", "agglomerative")

COARSEST, FINEST = 1 / 4, 24.0  # resolutions at granularity 0 and 1; 1/2 gives 1, plain modularity
AT_ONE = 12  # clusters that resolution 1 gives on collections of texts, roughly
_STEP, _MOST = 10, 300  # k-means iterations between two checks, and in all
_STARTS = 3  # of k-means
_PIECES = 5000  # clusters that are joined by comparing each with each
_TRIES = 10  # resolutions tried to meet a wanted number


@dataclass(frozen=True)
class ClusterRecipe:
    """How to cluster.

    Attributes:
        method: One of `METHODS`.
        granularity: From 0, a handful of clusters, to 1, hundreds.
        count: The number of clusters wanted, which then counts instead; HDBSCAN knows none.
        seed: Decides what chance decides.
    """

    method: Method = "leiden"
    granularity: float = 0.5
    count: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"no method {self.method!r}; there are {', '.join(METHODS)}")
        if not 0 <= self.granularity <= 1:
            raise ValueError(f"granularity {self.granularity} is not between 0 and 1")
        if self.count is not None and self.count < 1:
            raise ValueError(f"{self.count} clusters cannot be made; ask for at least 1")


def resolution(granularity: float, size: int) -> float:
    """Return the resolution of a granularity: 1 in the middle, bending smoothly through the two ends.

    Small collections end earlier, where a cluster would have some five members.
    """
    finest = min(FINEST, max(2.0, size / 60))
    x, low, high = 2 * granularity - 1, math.log(COARSEST), math.log(finest)
    return math.exp((high - low) / 2 * x + (high + low) / 2 * x * x)


def usual_count(granularity: float, size: int) -> int:
    """Return how many clusters Leiden tends to find, which the other methods are asked for."""
    return max(1, min(round(AT_ONE * math.pow(resolution(granularity, size), 0.95)), size // 4))


def divide(graph: ClusterGraph, vectors: Vectors, recipe: ClusterRecipe, start: Labels | None, task: Task) -> Labels:
    """Divide the nodes of a graph into clusters.

    Args:
        graph: D nodes and their edges.
        vectors: (N, n) the vectors of all rows.
        recipe: How.
        start: (D,) an earlier division, -1 for new vectors; None if there is none.
        task: Progress and cancellation.

    Returns:
        (D,) labels; -1 for what HDBSCAN calls noise.
    """
    if len(graph) == 0:
        return np.zeros(0, np.int32)
    if recipe.method == "leiden":
        return _join_pieces(graph, vectors, _by_leiden(graph, recipe, start, task), recipe)
    points = np.asarray(vectors[graph.rows], np.float32)
    wanted = recipe.count or usual_count(recipe.granularity, len(graph))
    if recipe.method == "kmeans":
        return _by_kmeans(points, wanted, start, recipe.seed, task)
    if recipe.method == "agglomerative":
        return _by_ward(graph, points, wanted, task)
    return _by_hdbscan(graph, usual_count(recipe.granularity, len(graph)), task)


def _by_leiden(graph: ClusterGraph, recipe: ClusterRecipe, start: Labels | None, task: Task) -> Labels:
    # Keys are digests, so their order is a shuffle already; another seed is another one.
    order = np.random.default_rng(recipe.seed).permutation(len(graph)) if recipe.seed else np.arange(len(graph))
    weights = graph.weights[order][:, order].tocsr() if recipe.seed else graph.weights
    begin = None if start is None else _singletons_where_new(start[order])
    if recipe.count is None:
        labels = leiden(weights, resolution(recipe.granularity, len(graph)), start=begin, task=task)
    else:
        labels = _search_resolution(weights, recipe.count, task)
    spread = np.empty_like(labels)
    spread[order] = labels
    return spread


def _join_pieces(graph: ClusterGraph, vectors: Vectors, labels: Labels, recipe: ClusterRecipe) -> Labels:
    """Join clusters by their means where the graph is in more pieces than clusters are wanted.

    Leiden never joins what no edge ties. In the middle of the granularity, and above, pieces are left as they are.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.sparse.csgraph import connected_components

    pieces, count = connected_components(graph.weights, directed=False)[0], int(labels.max()) + 1
    usual = usual_count(recipe.granularity, len(graph))
    bend = min(1.0, 2 * recipe.granularity)
    limit = recipe.count or max(usual, round(usual ** (1 - bend) * count**bend))
    if not limit < pieces <= count <= _PIECES:
        return labels
    means = _centres(vectors, labels, graph.rows)
    groups = fcluster(linkage(means, "ward"), limit, "maxclust")
    return compact(groups[labels])


def _singletons_where_new(start: Labels) -> Labels:
    alone = np.arange(len(start), dtype=np.int32) + start.max(initial=-1) + 1
    return np.where(start < 0, alone, start).astype(np.int32)


def _search_resolution(weights: csr_matrix, wanted: int, task: Task) -> Labels:
    """Bisect the resolution until Leiden gives the wanted number of clusters; return the closest."""
    low, high = math.log(COARSEST / 64), math.log(max(2.0, weights.shape[0]))
    best: Labels | None = None
    for done in range(_TRIES):
        task.report(done, _TRIES, "looking for that many clusters")
        labels = leiden(weights, math.exp((low + high) / 2), task=task)
        count = int(labels.max()) + 1
        if best is None or abs(count - wanted) < abs(int(best.max()) + 1 - wanted):
            best = labels
        if count == wanted:
            break
        low, high = ((low + high) / 2, high) if count < wanted else (low, (low + high) / 2)
    assert best is not None  # noqa: S101 - the loop ran
    return best


def _by_kmeans(points: NDArray[np.float32], wanted: int, start: Labels | None, seed: int, task: Task) -> Labels:
    """Lloyd's k-means: from earlier centres if there are as many, else the best of some starts."""
    from sklearn.cluster import kmeans_plusplus

    wanted = min(wanted, len(points))
    centres = None if start is None else _centres(points, start)
    if centres is not None and len(centres) == wanted:
        return _lloyd(points, centres, task)[1]
    runs = []
    for turn in range(_STARTS):
        task.report(turn, _STARTS, "k-means")
        drawn, _ = kmeans_plusplus(points, wanted, random_state=seed * _STARTS + turn)
        runs.append(_lloyd(points, drawn, task))
    return min(runs, key=lambda run: run[0])[1]


def _lloyd(points: NDArray[np.float32], centres: NDArray[np.float32], task: Task) -> tuple[float, Labels]:
    """Return the squared distances that remain, and the labels; in a few iterations at a time, to be cancelled."""
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    for _ in range(0, _MOST, _STEP):
        task.check()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # near-copies: fewer clusters than asked for
            fit = KMeans(len(centres), init=centres, n_init=1, max_iter=_STEP).fit(points)
        centres = fit.cluster_centers_
        if fit.n_iter_ < _STEP:
            break
    return float(fit.inertia_), compact(fit.labels_)


def _centres(points: Vectors, start: Labels, rows: NDArray[np.int64] | None = None) -> NDArray[np.float32]:
    """Return the means of clusters; `rows` says which points (D,) have the labels, all if absent."""
    known = np.flatnonzero(start >= 0)
    labels, places = compact(start[known]), known if rows is None else rows[known]
    sums = np.zeros((labels.max(initial=-1) + 1, points.shape[1]), np.float32)
    for part in blocks(len(places)):  # a million points as float32 are 1.5 GB
        np.add.at(sums, labels[part], np.asarray(points[places[part]], np.float32))
    sums /= np.bincount(labels)[:, None]
    return sums


def _by_ward(graph: ClusterGraph, points: NDArray[np.float32], wanted: int, task: Task) -> Labels:
    """Ward's merging of neighbours; one call that cannot be cancelled."""
    from sklearn.cluster import AgglomerativeClustering

    task.report(0, 1, "merging neighbours")
    wanted = min(wanted, len(points))
    if len(points) < 2:
        return np.zeros(len(points), np.int32)
    fit = AgglomerativeClustering(wanted, connectivity=_bridge(graph.weights, 1.0)).fit(points)
    return compact(fit.labels_)


def _by_hdbscan(graph: ClusterGraph, usual: int, task: Task) -> Labels:
    """HDBSCAN on the ties alone; one call that cannot be cancelled."""
    from sklearn.cluster import HDBSCAN

    task.report(0, 1, "looking for dense places")
    least = max(5, len(graph) // (40 * usual))
    if len(graph) <= least:
        return np.zeros(len(graph), np.int32)
    gaps = graph.weights.copy()
    gaps.data = np.maximum(1 - gaps.data, 1e-6)
    fit = HDBSCAN(min_cluster_size=least, min_samples=1, metric="precomputed", copy=True)
    labels: Labels = fit.fit(_bridge(gaps, 2.0)).labels_.astype(np.int32)
    labels[labels >= 0] = compact(labels[labels >= 0])
    return np.maximum(labels, -1)


def _bridge(weights: csr_matrix, weight: float) -> csr_matrix:
    """Connect the components of a graph with the first of them."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    count, parts = connected_components(weights, directed=False)
    if count == 1:
        return weights
    heads = np.unique(parts, return_index=True)[1]
    first, second = np.full(count - 1, heads[0]), heads[1:]
    ends = np.concatenate([first, second]), np.concatenate([second, first])
    bridges = coo_matrix((np.full(2 * count - 2, weight, np.float32), ends), shape=weights.shape)
    return (weights + bridges).tocsr()
