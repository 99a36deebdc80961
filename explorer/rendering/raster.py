"""Draw points into pixels: antialiased discs while they are few, splatted counts when they are many; their density."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from explorer.palette import channels
from explorer.rendering.camera import Box, Camera
from explorer.rendering.point_grid import PointGrid, gather

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Pixels = NDArray[np.uint32]
    Floats = NDArray[np.float32]

_HALF = 32  # bits: two sums share one integer of 64
_NEARLY_ALL = 0.5  # of the pixels; looking up the others would take longer than working on them
_WEIGHTS = 1 << 14  # in a pixel; more hide no more
_SHEET = 1 << 20  # pixels; smaller sheets are not worth their own memory
_NAMES = ("red, green", "blue, count")
_BLOCK = 16_384  # pixels worked on at a time, so that they stay in the processor's cache
_LARGEST = 5  # pixels across, of a counted point
_COVERED = 15  # the weight of a pixel that a small disc covers whole
# How a counted point of that many pixels across is spread: each pass adds the picture to itself, moved by so many
# pixels, along both sides. Middle pixels then weigh the product of the passes' lengths at most.
_PASSES: dict[int, tuple[tuple[int, ...], ...]] = {
    1: (), 2: ((1,),), 3: ((1,), (1,)), 4: ((1,), (1, 2)), 5: ((1, 2), (1, 2)),
}  # fmt: skip
_PEAK = {1: 1, 2: 1, 3: 4, 4: 4, 5: 9}  # the weight of a point in its middle pixel
ENTRIES = 500_000  # pixels of all discs together; above, points are counted
_CULLED = 300_000  # points; above, finding those outside takes longer than drawing them beside the picture
_FINE = 4  # steps within a pixel at which a disc's edge is smooth
_SMALL = 2.3  # pixels of radius; below, overlapping discs mix, above, one hides the other
SIDE = 192  # cells along the longer side
SHARES = (0.9, 0.7, 0.5, 0.3, 0.12)  # of the points inside each contour
_WIDTH = 3.0  # standard deviation of the smoothing, in cells
_RIM = 10  # empty cells around; one more than the smoothing reaches, so that contours close


@dataclass(frozen=True, eq=False)
class Canvas:
    """A picture with a margin, so that discs at its edge need no clipping.

    Attributes:
        pixels: 0xffrrggbb, (height + 2 * margin, width + 2 * margin).
        margin: Pixels on each side.
    """

    pixels: Pixels
    margin: int

    @property
    def seen(self) -> Pixels:
        """Return the picture without its margin, (height, width)."""
        inside = slice(self.margin, -self.margin)
        return self.pixels[inside, inside]


def _blend(flat: Pixels, where: NDArray[np.intp], mixed: Sequence[Floats], alpha: Floats) -> None:
    """Blend colours (red, green, blue) over pixels, each with its own alpha."""
    signed = flat.view(np.int32)  # numpy turns these into floats and back several times faster
    base = signed[where]
    result = np.full(len(where), -1 << 24, dtype=np.int32)
    for channel, shift in zip(mixed, (16, 8, 0), strict=True):
        under = ((base >> shift) & 255).astype(np.float32)
        part = channel - under
        part *= alpha
        part += under
        part += np.float32(0.5)
        value = part.astype(np.int32)
        value <<= shift
        result |= value
    signed[where] = result


def _splat(
    canvas: Canvas,
    x: Floats,
    y: Floats,
    steps: int,
    packed: tuple[NDArray[np.int64], NDArray[np.int64]],
    across: int,
    opacity: float,
) -> None:
    """Draw points by their number in each pixel. Changes x and y.

    Args:
        canvas: Drawn into.
        x: Across, in pixels of the canvas, (n,).
        y: Downwards, (n,).
        steps: The largest value of a colour's channel.
        packed: Red and green, and blue and one, of each point, (n,).
        across: Pixels that a point is wide.
        opacity: Of a single point.
    """
    across = min(max(across, 1), _LARGEST)
    pixels = _splat_index(canvas, x, y, across)
    first, second = (
        _spread(name, _sums_at(name, pixels, each, canvas.pixels.shape), across)
        for name, each in zip(_NAMES, packed, strict=True)
    )
    _resolve(canvas, first, second, steps, _PEAK[across], opacity)


def _resolve(
    canvas: Canvas, red_green: NDArray[np.int64], blue_count: NDArray[np.int64], steps: int, peak: int, opacity: float
) -> None:
    """Turn packed sums into colours; a single point weighs `peak`, and more points hide more of the background."""
    flat, first_sums, second_sums = canvas.pixels.reshape(-1), red_green.reshape(-1), blue_count.reshape(-1)
    signed = flat.view(np.int32)  # numpy turns these into floats and back several times faster
    heaviest = min(int(second_sums.max(initial=0) >> _HALF), _WEIGHTS)
    hidden = _hiding(opacity, np.arange(heaviest + 1, dtype=np.float32) / np.float32(peak))
    for block in _blocks(second_sums):
        # The halves of each sum, (n, 2); all machines that Qt and torch run on keep the lower one first.
        first, second = first_sums[block].view(np.int32), second_sums[block].view(np.int32)
        base, weight = signed[block], second[1::2]
        alpha = hidden.take(weight, mode="clip")
        share = alpha * np.float32(255 / steps)
        share /= np.maximum(weight, 1).astype(np.float32)
        uncovered = 1 - alpha
        result = np.full(len(weight), -1 << 24, dtype=np.int32)
        for sums, shift in ((first[::2], 16), (first[1::2], 8), (second[::2], 0)):
            part = sums.astype(np.float32)
            part *= share
            under = ((base >> shift) & 255).astype(np.float32)
            under *= uncovered
            part += under
            part += np.float32(0.5)
            value = part.astype(np.int32)
            value <<= shift
            result |= value
        signed[block] = result


def _blocks(sums: NDArray[np.int64]) -> Iterator[slice | NDArray[np.intp]]:
    """Yield the pixels with a sum in blocks; all pixels if nearly all have one."""
    touched = sums != 0
    if np.count_nonzero(touched) > _NEARLY_ALL * len(sums):
        yield from (slice(start, start + _BLOCK) for start in range(0, len(sums), _BLOCK))
        return
    where = np.flatnonzero(touched)
    yield from (where[start : start + _BLOCK] for start in range(0, len(where), _BLOCK))


def _hiding(opacity: float, counts: Floats) -> Floats:
    """Return how much of the background a number of points in one pixel hides, each of some opacity."""
    hidden: Floats = 1 - np.exp(counts * np.float32(np.log1p(-min(opacity, 0.999))))
    return np.asarray(np.minimum(hidden, counts * np.float32(opacity)))


class _Sheets(threading.local):
    """Buffers reused for each frame: allocating pages takes longer than adding into them."""

    def __init__(self) -> None:
        self._buffers: dict[str, NDArray[np.int64]] = {}

    def sheet(self, name: str, shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Return an uninitialised array, valid until the next call with the same name."""
        count = math.prod(shape)
        buffer = self._buffers.get(name)
        if buffer is None or not count <= len(buffer) <= max(8 * count, _SHEET):
            buffer = self._buffers[name] = np.empty(max(count, _SHEET), dtype=np.int64)
        return buffer[:count].reshape(shape)


_SHEETS = _Sheets()


def _sums_at(
    name: str, pixels: NDArray[np.intp], values: NDArray[np.int64], shape: tuple[int, ...]
) -> NDArray[np.int64]:
    """Sum the values at each flat pixel index."""
    sums = _SHEETS.sheet(name, shape)
    sums.fill(0)
    np.add.at(sums.reshape(-1), pixels, values)
    return sums


def _splat_index(canvas: Canvas, x: Floats, y: Floats, across: int) -> NDArray[np.intp]:
    """Return the flat pixel index of each point; those outside go to the margin. Changes x and y."""
    height, width = canvas.pixels.shape
    x -= np.float32((across - 1) / 2)  # the passes spread to the right and downwards
    y -= np.float32((across - 1) / 2)
    columns, rows = x.astype(np.int32), y.astype(np.int32)  # whole numbers are clipped many times faster
    np.clip(columns, 0, width - 1, out=columns)
    np.clip(rows, 0, height - 1, out=rows)
    rows *= np.int32(width)
    rows += columns
    return rows.astype(np.intp)


def _spread(name: str, picture: NDArray[np.int64], across: int) -> NDArray[np.int64]:
    """Spread each sum over so many pixels; what leaves at an edge is lost in the margin. Changes the picture."""
    spare = _SHEETS.sheet("spread " + name, picture.shape)
    for steps in _PASSES[across]:
        for stride in (1, picture.shape[1]):
            values, target = picture.reshape(-1), spare.reshape(-1)
            target[:stride] = 0  # nothing of an earlier frame may come in
            np.add(values[stride:], values[:-stride], out=target[stride:])
            for step in steps[1:]:
                target[step * stride :] += values[: -step * stride]
            picture, spare = spare, picture
    return picture


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
        return (steps[:, 0] | steps[:, 1] << _HALF)[self.colour_index], (steps[:, 2] | 1 << _HALF)[self.colour_index]

    @property
    def steps(self) -> int:
        """Return the largest value of a channel: less than 255 where the sum over all points would overflow."""
        spare = _HALF - 1 - (_COVERED * len(self.colour_index)).bit_length()
        return (1 << max(1, min(8, spare))) - 1


@dataclass(frozen=True, eq=False)
class Scene:
    """What is drawn, independent of the view.

    Attributes:
        layers: The points, the lowest first.
        background: The colour behind.
        radius: Of a usual point, in pixels of the window.
        strength: How opaque points are, as a share of what their layer says.
        backdrop: Paints what is behind the points, given the view and the width and height of the picture.
    """

    layers: tuple[Layer, ...]
    background: str
    radius: float
    strength: float = 1.0
    backdrop: Callable[[Camera, int, int], Pixels] | None = None


def paint(scene: Scene, camera: Camera, ratio: float, every: int = 1) -> Canvas:
    """Draw a scene.

    Args:
        scene: The points and what is behind them.
        camera: What is seen of them.
        ratio: Pixels of the picture for one of the window.
        every: Draw only every n-th point, for a quick picture.
    """
    layers, radius = scene.layers, scene.radius
    largest = max((layer.size for layer in layers), default=1.0) * radius * ratio
    margin = 2 * max(int(np.ceil(largest)), _LARGEST) + 3  # a disc whose middle is outside reaches twice as far
    width, height = max(1, round(camera.width * ratio)), max(1, round(camera.height * ratio))
    red, green, blue = channels(scene.background)
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
        _splat(canvas, x, y, layer.steps, packed, round(min(2 * radius, most)), opacity)
        return
    inside = _inside(canvas, x, y, radius)
    x, y, colour_index = x[inside], y[inside], gather(layer.colour_index, spans)[inside]
    few = Layer(layer.grid, colour_index, layer.colours)
    disc = _disc(round(radius * 8) / 8)
    if len(x) * len(disc.across) > ENTRIES:
        across = 2 if every > 1 else round(2 * radius)
        _splat(canvas, x, y, few.steps, few.packed, across, opacity)
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
    low, right, bottom = (canvas.margin - radius - 1, width - canvas.margin + radius, height - canvas.margin + radius)
    return np.asarray((x >= low) & (x <= right) & (y >= low) & (y <= bottom))


@dataclass(frozen=True, eq=False)
class _Disc:
    """The pixels that a disc may touch, and how much of each it covers.

    Attributes:
        across: Pixels to the right of the one with its middle, (K,).
        down: The same downwards, (K,).
        cover: 0..1 for each offset of the middle within its pixel, (fine * fine, K).
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
    pixels = (fine_y // _FINE) * np.int32(canvas.pixels.shape[1]) + fine_x // _FINE
    return pixels, (fine_y % _FINE) * np.int32(_FINE) + fine_x % _FINE


def _offsets(canvas: Canvas, disc: _Disc) -> NDArray[np.int32]:
    return disc.down * np.int32(canvas.pixels.shape[1]) + disc.across


def _mix(canvas: Canvas, x: Floats, y: Floats, layer: Layer, disc: _Disc, opacity: float) -> None:
    """Draw small discs: where they overlap, their colours mix by coverage, whatever their order."""
    pixels, within = _pixel_index(canvas, x, y)
    touched = (pixels[:, None] + _offsets(canvas, disc)).ravel().astype(np.intp)
    cover = np.rint(disc.cover * _COVERED).astype(np.int64)[within]  # (n, K)
    shape = canvas.pixels.shape
    first, second = (
        _sums_at(name, touched, (cover * each[:, None]).ravel(), shape)
        for name, each in zip(_NAMES, layer.packed, strict=True)
    )
    _resolve(canvas, first, second, layer.steps, _COVERED, opacity)


def _stack(canvas: Canvas, x: Floats, y: Floats, rgb: Floats, disc: _Disc, opacity: float) -> None:
    """Draw large discs: later ones hide earlier ones."""
    flat = canvas.pixels.reshape(-1)
    offsets = _offsets(canvas, disc)
    pixels, within = _pixel_index(canvas, x, y)
    top = np.full(len(flat), -1, dtype=np.int32)  # the disc that hides all others in a pixel
    numbers = np.arange(len(x), dtype=np.int32)[:, None]
    top[pixels[:, None] + offsets[disc.core]] = numbers  # numpy keeps the last of several
    where = np.flatnonzero(top >= 0)
    colour = rgb[top[where]]
    _blend(flat, where, list(colour.T), np.full(len(where), opacity, np.float32))
    rim = (pixels[:, None] + offsets[~disc.core]).ravel()
    cover = disc.cover[:, ~disc.core][within].ravel() * np.float32(opacity)
    owner = np.repeat(numbers.ravel(), int((~disc.core).sum()))
    open_ = np.flatnonzero((cover > 0.01) & (owner > top[rim]))
    last = np.full(len(flat), -1, dtype=np.int32)
    last[rim[open_]] = open_
    where = np.flatnonzero(last >= 0)
    entry = last[where]
    _blend(flat, where, list(rgb[owner[entry]].T), cover[entry])


@dataclass(frozen=True, eq=False)
class Field:
    """Points per cell, smoothed.

    Attributes:
        values: From the lowest row up, (rows, columns).
        box: The part of the map that the cells cover.
    """

    values: NDArray[np.float64]
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


def contours(field: Field, height: float) -> list[NDArray[np.float64]]:
    """Return the lines of one height in map coordinates, each (M, 2); they are closed, because the rim is empty."""
    from contourpy import contour_generator  # only a map with contours pays for the import

    rows, columns = field.values.shape
    step = (field.box.right - field.box.left) / columns, (field.box.high - field.box.low) / rows
    origin = np.array([field.box.left, field.box.low])
    lines = contour_generator(z=field.values).lines(height)
    return [origin + (np.asarray(line) + 0.5) * step for line in lines]  # a value is at the middle of its cell
