"""Measure how far a map can be trusted: the share of true neighbours that are near on the map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.map.placement import Positions
from explorer.analysis.vectors.exact import blocks
from explorer.analysis.vectors.knn_graph import KnnGraph
from explorer.task import Task

_BLOCK = 16_384
_APART = 1e-6  # of the map's size: moves that part points in one place, of which a tree cannot tell so many


@dataclass(frozen=True, eq=False)
class Trust:
    """The share of true neighbours that a map keeps.

    Attributes:
        rows: (N,) float32, for each row the share of its neighbours in the graph, k of them, that are among the k
            nearest points on the map; 0 for a row without neighbours.
        mean: The mean over the rows that have neighbours; 0 where none has.
    """

    rows: NDArray[np.float32]
    mean: float


def trust(positions: Positions, graph: KnnGraph, *, task: Task | None = None) -> Trust:
    """Compare a map (N, 2) with the graph it was made from."""
    from scipy.spatial import cKDTree

    task, count = task or Task(), len(graph)
    there = (graph.rows >= 0) & (graph.scores > 0)
    sizes = there.sum(axis=1)  # (N,)
    shares = np.zeros(count, np.float32)
    if not sizes.any():
        return Trust(shares, 0.0)
    points = _jitter(positions)
    tree = cKDTree(points)
    for part in blocks(count, _BLOCK):
        lines = np.arange(part.start, part.stop)
        near = _nearest(tree, points[part], lines, int(sizes.max()))  # (B, k)
        within = np.arange(near.shape[1]) < sizes[part, None]
        hits = (np.where(there[part], graph.rows[part], -1)[:, :, None] == near[:, None, :]) & within[
            :, None, :
        ]
        shares[part] = hits.any(axis=2).sum(axis=1) / np.maximum(1, sizes[part])
        task.report(part.stop, count, "checking the map")
    return Trust(shares, float(shares[sizes > 0].mean(dtype=np.float64)))


def _jitter(positions: Positions) -> NDArray[np.float64]:
    points = np.asarray(positions, np.float64)
    return points + np.random.default_rng(0).normal(0, _APART * float(points.std() or 1.0), points.shape)


def _nearest(
    tree: object, points: NDArray[np.float64], lines: NDArray[np.int64], k: int
) -> NDArray[np.int64]:
    """The k points of the map nearest to some (B, 2), themselves left out: (B, k)."""
    _, near = tree.query(points, k=k + 1, workers=-1)  # type: ignore[attr-defined]
    own = near == lines[:, None]
    own[~own.any(axis=1), -1] = True  # crowded out by points in the same place
    return np.asarray(near[~own].reshape(len(lines), k), np.int64)
