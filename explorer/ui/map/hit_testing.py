"""Find points: the one under the cursor, those inside a drawn line, and the neighbour in a direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QPolygonF

from explorer.rendering.camera import Box, box_of
from explorer.rendering.point_grid import PointGrid, gather

if TYPE_CHECKING:
    from numpy.typing import NDArray

Direction = Literal["left", "right", "up", "down"]
SelectionMode = Literal["replace", "add", "subtract", "intersect"]

DIRECTIONS: dict[Direction, tuple[float, float]] = {
    "left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1),
}  # fmt: skip
_FINE = 1024  # pixels along the longer side of the stencil in which a lasso is filled
_INSIDE, _UNSURE = 255, 128


def nearest(grids: Sequence[PointGrid], x: float, y: float, reach: float) -> int:
    """Return the row of the point nearest to a position within reach, -1 for none; earlier grids come first."""
    for grid in grids:
        spans = grid.spans(Box(x - reach, y - reach, x + reach, y + reach))
        far = (gather(grid.x, spans) - x) ** 2 + (gather(grid.y, spans) - y) ** 2
        if len(far):
            best = int(far.argmin())
            if far[best] <= reach * reach:
                return int(gather(grid.rows, spans)[best])
    return -1


def inside_line(grid: PointGrid, line: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the rows of the points inside a closed line of the map, (M, 2), ascending.

    What the line goes round is inside, also where it crosses itself. Most points are decided by a mask drawn once;
    only for those near the line is the winding number computed.
    """
    if len(line) < 3:
        return np.empty(0, dtype=np.intp)
    box = box_of(line.astype(np.float32))
    scale = (_FINE - 8) / max(box.right - box.left, box.high - box.low, 1e-30)
    stencil = _stencil(line, box, scale)
    spans = grid.spans(box)
    x, y, rows = gather(grid.x, spans), gather(grid.y, spans), gather(grid.rows, spans)
    across = np.clip((x - np.float32(box.left)) * np.float32(scale) + 4, 0, _FINE - 1).astype(np.int32)
    down = np.clip((y - np.float32(box.low)) * np.float32(scale) + 4, 0, _FINE - 1).astype(np.int32)
    value = stencil.reshape(-1)[down * np.int32(_FINE) + across]
    unsure = np.flatnonzero(value == _UNSURE)
    sure = rows[value == _INSIDE]
    near = rows[unsure[_winding(x[unsure], y[unsure], line) != 0]]
    return _ascending(np.concatenate((sure, near)))


def towards(
    positions: NDArray[np.float32], row: int, neighbours: Sequence[int] | NDArray[np.intp], direction: Direction
) -> int:
    """Return the neighbour that is best reached in a direction, -1 if there is none.

    Neighbours are given by similarity, the most similar first; a nearer and straighter one on the map is preferred.
    """
    rows = np.array([other for other in neighbours if other != row], dtype=np.intp)
    if not len(rows):
        return -1
    away = positions[rows].astype(np.float64) - positions[row]
    far = np.hypot(away[:, 0], away[:, 1])
    right, up = DIRECTIONS[direction]
    along = away[:, 0] * right + away[:, 1] * up
    ahead = along > 0.5 * far  # within 60 degrees; the four directions leave no gap
    if not ahead.any():
        return -1
    cost = np.where(ahead, far * (2 - along / np.maximum(far, 1e-30)), np.inf)
    return int(rows[cost.argmin()])


def _ascending(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Sort rows, each once, by a mask, which takes a fraction of the time of sorting."""
    mask = np.zeros(int(rows.max(initial=-1)) + 1, dtype=np.bool_)
    mask[rows] = True
    return np.flatnonzero(mask)


def _stencil(line: NDArray[np.float64], box: Box, scale: float) -> NDArray[np.uint8]:
    """Draw a mask of the pixels certainly inside a line, and of those near it, (fine, fine), y upwards."""
    image = QImage(_FINE, _FINE, QImage.Format.Format_Grayscale8)
    image.fill(0)
    shifted = (line - (box.left, box.low)) * scale + 4
    polygon = QPolygonF([QPointF(x, y) for x, y in shifted.tolist()])
    painter = QPainter(image)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(_INSIDE, _INSIDE, _INSIDE))
    painter.drawPolygon(polygon, Qt.FillRule.WindingFill)
    painter.setBrush(QBrush())
    painter.setPen(QPen(QColor(_UNSURE, _UNSURE, _UNSURE), 4))
    painter.drawPolygon(polygon)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint8).reshape(_FINE, image.bytesPerLine())[:, :_FINE].copy()


def _winding(x: NDArray[np.float32], y: NDArray[np.float32], line: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the winding number of the line around each point, (n,)."""
    turns = np.zeros(len(x), dtype=np.int64)
    if not len(x):
        return turns
    for (x0, y0), (x1, y1) in zip(line.tolist(), np.roll(line, -1, axis=0).tolist(), strict=True):
        if y0 == y1:
            continue
        crossed = (y >= min(y0, y1)) & (y < max(y0, y1))
        at = np.flatnonzero(crossed)
        left = x0 + (y[at] - y0) * ((x1 - x0) / (y1 - y0)) > x[at]
        turns[at[left]] += 1 if y1 > y0 else -1
    return turns
