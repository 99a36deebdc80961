"""Place documents on a map: centring, alignment with an earlier map, new documents, queries, and the rim."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.analysis.vectors.exact import blocks
from explorer.analysis.vectors.knn_graph import KnnGraph

Positions = NDArray[np.float32]  # (N, 2)

RIM = 1.15  # distance from the middle of documents without neighbours, as a multiple of the farthest other
_GOLDEN_ANGLE = np.pi * (3 - 5**0.5)  # turns by it never meet, however many there are
SHARPNESS = 4.0  # how much more a near neighbour counts: weights are cosines to this power
TOGETHER = 4  # neighbours that make a spot; fewer follow chance, more blur (measured)
_TINY, _FAR = 1e-12, 1e6
_BLOCK = 16_384


def centre_and_scale(positions: NDArray[Any]) -> Positions:
    """Move the middle of positions (N, 2) to the origin and scale their root mean square radius to 1."""
    if not len(positions):
        return np.zeros((0, 2), np.float32)
    centred = positions - positions.mean(axis=0, dtype=np.float64)
    radius = _radius(centred)
    return np.asarray(centred / radius if radius > 0 else centred, np.float32)


def align_to(new: NDArray[Any], old: NDArray[Any]) -> Positions:
    """Turn, mirror, scale and shift a map so that it lies on an earlier one (Procrustes).

    Sizes are made equal rather than fitted: a fitted size shrinks the more the maps differ.

    Args:
        new: (N, 2).
        old: (N, 2), the places the same documents had; NaN for documents that had none.

    Returns:
        (N, 2): `new` in the frame of `old`; unturned where fewer than two documents are common.
    """
    common = np.isfinite(old).all(axis=1)
    if not common.any():
        return np.asarray(new, np.float32)
    here, there = np.asarray(new[common], np.float64), np.asarray(old[common], np.float64)
    middle, target = here.mean(axis=0), there.mean(axis=0)
    here, there = here - middle, there - target
    size, wanted = _radius(here), _radius(there)
    left, _, right = np.linalg.svd(here.T @ there)  # (2, 2)
    turn, scale = (left @ right, wanted / size) if size > 0 and wanted > 0 else (np.eye(2), 1.0)
    return np.asarray((new - middle) @ turn * scale + target, np.float32)


def on_rim(positions: NDArray[Any], count: int) -> Positions:
    """Return positions for `count` documents that belong nowhere: a circle around the others, or a disc.

    Returns:
        (count, 2).
    """
    order = np.arange(count)
    direction = np.stack([np.cos(order * _GOLDEN_ANGLE), np.sin(order * _GOLDEN_ANGLE)], axis=1)
    if not len(positions):
        return np.asarray(direction * np.sqrt(order / max(1, count - 1))[:, None], np.float32)
    middle = positions.mean(axis=0, dtype=np.float64)
    farthest = float(np.sqrt(((positions - middle) ** 2).sum(axis=1).max()))
    return np.asarray(middle + direction * (RIM * farthest or 1.0), np.float32)


def _radius(centred: NDArray[Any]) -> float:
    return float(np.sqrt((np.asarray(centred, np.float64) ** 2).sum(axis=1).mean()))


def place_new(graph: KnnGraph, positions: Positions) -> Positions:
    """Place the documents that have no position yet.

    A new document is placed among those of its neighbours that are close together on the map. One whose neighbours are
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


def place_query(positions: Positions, rows: NDArray[np.integer], scores: NDArray[np.floating]) -> Positions | None:
    """Return where a query falls on the map.

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
    spots = _among(positions, rows[None, there], np.asarray(scores[None, there], np.float32))
    return spots.reshape(2)


def _among(positions: Positions, rows: NDArray[np.integer], scores: NDArray[np.float32]) -> Positions:
    """Return the places (M, 2) of rows whose neighbours (M, k) with scores (M, k) are on the map; 0 is none."""
    spots = np.zeros((len(rows), 2), np.float32)
    for part in blocks(len(rows), _BLOCK):
        near = np.where(scores[part, :, None] > 0, positions[rows[part]], 0).astype(np.float64)  # (B, k, 2)
        best = scores[part].max(axis=1, keepdims=True)
        spots[part] = _local_middle(near, (scores[part] / best) ** SHARPNESS)
    return spots


def _local_middle(near: NDArray[np.float64], weights: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return the middle (B, 2) of the closest few of the neighbours (B, k, 2): the mean of all may be an empty spot."""
    apart = np.sqrt(((near[:, :, None] - near[:, None]) ** 2).sum(axis=3))  # (B, k, k)
    missing = weights <= 0  # (B, k)
    apart = np.where(missing[:, :, None] | missing[:, None], np.inf, apart)
    few = np.minimum(TOGETHER, (~missing).sum(axis=1))  # (B,)
    lines, ranked = np.arange(len(near)), np.sort(apart, axis=2)
    counted = np.arange(apart.shape[2]) < few[:, None, None]
    centre = np.where(counted, ranked, 0).sum(axis=2).argmin(axis=1)  # (B,) whose few nearest are closest to it
    reach = ranked[lines, centre, few - 1]
    far = apart[lines, centre] / np.maximum(reach, _TINY)[:, None]
    share = weights / (1 + np.minimum(far, _FAR) ** 2) ** 2
    middle: NDArray[np.float64] = (near * share[:, :, None]).sum(axis=1) / share.sum(axis=1)[:, None]
    return middle
