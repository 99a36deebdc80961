"""Where new documents and queries belong on a map whose points stay where they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.map.align import Positions, on_rim
from explorer.analysis.vectors.blocks import blocks
from explorer.analysis.vectors.knn_graph import KnnGraph

SHARPNESS = 4.0  # how much more a near neighbour counts: weights are cosines to this power
TOGETHER = 4  # neighbours that make a spot; fewer follow chance, more blur (measured)
_TINY, _FAR = 1e-12, 1e6
_BLOCK = 16_384


def place(graph: KnnGraph, positions: Positions) -> Positions:
    """Give places to documents that have none yet.

    A new document stands among those of its neighbours that are together on the map. One whose neighbours are
    all new follows them; one without neighbours goes to the rim.

    Args:
        graph: The graph of all documents.
        positions: (N, 2), NaN for new documents.

    Returns:
        (N, 2), finite; the places that were given are unchanged to the bit.
    """
    placed = np.array(positions, np.float32)
    missing: NDArray[np.bool_] = np.isnan(placed.sum(axis=1))
    while missing.any() and not missing.all():
        waiting = np.flatnonzero(missing)
        rows = graph.rows[waiting]
        known = (rows >= 0) & (graph.scores[waiting] > 0) & ~missing[rows]
        ready = known.any(axis=1)
        if not ready.any():
            break
        scores = np.where(known, graph.scores[waiting], 0)[ready]
        placed[waiting[ready]] = _among(placed, rows[ready], scores)
        missing[waiting[ready]] = False
    placed[missing] = on_rim(placed[~missing], int(missing.sum()))
    return placed


def place_query(
    positions: Positions, rows: NDArray[np.integer], scores: NDArray[np.floating]
) -> Positions | None:
    """Where a query falls on the map.

    Args:
        positions: (N, 2).
        rows: (k,) the documents nearest to the query.
        scores: (k,) their cosines.

    Returns:
        (2,), or None where no document is like the query at all.
    """
    there = (rows >= 0) & (scores > 0)
    if not there.any():
        return None
    found = _among(positions, rows[None, there], np.asarray(scores[None, there], np.float32))
    return found.reshape(2)


def _among(positions: Positions, rows: NDArray[np.integer], scores: NDArray[np.float32]) -> Positions:
    """The places (M, 2) of rows whose neighbours (M, k) with scores (M, k) stand on the map; 0 is no neighbour."""
    found = np.zeros((len(rows), 2), np.float32)
    for part in blocks(len(rows), _BLOCK):
        near = np.where(scores[part, :, None] > 0, positions[rows[part]], 0).astype(np.float64)  # (B, k, 2)
        best = scores[part].max(axis=1, keepdims=True)
        found[part] = _local_middle(near, (scores[part] / best) ** SHARPNESS)
    return found


def _local_middle(near: NDArray[np.float64], weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """The middle (B, 2) of the closest few of the neighbours (B, k, 2): the mean of all may be an empty spot."""
    apart = np.sqrt(((near[:, :, None] - near[:, None]) ** 2).sum(axis=3))  # (B, k, k)
    missing = weights <= 0  # (B, k)
    apart = np.where(missing[:, :, None] | missing[:, None], np.inf, apart)
    few = np.minimum(TOGETHER, (~missing).sum(axis=1))  # (B,)
    lines, ranked = np.arange(len(near)), np.sort(apart, axis=2)
    counted = np.arange(apart.shape[2]) < few[:, None, None]
    centre = (
        np.where(counted, ranked, 0).sum(axis=2).argmin(axis=1)
    )  # (B,) whose few nearest are closest to it
    reach = ranked[lines, centre, few - 1]
    far = apart[lines, centre] / np.maximum(reach, _TINY)[:, None]
    share = weights / (1 + np.minimum(far, _FAR) ** 2) ** 2
    middle: NDArray[np.float64] = (near * share[:, :, None]).sum(axis=1) / share.sum(axis=1)[:, None]
    return middle
