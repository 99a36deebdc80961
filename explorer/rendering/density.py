"""Where the points lie thick: a smooth field over the map, and lines of equal density."""

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
SHARES = (0.9, 0.7, 0.5, 0.3, 0.12)  # of the points inside each line
_WIDTH = 3.0  # of the smoothing, in cells
_RIM = 10  # empty cells around, in which lines close


@dataclass(frozen=True, eq=False)
class Field:
    """Points a cell, smoothed.

    Attributes:
        values: From the lowest row up, (rows, columns).
        box: What the cells cover.
    """

    values: Floats
    box: Box


def density(cloud: PointGrid) -> Field:
    """The field of a cloud; zero everywhere where there are no points."""
    box = cloud.box
    cell = (max(box.right - box.left, box.high - box.low) or 1.0) / SIDE
    columns = int(np.ceil((box.right - box.left) / cell)) + 2 * _RIM + 1
    rows = int(np.ceil((box.high - box.low) / cell)) + 2 * _RIM + 1
    left, low = box.left - _RIM * cell, box.low - _RIM * cell
    across = ((cloud.x - left) / cell).astype(np.intp)
    up = ((cloud.y - low) / cell).astype(np.intp)
    counts = np.bincount(up * columns + across, minlength=rows * columns).reshape(rows, columns)
    around = Box(left, low, left + columns * cell, low + rows * cell)
    return Field(_smooth(_smooth(counts.astype(np.float64)).T).T, around)


def heights(field: Field, shares: Sequence[float] = SHARES) -> list[float]:
    """The density at which a line encloses each share of the points, from the outermost line inwards."""
    ordered = np.sort(field.values.ravel())[::-1]
    total = ordered.sum()
    if total <= 0:
        return []
    inside = np.cumsum(ordered) / total
    found = [float(ordered[min(int(np.searchsorted(inside, share)), len(ordered) - 1)]) for share in shares]
    return [height for height in found if height > 0]


def contour(field: Field, height: float) -> NDArray[np.float64]:
    """The line of one height as pieces (x0, y0, x1, y1) in the map's units, (M, 4): marching squares."""
    values = field.values
    high = values > height
    kind = (
        high[:-1, :-1] * 1 + high[:-1, 1:] * 2 + high[1:, 1:] * 4 + high[1:, :-1] * 8
    )  # (rows - 1, columns - 1)
    pieces = []
    for case, edges in _EDGES.items():
        down, across = np.nonzero(kind == case)
        if len(down):
            pieces += [
                np.hstack([_crossing(values, down, across, edge, height) for edge in pair]) for pair in edges
            ]
    found = np.concatenate(pieces) if pieces else np.empty((0, 4))
    rows, columns = values.shape
    step_x, step_y = (field.box.right - field.box.left) / columns, (field.box.high - field.box.low) / rows
    step, start = np.array([step_x, step_y] * 2), np.array([field.box.left, field.box.low] * 2)
    return np.asarray(start + (found + 0.5) * step)  # a value stands for the middle of its cell


def joined(pieces: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Pieces, (M, 4), that share ends as whole lines, each (n, 2); closed ones end where they begin."""
    ends: dict[tuple[float, float], list[int]] = {}
    corners = [((x0, y0), (x1, y1)) for x0, y0, x1, y1 in pieces.tolist()]
    for number, pair in enumerate(corners):
        for end in pair:
            ends.setdefault(end, []).append(number)
    free = set(range(len(corners)))

    def followed(end: tuple[float, float]) -> list[tuple[float, float]]:
        way = []
        while (number := next((one for one in ends[end] if one in free), -1)) >= 0:
            free.discard(number)
            start, stop = corners[number]
            end = stop if start == end else start
            way.append(end)
        return way

    lines = []
    for number, (start, stop) in enumerate(corners):
        if number in free:
            free.discard(number)
            after = followed(stop)
            lines.append(np.array([*followed(start)[::-1], start, stop, *after]))
    return lines


# Which edges of a square the line crosses, by which of its corners are high: lower, right, upper and left edge.
_LOWER, _RIGHT, _UPPER, _LEFT = range(4)
_EDGES: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((_LEFT, _LOWER),), 2: ((_LOWER, _RIGHT),), 3: ((_LEFT, _RIGHT),), 4: ((_RIGHT, _UPPER),),
    5: ((_LEFT, _UPPER), (_LOWER, _RIGHT)), 6: ((_LOWER, _UPPER),), 7: ((_LEFT, _UPPER),), 8: ((_LEFT, _UPPER),),
    9: ((_LOWER, _UPPER),), 10: ((_LEFT, _LOWER), (_RIGHT, _UPPER)), 11: ((_RIGHT, _UPPER),),
    12: ((_LEFT, _RIGHT),), 13: ((_LOWER, _RIGHT),), 14: ((_LEFT, _LOWER),),
}  # fmt: skip
_CORNERS = {
    _LOWER: ((0, 0), (0, 1)),
    _RIGHT: ((0, 1), (1, 1)),
    _UPPER: ((1, 0), (1, 1)),
    _LEFT: ((0, 0), (1, 0)),
}


def _crossing(
    values: Floats, down: NDArray[np.intp], across: NDArray[np.intp], edge: int, height: float
) -> Floats:
    """Where the line crosses an edge of squares, as column and row, (n, 2)."""
    (row0, column0), (row1, column1) = _CORNERS[edge]
    start, stop = values[down + row0, across + column0], values[down + row1, across + column1]
    share = (height - start) / (stop - start)
    return np.stack(
        (across + column0 + share * (column1 - column0), down + row0 + share * (row1 - row0)), axis=1
    )


def _smooth(values: Floats) -> Floats:
    """Blur along the rows with a bell curve. By shifts: a matrix product would call upon other threads."""
    reach = int(np.ceil(3 * _WIDTH))
    steps = np.arange(-reach, reach + 1)
    bell = np.exp(-(steps**2) / (2 * _WIDTH**2))
    bell /= bell.sum()
    padded = np.pad(values, ((0, 0), (reach, reach)))
    width = values.shape[1]
    found = np.zeros_like(values)
    for place, weight in enumerate(bell.tolist()):
        found += weight * padded[:, place : place + width]
    return found
