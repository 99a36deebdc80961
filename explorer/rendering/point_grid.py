"""A spatial index: points sorted into square cells, so that a part of the map is found without scanning all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from explorer.rendering.camera import Box, box_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Scalar = TypeVar("Scalar", bound=np.generic)

_MOST = 256  # cells along a side: their numbers fit 16 bits, which numpy sorts in linear time
_IN_A_CELL = 4  # points, on average


@dataclass(frozen=True, eq=False)
class PointGrid:
    """Points in the order of their grid cells.

    Attributes:
        x: Across, (N,).
        y: Upwards, (N,).
        rows: The index of each point in the given positions, (N,).
        starts: Where each cell begins, row by row from the lowest, (side * side + 1,).
        side: Cells along a side.
        box: Around all positions.
    """

    x: NDArray[np.float32]
    y: NDArray[np.float32]
    rows: NDArray[np.intp]
    starts: NDArray[np.intp]
    side: int
    box: Box

    def __len__(self) -> int:
        return len(self.rows)

    def spans(self, box: Box) -> list[slice]:
        """Return the points of all cells that a box touches, as few slices."""
        left, right = self._cells(box.left, box.right, self.box.left, self.box.right)
        low, high = self._cells(box.low, box.high, self.box.low, self.box.high)
        if left > right or low > high:
            return []
        if left == 0 and right == self.side - 1:
            return [slice(int(self.starts[low * self.side]), int(self.starts[(high + 1) * self.side]))]
        first = np.arange(low, high + 1) * self.side + left
        bounds = zip(self.starts[first].tolist(), self.starts[first + (right - left + 1)].tolist(), strict=True)
        return [slice(start, stop) for start, stop in bounds if start < stop]

    def part(self, mask: NDArray[np.bool_]) -> PointGrid:
        """Return a grid of the points whose row is true in the mask."""
        keep = mask[self.rows]
        before = np.concatenate(([0], np.cumsum(keep)))
        return PointGrid(self.x[keep], self.y[keep], self.rows[keep], before[self.starts], self.side, self.box)

    def _cells(self, start: float, stop: float, low: float, high: float) -> tuple[int, int]:
        """Return the first and last cell that an interval touches; first > last if it touches none."""
        if stop < low or start > high:
            return 1, 0
        if high <= low:
            return 0, self.side - 1
        share = self.side / (high - low)
        first, last = (max(start, low) - low) * share, (min(stop, high) - low) * share
        # One more on each side: positions are rounded to 32 bits, the box is not.
        return max(0, int(first) - 1), min(self.side - 1, int(last) + 1)


def build_grid(positions: NDArray[np.float32]) -> PointGrid:
    """Build the grid of positions, (N, 2).

    Raises:
        ValueError: They are not pairs of finite numbers.
    """
    positions = np.asarray(positions, dtype=np.float32)
    if positions.ndim != 2 or positions.shape[1] != 2:
        raise ValueError(f"positions are pairs, (N, 2), not {positions.shape}")
    if not np.isfinite(positions).all():
        raise ValueError("a position is not a number")
    box = box_of(positions)
    side = int(np.clip(np.ceil(np.sqrt(len(positions) / _IN_A_CELL)), 1, _MOST))
    x, y = np.ascontiguousarray(positions[:, 0]), np.ascontiguousarray(positions[:, 1])
    cells = _cell_indices(y, box.low, box.high, side) * np.int32(side) + _cell_indices(x, box.left, box.right, side)
    order = np.argsort(cells.astype(np.uint16), kind="stable")
    counts = np.bincount(cells, minlength=side * side)
    starts = np.concatenate(([0], np.cumsum(counts))).astype(np.intp)
    return PointGrid(x[order], y[order], order, starts, side, box)


def gather(values: NDArray[Scalar], spans: list[slice]) -> NDArray[Scalar]:
    """Concatenate the values of slices; a view if there is only one."""
    if len(spans) == 1:
        return values[spans[0]]
    return np.concatenate([values[span] for span in spans]) if spans else values[:0]


def _cell_indices(values: NDArray[np.float32], low: float, high: float, side: int) -> NDArray[np.int32]:
    """Return the cell of each value along one side, (N,)."""
    if high <= low:
        return np.zeros(len(values), np.int32)
    cells = ((values - np.float32(low)) * np.float32(side / (high - low))).astype(np.int32)
    return np.minimum(cells, side - 1)
