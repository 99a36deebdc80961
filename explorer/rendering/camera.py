"""The view of a map: its centre, its scale and the size of the window."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_MARGIN = 32.0  # pixels left free around a whole map
_FARTHEST, _CLOSEST = 0.5, 4_000.0  # of the scale at which the whole map fits


@dataclass(frozen=True)
class Box:
    """A rectangle of the map, y upwards."""

    left: float
    low: float
    right: float
    high: float

    @property
    def area(self) -> float:
        """Return its area, treating a line or a point as if it had some width, so that it can be divided by."""
        longer = max(self.right - self.left, self.high - self.low)
        return max(self.right - self.left, 0.25 * longer) * max(self.high - self.low, 0.25 * longer)


def box_of(positions: NDArray[np.float32]) -> Box:
    """Return the smallest box around positions, (N, 2); an empty one at the origin if there are none."""
    if not len(positions):
        return Box(0.0, 0.0, 0.0, 0.0)
    low, high = positions.min(axis=0), positions.max(axis=0)
    return Box(float(low[0]), float(low[1]), float(high[0]), float(high[1]))


@dataclass(frozen=True)
class Camera:
    """A view of the map.

    Attributes:
        x: The centre of the window, in map coordinates.
        y: The same, upwards.
        scale: Pixels for one unit of the map.
        width: Of the window, in pixels that do not depend on the screen's density.
        height: The same, downwards.
    """

    x: float = 0.0
    y: float = 0.0
    scale: float = 1.0
    width: float = 1.0
    height: float = 1.0

    def on_screen(self, x: float, y: float) -> tuple[float, float]:
        """Return the pixel of a position on the map."""
        return self.width / 2 + (x - self.x) * self.scale, self.height / 2 - (y - self.y) * self.scale

    def on_map(self, x: float, y: float) -> tuple[float, float]:
        """Return the position on the map at a pixel."""
        return self.x + (x - self.width / 2) / self.scale, self.y - (y - self.height / 2) / self.scale

    def seen(self, around: float = 0.0) -> Box:
        """Return the visible part of the map and some pixels around it."""
        left, high = self.on_map(-around, -around)
        right, low = self.on_map(self.width + around, self.height + around)
        return Box(left, low, right, high)

    def closer(self, factor: float, x: float, y: float) -> Camera:
        """Return the view magnified by a factor, with the map under pixel (x, y) staying there."""
        at_x, at_y = self.on_map(x, y)
        scale = self.scale * factor
        return replace(self, x=at_x - (x - self.width / 2) / scale, y=at_y + (y - self.height / 2) / scale, scale=scale)

    def moved(self, right: float, down: float) -> Camera:
        """Return the view after the map was dragged by some pixels."""
        return replace(self, x=self.x - right / self.scale, y=self.y + down / self.scale)

    def sized(self, width: float, height: float) -> Camera:
        """Return the same centre and scale in a window of another size."""
        return replace(self, width=max(width, 1.0), height=max(height, 1.0))

    def fitted(self, box: Box, margin: float = _MARGIN) -> Camera:
        """Return the view of a whole box in the same window; an empty box gets a medium scale."""
        across, down = max(self.width - 2 * margin, 40.0), max(self.height - 2 * margin, 40.0)
        ratios = [
            room / span for room, span in ((across, box.right - box.left), (down, box.high - box.low)) if span > 0
        ]
        scale = min(ratios, default=min(across, down))
        return replace(self, x=(box.left + box.right) / 2, y=(box.low + box.high) / 2, scale=scale)

    def bounded(self, box: Box) -> Camera:
        """Return the nearest view that neither leaves the box nor zooms too far in or out."""
        least = self.fitted(box).scale
        scale = min(max(self.scale, _FARTHEST * least), _CLOSEST * least)
        spare = 0.1 * max(box.right - box.left, box.high - box.low)
        return replace(
            self,
            x=min(max(self.x, box.left - spare), box.right + spare),
            y=min(max(self.y, box.low - spare), box.high + spare),
            scale=scale,
        )

    def snapped(self, ratio: float) -> Camera:
        """Return the view moved by less than a pixel, so that dragging shifts the picture by whole pixels."""
        step = 1 / (self.scale * ratio)
        return replace(self, x=round(self.x / step) * step, y=round(self.y / step) * step)


def between(start: Camera, goal: Camera, share: float) -> Camera:
    """Interpolate between two views; the scale changes by equal factors, which looks even."""
    if share >= 1:
        return goal
    scale = start.scale * (goal.scale / start.scale) ** share
    # Moving in step with the scale keeps a fixed point fixed; a plain mean would sway.
    if abs(goal.scale / start.scale - 1) > 1e-3:
        moved = (1 / start.scale - 1 / scale) / (1 / start.scale - 1 / goal.scale)
    else:
        moved = share
    return replace(goal, x=start.x + (goal.x - start.x) * moved, y=start.y + (goal.y - start.y) * moved, scale=scale)
