"""Draw points into pixels: antialiased discs while they are few, splatted counts per pixel when they are many."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from explorer.palette import channels
from explorer.rendering.camera import Camera
from explorer.rendering.canvas import Canvas, blend
from explorer.rendering.point_grid import PointGrid, gather
from explorer.rendering.splatting import COVERED, HALF, LARGEST, NAMES, count, resolve, sums_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint32]
    Floats = NDArray[np.float32]

ENTRIES = 500_000  # pixels of all discs together; above, points are counted
_CULLED = 300_000  # points; above, finding those outside takes longer than drawing them beside the picture
_FINE = 4  # steps within a pixel at which a disc's edge is smooth
_SMALL = 2.3  # pixels of radius; below, overlapping discs mix, above, one hides the other


@dataclass(frozen=True, eq=False)
class Layer:
    """Points that are drawn in the same way.

    Attributes:
        grid: Their positions.
        colour_index: The colour of each, an index into `colours`, in the order of the grid, (N,).
        colours: "#rrggbb".
        opacity: Of a single point.
        size: Their radius, as a multiple of the usual one.
    """

    grid: PointGrid
    colour_index: NDArray[np.int16]
    colours: tuple[str, ...]
    opacity: float = 0.85
    size: float = 1.0

    @cached_property
    def table(self) -> Floats:
        """Return red, green and blue of the colours, (C, 3)."""
        return np.array([channels(colour) for colour in self.colours], dtype=np.float32).reshape(-1, 3)

    @cached_property
    def packed(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Pack each point's red and green into one integer, blue and 1 into another: two sums instead of four."""
        steps = np.rint(self.table * (self.steps / 255)).astype(np.int64)
        return (steps[:, 0] | steps[:, 1] << HALF)[self.colour_index], (steps[:, 2] | 1 << HALF)[
            self.colour_index
        ]

    @property
    def steps(self) -> int:
        """Return the largest value of a channel: less than 255 where the sum over all points would overflow."""
        spare = HALF - 1 - (COVERED * len(self.colour_index)).bit_length()
        return (1 << max(1, min(8, spare))) - 1


@dataclass(frozen=True, eq=False)
class Scene:
    """What is drawn, independent of the view.

    Attributes:
        layers: The points, the lowest first.
        ground: The colour behind.
        radius: Of a usual point, in pixels of the window.
        strength: How opaque points are, as a share of what their layer says.
        backdrop: Paints what lies behind the points, given the view and the width and height of the picture.
    """

    layers: tuple[Layer, ...]
    ground: str
    radius: float
    strength: float = 1.0
    backdrop: Callable[[Camera, int, int], Pixels] | None = None


def paint(scene: Scene, camera: Camera, ratio: float, every: int = 1) -> Canvas:
    """Draw a scene.

    Args:
        scene: The points and what is behind them.
        camera: What is seen of them.
        ratio: Pixels of the picture for one of the window.
        every: Draw only each so many-th point, for a quick picture.
    """
    layers, radius = scene.layers, scene.radius
    largest = max((layer.size for layer in layers), default=1.0) * radius * ratio
    margin = (
        2 * max(int(np.ceil(largest)), LARGEST) + 3
    )  # a disc whose middle is outside reaches twice as far
    width, height = max(1, round(camera.width * ratio)), max(1, round(camera.height * ratio))
    red, green, blue = channels(scene.ground)
    colour = np.uint32(0xFF000000 | red << 16 | green << 8 | blue)
    canvas = Canvas(np.full((height + 2 * margin, width + 2 * margin), colour, dtype=np.uint32), margin)
    if scene.backdrop is not None:
        canvas.seen[:] = scene.backdrop(camera, width, height)
    for layer in layers:
        if len(layer.grid):
            _draw(canvas, scene, layer, camera, ratio, every)
    return canvas


def _draw(canvas: Canvas, scene: Scene, layer: Layer, camera: Camera, ratio: float, every: int) -> None:
    """Draw one layer in the way that is fastest for the number of its visible points."""
    radius = scene.radius * layer.size * ratio
    opacity = layer.opacity * scene.strength
    spans = layer.grid.spans(camera.seen(radius / ratio + 1))
    if every > 1:
        spans = [slice(span.start, span.stop, every) for span in spans]
    x, y = _to_pixels(canvas, gather(layer.grid.x, spans), gather(layer.grid.y, spans), camera, ratio)
    if len(x) > _CULLED:
        packed = gather(layer.packed[0], spans), gather(layer.packed[1], spans)
        # Where there are that many, larger points would only cost time.
        most = 2 if every > 1 else max(3, 2 * ratio)
        count(canvas, x, y, layer.steps, packed, round(min(2 * radius, most)), opacity)
        return
    inside = _inside(canvas, x, y, radius)
    x, y, colour_index = x[inside], y[inside], gather(layer.colour_index, spans)[inside]
    few = Layer(layer.grid, colour_index, layer.colours)
    disc = _disc(round(radius * 8) / 8)
    if len(x) * len(disc.across) > ENTRIES:
        across = 2 if every > 1 else round(2 * radius)
        count(canvas, x, y, few.steps, few.packed, across, opacity)
    elif radius < _SMALL:
        _mix(canvas, x, y, few, disc, opacity)
    else:
        _stack(canvas, x, y, layer.table[colour_index], disc, opacity)


def _to_pixels(canvas: Canvas, x: Floats, y: Floats, camera: Camera, ratio: float) -> tuple[Floats, Floats]:
    """Return positions in pixels of the canvas, as new arrays."""
    scale = np.float32(camera.scale * ratio)
    height, width = canvas.pixels.shape
    across = (x - np.float32(camera.x)) * scale
    down = (y - np.float32(camera.y)) * -scale
    across += np.float32(width / 2)
    down += np.float32(height / 2)
    return across, down


def _inside(canvas: Canvas, x: Floats, y: Floats, radius: float) -> NDArray[np.bool_]:
    """Return which points reach into the picture."""
    height, width = canvas.pixels.shape
    low, right, bottom = (
        canvas.margin - radius - 1,
        width - canvas.margin + radius,
        height - canvas.margin + radius,
    )
    return np.asarray((x >= low) & (x <= right) & (y >= low) & (y <= bottom))


@dataclass(frozen=True, eq=False)
class _Disc:
    """The pixels that a disc may touch, and how much of each it covers.

    Attributes:
        across: Pixels to the right of the one with its middle, (K,).
        down: The same downwards, (K,).
        cover: 0..1 for each place of the middle within its pixel, (fine * fine, K).
        core: Whether a pixel is covered wherever the middle is, (K,).
    """

    across: NDArray[np.int32]
    down: NDArray[np.int32]
    cover: Floats
    core: NDArray[np.bool_]


@lru_cache(maxsize=64)
def _disc(radius: float) -> _Disc:
    reach = int(np.ceil(radius + 0.5))
    line = np.arange(-reach, reach + 1, dtype=np.int32)
    across, down = (grid.ravel() for grid in np.meshgrid(line, line))
    steps = (np.arange(_FINE) + 0.5) / _FINE
    middle_x, middle_y = np.tile(steps, _FINE), np.repeat(steps, _FINE)
    far = np.hypot(across + 0.5 - middle_x[:, None], down + 0.5 - middle_y[:, None])
    cover = np.clip(radius + 0.5 - far, 0, 1).astype(np.float32)
    touched = cover.max(axis=0) > 0.02
    cover = cover[:, touched]
    return _Disc(across[touched], down[touched], cover, cover.min(axis=0) >= 0.999)


def _pixel_index(canvas: Canvas, x: Floats, y: Floats) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the flat index of the pixel of each centre, and its offset within the pixel."""
    fine_x, fine_y = (x * _FINE).astype(np.int32), (y * _FINE).astype(np.int32)
    places = (fine_y // _FINE) * np.int32(canvas.pixels.shape[1]) + fine_x // _FINE
    return places, (fine_y % _FINE) * np.int32(_FINE) + fine_x % _FINE


def _offsets(canvas: Canvas, disc: _Disc) -> NDArray[np.int32]:
    return disc.down * np.int32(canvas.pixels.shape[1]) + disc.across


def _mix(canvas: Canvas, x: Floats, y: Floats, layer: Layer, disc: _Disc, opacity: float) -> None:
    """Draw small discs: where they overlap, their colours mix by coverage, whatever their order."""
    places, within = _pixel_index(canvas, x, y)
    touched = (places[:, None] + _offsets(canvas, disc)).ravel().astype(np.intp)
    cover = np.rint(disc.cover * COVERED).astype(np.int64)[within]  # (n, K)
    shape = canvas.pixels.shape
    first, second = (
        sums_at(name, touched, (cover * each[:, None]).ravel(), shape)
        for name, each in zip(NAMES, layer.packed, strict=True)
    )
    resolve(canvas, first, second, layer.steps, COVERED, opacity)


def _stack(canvas: Canvas, x: Floats, y: Floats, rgb: Floats, disc: _Disc, opacity: float) -> None:
    """Draw large discs: later ones hide earlier ones."""
    flat = canvas.pixels.reshape(-1)
    offsets = _offsets(canvas, disc)
    places, within = _pixel_index(canvas, x, y)
    top = np.full(len(flat), -1, dtype=np.int32)  # the disc that hides all others in a pixel
    numbers = np.arange(len(x), dtype=np.int32)[:, None]
    top[places[:, None] + offsets[disc.core]] = numbers  # numpy keeps the last of several
    where = np.flatnonzero(top >= 0)
    colour = rgb[top[where]]
    blend(flat, where, list(colour.T), np.full(len(where), opacity, np.float32))
    rim = (places[:, None] + offsets[~disc.core]).ravel()
    cover = disc.cover[:, ~disc.core][within].ravel() * np.float32(opacity)
    owner = np.repeat(numbers.ravel(), int((~disc.core).sum()))
    open_ = np.flatnonzero((cover > 0.01) & (owner > top[rim]))
    last = np.full(len(flat), -1, dtype=np.int32)
    last[rim[open_]] = open_
    where = np.flatnonzero(last >= 0)
    entry = last[where]
    blend(flat, where, list(rgb[owner[entry]].T), cover[entry])
