"""The state of a map's points (positions, colours, filter, marks, hits) and the layers drawn from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from explorer.rendering.camera import Box, Camera, box_of
from explorer.rendering.colours import Amounts, Categories, MapStyle, point_colours
from explorer.rendering.point_grid import PointGrid, build_grid, gather
from explorer.rendering.raster import Layer

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CONTEXT, _SHOWN, _MARKED = range(3)
_GLOWING = 1_000  # hits at most
_STRAYING = 50  # rows; of more, a stray one would make the rest small
_CLOSE = 40.0  # times the view of the whole map: as close as one gets to rows


@dataclass(frozen=True)
class GlowPoint:
    """A point that answers the query: its pixel, its colour, and how strongly it glows, 0..1."""

    x: float
    y: float
    colour: str
    strength: float


class MapPoints:
    """Points and their states. Layers are built when they are asked for and cached until something changes.

    Attributes:
        positions: (N, 2).
        grid: The same positions as a spatial index.
        filter: Which points match, (N,); None where all do.
        marks: Rows of the marked points, ascending.
    """

    def __init__(self, style: MapStyle) -> None:
        self._style = style
        self.positions: NDArray[np.float32] = np.empty((0, 2), dtype=np.float32)
        self.grid: PointGrid = build_grid(self.positions)
        self.filter: NDArray[np.bool_] | None
        self.marks: NDArray[np.intp]
        self._hits: NDArray[np.intp]
        self._strengths: NDArray[np.float64]
        self._colouring: Categories | Amounts
        self._layers: tuple[Layer, ...] | None = None
        self._reset(0)

    def __len__(self) -> int:
        return len(self.positions)

    @property
    def box(self) -> Box:
        """Return the box around all points."""
        return self.grid.box

    def move(self, positions: NDArray[np.float32]) -> None:
        """Move the points. If their number changes, colours, filter and marks are reset.

        Raises:
            ValueError: A position is not a pair of numbers.
        """
        grid = build_grid(positions)
        if len(grid) != len(self):
            self._reset(len(grid))
        self.positions = np.asarray(positions, dtype=np.float32)
        self.grid = grid
        self._layers = None

    def colour(self, colouring: Categories | Amounts) -> None:
        """Colour the points by category or amount.

        Raises:
            ValueError: There are more or fewer values than points.
        """
        if len(colouring.values) != len(self):
            raise ValueError(f"{len(colouring.values)} values for {len(self)} points")
        self._colouring = colouring
        self._colours = point_colours(colouring, dark=self._style.dark)
        self._layers = None

    def restyle(self, style: MapStyle) -> None:
        """Use another style."""
        self._style = style
        self._colours = point_colours(self._colouring, dark=style.dark)
        self._layers = None

    def keep(self, mask: NDArray[np.bool_] | None) -> None:
        """Draw the points outside a mask, (N,), as grey context; None draws all as usual.

        Raises:
            ValueError: The mask is longer or shorter.
        """
        if mask is not None and len(mask) != len(self):
            raise ValueError(f"a filter of {len(mask)} for {len(self)} points")
        self.filter = None if mask is None else np.asarray(mask, dtype=np.bool_)
        self._layers = None

    def mark(self, rows: Sequence[int] | NDArray[np.integer]) -> None:
        """Mark these rows and no others.

        Raises:
            ValueError: There is no such row.
        """
        self.marks = require_rows(rows, len(self))
        self._layers = None

    def glow(self, rows: Sequence[int] | NDArray[np.integer], scores: Sequence[float] | NDArray[np.floating]) -> None:
        """Let rows glow, more strongly the higher their score; of very many only the best.

        Raises:
            ValueError: There is no such row, or the lengths differ.
        """
        given, values = np.asarray(rows, dtype=np.intp), np.asarray(scores, dtype=np.float64)
        if len(given) != len(values):
            raise ValueError(f"{len(values)} scores for {len(given)} rows")
        require_rows(given, len(self))
        best = np.argsort(-values, kind="stable")[:_GLOWING][::-1]  # the strongest is drawn last
        spread = float(np.ptp(values)) if len(values) else 0.0
        self._hits = given[best]
        self._strengths = (values[best] - values.min()) / spread if spread > 0 else np.ones(len(best))

    def hits(self, camera: Camera) -> list[GlowPoint]:
        """Return the visible glowing points, the strongest last."""
        box = camera.seen(40)
        visible = []
        for row, strength in zip(self._hits.tolist(), self._strengths.tolist(), strict=True):
            x, y = self.positions[row].tolist()
            if box.left <= x <= box.right and box.low <= y <= box.high:
                visible.append(GlowPoint(*camera.on_screen(x, y), self.colour_of(row), strength))
        return visible

    def at(self, row: int, camera: Camera) -> tuple[float, float]:
        """Return the pixel of a row."""
        return camera.on_screen(float(self.positions[row, 0]), float(self.positions[row, 1]))

    def in_sight(self, camera: Camera) -> list[int]:
        """Return the rows of the points inside the view that match the filter, ascending."""
        box = camera.seen()
        spans = self.grid.spans(box)
        x, y = gather(self.grid.x, spans), gather(self.grid.y, spans)
        inside = (x >= box.left) & (x <= box.right) & (y >= box.low) & (y <= box.high)
        rows: list[int] = np.sort(self.matching(gather(self.grid.rows, spans)[inside])).tolist()
        return rows

    def layers(self) -> tuple[Layer, ...]:
        """Return what is drawn, the lowest layer first; the same object while nothing changed."""
        if self._layers is None:
            states = self._states()
            made = (self._layer(states, state) for state in (_CONTEXT, _SHOWN, _MARKED))
            self._layers = tuple(layer for layer in made if layer is not None)
        return self._layers

    def colour_of(self, row: int) -> str:
        """Return the colour of a point, whatever its state."""
        return self._colours.colours[int(self._colours.index[row])]

    def radius(self, camera: Camera) -> float:
        """Return the radius of a point in pixels: smaller the more there are, larger close up."""
        whole = camera.fitted(self.box).scale
        room = self.box.area * whole * whole / max(1, len(self))
        own = max(1.1, min(6.0, 0.32 * math.sqrt(room))) if room > 0 else 6.0
        return min(9.0, own * math.pow(max(0.8, camera.scale / whole), 0.42))

    def strength(self, camera: Camera) -> float:
        """Return the share of their opacity that points have: less where they are dense, so that density shows."""
        room = self.box.area * camera.scale**2 / max(1, len(self))
        return min(1.0, max(0.4, (room / (math.pi * self.radius(camera) ** 2)) ** 0.4)) if room > 0 else 1.0

    def around(self, rows: Sequence[int] | NDArray[np.integer], camera: Camera) -> Camera:
        """Return the closest view that shows nearly all of some rows; the same view for none.

        Raises:
            ValueError: There is no such row.
        """
        positions = self.positions[require_rows(rows, len(self))]
        if not len(positions):
            return camera
        if len(positions) > _STRAYING:
            low, high = np.quantile(positions, (0.02, 0.98), axis=0)
            positions = positions[((positions >= low) & (positions <= high)).all(axis=1)]
        goal = camera.fitted(box_of(positions))
        # A few points close together are not magnified without limit.
        closest = max(_CLOSE * camera.fitted(self.box).scale, camera.scale)
        return replace(goal, scale=min(goal.scale, closest))

    def matching(self, rows: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return those of some rows that match the filter."""
        return rows if self.filter is None else rows[self.filter[rows]]

    def _reset(self, count: int) -> None:
        """Reset everything that belonged to other points."""
        self.filter, self.marks = None, np.empty(0, dtype=np.intp)
        self._hits, self._strengths = np.empty(0, dtype=np.intp), np.empty(0)
        self._colouring = Categories(np.full(count, -1, dtype=np.int64))
        self._colours = point_colours(self._colouring, dark=self._style.dark)

    def _states(self) -> NDArray[np.uint8] | None:
        """Return the state of each point, (N,); None if all are simply shown."""
        if self.filter is None and not len(self.marks):
            return None
        if self.filter is not None:
            states = np.where(self.filter, _SHOWN, _CONTEXT).astype(np.uint8)
        else:
            states = np.full(len(self), _CONTEXT, dtype=np.uint8)
        states[self.marks] = _MARKED
        return states

    def _layer(self, states: NDArray[np.uint8] | None, state: int) -> Layer | None:
        if states is None:
            if state != _SHOWN:
                return None
            return Layer(self.grid, self._colours.index[self.grid.rows], self._colours.colours)
        part = self.grid.part(states == state)
        if not len(part):
            return None
        if state == _CONTEXT:
            grey = np.zeros(len(part), dtype=np.int16)
            return Layer(part, grey, (self._style.context,), opacity=0.5, size=0.85)
        marked = state == _MARKED
        return Layer(
            part,
            self._colours.index[part.rows],
            self._colours.colours,
            opacity=0.95 if marked else 0.85,
            size=1.25 if marked else 1.0,
        )


def require_rows(rows: Sequence[int] | NDArray[np.integer], count: int) -> NDArray[np.intp]:
    """Return rows ascending, each once.

    Raises:
        ValueError: There is no such row.
    """
    given = np.asarray(rows, dtype=np.intp)
    if not len(given):
        return given
    if given.min() < 0 or given.max() >= count:
        raise ValueError(f"rows {given.min()} to {given.max()} of {count} points")
    # A mask takes 2 ms for a million rows in any order; np.unique hashes them, which takes 3 s with numpy 2.4.
    mask = np.zeros(count, dtype=np.bool_)
    mask[given] = True
    return np.flatnonzero(mask)
