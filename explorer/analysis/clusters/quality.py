"""Measure clusters: size, cohesion, stability, and the most central documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.clusters.cluster import Clustering, centroids
from explorer.analysis.clusters.dedup_graph import Labels, Vectors, build_cluster_graph
from explorer.analysis.clusters.methods import divide
from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.task import Task

SAMPLED = 0.8  # share of the documents in each resample
_BLOCK = 4096  # rows


@dataclass(frozen=True)
class Quality:
    """The measures of one cluster.

    Attributes:
        cluster_id: Its id.
        size: How many documents it has.
        cohesion: The mean cosine of its documents to its centre: 1 if all are copies of one, near 0 if unrelated.
        central: Its most central rows, the one nearest to the centre first.
    """

    cluster_id: int
    size: int
    cohesion: float
    central: tuple[int, ...]


def describe(
    clustering: Clustering, vectors: Vectors, keys: Sequence[bytes], *, central: int = 5
) -> tuple[Quality, ...]:
    """Describe every cluster, by id.

    Args:
        clustering: Labels of N rows.
        vectors: (N, n) unit vectors.
        keys: A digest of the text of each row; decides between equals.
        central: How many central documents, at most.
    """
    ids, means = centroids(clustering.labels, vectors)
    near = _nearness(clustering.labels, vectors, ids, means)
    order = np.argsort(clustering.labels, kind="stable")
    bounds = np.searchsorted(clustering.labels[order], np.append(ids, clustering.labels.max(initial=-1) + 1))
    result = []
    for index, cluster_id in enumerate(ids):
        rows = order[bounds[index] : bounds[index + 1]]
        result.append(
            Quality(int(cluster_id), len(rows), float(near[rows].mean()), _nearest(rows, near, keys, central))
        )
    return tuple(result)


def _nearness(
    labels: Labels, vectors: Vectors, ids: NDArray[np.int32], means: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the cosine of each row to the centre of its cluster (N,); 0 for leftovers."""
    near = np.zeros(len(labels), np.float32)
    held = np.flatnonzero(labels >= 0)
    for start in range(0, len(held), _BLOCK):
        rows = held[start : start + _BLOCK]
        own = means[np.searchsorted(ids, labels[rows])]
        near[rows] = np.einsum("ij,ij->i", np.asarray(vectors[rows], np.float32), own)
    return near


def _nearest(rows: NDArray[np.int64], near: NDArray[np.float32], keys: Sequence[bytes], count: int) -> tuple[int, ...]:
    """Return the rows nearest to the centre, one of each text."""
    # Rounded, because sums in another order differ in the last digits.
    few = rows[np.argsort(-near[rows], kind="stable")[: 4 * count + 16]]
    ranked = sorted((int(row) for row in few), key=lambda row: (-round(float(near[row]), 5), keys[row], row))
    row_by_key: dict[bytes, int] = {}
    for row in ranked:
        row_by_key.setdefault(keys[row], row)
    return tuple(list(row_by_key.values())[:count])


def stability(
    graph: KnnGraph,
    vectors: Vectors,
    keys: Sequence[bytes],
    clustering: Clustering,
    *,
    rounds: int = 5,
    task: Task | None = None,
) -> dict[int, float]:
    """Measure how surely each cluster would be found again, by clustering four fifths of the documents several times.

    Args:
        graph: The neighbours of N rows.
        vectors: (N, n).
        keys: A digest of the text of each row.
        clustering: Whose recipe is used again.
        rounds: How often.
        task: Progress and cancellation.

    Returns:
        For each id the mean Jaccard index of its members with those of the cluster most like it: 1 is always the
        same, below one half there is little to hold on to.
    """
    task = task or Task()
    base = build_cluster_graph(graph, vectors, keys, task)
    labels = base.gather(clustering.labels)
    overlaps: dict[int, list[float]] = {cluster_id: [] for cluster_id in clustering.ids}
    for turn in range(rounds):
        task.report(turn, rounds, "stability of clusters")
        recipe = replace(clustering.recipe, seed=clustering.recipe.seed + turn + 1)
        drawn = np.random.default_rng(recipe.seed).random(len(base)) < SAMPLED
        keep = np.flatnonzero(drawn)
        again = divide(base.subset(keep), vectors, recipe, None, task.silent())
        for cluster_id, jaccard in _best_jaccard(labels[keep], again).items():
            overlaps[cluster_id].append(jaccard)
    task.report(rounds, rounds, "stability of clusters")
    return {cluster_id: float(np.mean(values)) if values else 0.0 for cluster_id, values in overlaps.items()}


def _best_jaccard(labels: Labels, again: Labels) -> dict[int, float]:
    """For each label the largest Jaccard index with any label of `again`; leftovers of either do not count."""
    both = (labels >= 0) & (again >= 0)
    old, first = np.unique(labels[both], return_inverse=True)
    new, second = np.unique(again[both], return_inverse=True)
    pairs, shared = np.unique(first * max(1, len(new)) + second, return_counts=True)
    first, second = np.divmod(pairs, max(1, len(new)))
    had = np.array([(labels == value).sum() for value in old])
    have = np.array([(again[labels >= 0] == value).sum() for value in new])
    best = np.zeros(len(old))
    if len(pairs):
        np.maximum.at(best, first, shared / (had[first] + have[second] - shared))
    return {int(value): float(jaccard) for value, jaccard in zip(old, best, strict=True)}
