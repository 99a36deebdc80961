"""The frame of a map: where its middle is, how large it is, and how it is turned onto an earlier one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.float32]  # (N, 2)

RIM = 1.15  # distance from the middle of documents without neighbours, as a multiple of the farthest other
_GOLDEN_ANGLE = np.pi * (3 - 5**0.5)  # turns by it never meet, however many there are


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
    """Places for `count` documents that belong nowhere: a circle around the others (N, 2), a disc if there are none.

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
