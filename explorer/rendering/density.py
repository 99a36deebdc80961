"""Estimate the density of points over the map, and find its contours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.rendering.camera import Box
from explorer.rendering.point_grid import PointGrid

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

SIDE = 192  # cells along the longer side
SHARES = (0.9, 0.7, 0.5, 0.3, 0.12)  # of the points inside each contour
_WIDTH = 3.0  # standard deviation of the smoothing, in cells
_RIM = 10  # empty cells around; one more than the smoothing reaches, so that contours close


@dataclass(frozen=True, eq=False)
class Field:
    """Points per cell, smoothed.

    Attributes:
        values: From the lowest row up, (rows, columns).
        box: The part of the map that the cells cover.
    """

    values: Floats
    box: Box


def density(grid: PointGrid) -> Field:
    """Return the smoothed density of the points; zero everywhere if there are none."""
    box = grid.box
    cell = (max(box.right - box.left, box.high - box.low) or 1.0) / SIDE
    columns = int(np.ceil((box.right - box.left) / cell)) + 2 * _RIM + 1
    rows = int(np.ceil((box.high - box.low) / cell)) + 2 * _RIM + 1
    left, low = box.left - _RIM * cell, box.low - _RIM * cell
    across = ((grid.x - left) / cell).astype(np.intp)
    up = ((grid.y - low) / cell).astype(np.intp)
    counts = np.bincount(up * columns + across, minlength=rows * columns).reshape(rows, columns)
    around = Box(left, low, left + columns * cell, low + rows * cell)
    from scipy.ndimage import gaussian_filter  # runs in this thread alone: it does not use BLAS

    values = gaussian_filter(counts.astype(np.float64), _WIDTH, mode="constant", truncate=3.0)
    return Field(np.asarray(values), around)


def heights(field: Field, shares: Sequence[float] = SHARES) -> list[float]:
    """Return the densities whose contours enclose each share of the points, from the outermost inwards."""
    ordered = np.sort(field.values.ravel())[::-1]
    total = ordered.sum()
    if total <= 0:
        return []
    inside = np.cumsum(ordered) / total
    levels = [float(ordered[min(int(np.searchsorted(inside, share)), len(ordered) - 1)]) for share in shares]
    return [height for height in levels if height > 0]


def contours(field: Field, height: float) -> list[Floats]:
    """Return the lines of one height in map coordinates, each (M, 2); they are closed, because the rim is empty."""
    from contourpy import contour_generator  # only a map with contours pays for the import

    rows, columns = field.values.shape
    step = (field.box.right - field.box.left) / columns, (field.box.high - field.box.low) / rows
    origin = np.array([field.box.left, field.box.low])
    lines = contour_generator(z=field.values).lines(height)
    return [origin + (np.asarray(line) + 0.5) * step for line in lines]  # a value is at the middle of its cell
