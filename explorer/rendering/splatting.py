"""Additive splatting: sum the colours of points per pixel; many points hide more of the background than one."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from explorer.rendering.canvas import Canvas

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

HALF = 32  # bits: two sums share one integer of 64
_NEARLY_ALL = 0.5  # of the pixels; looking up the others would take longer than working on them
_WEIGHTS = 1 << 14  # in a pixel; more hide no more
_SHEET = 1 << 20  # pixels; smaller sheets are not worth their own memory
NAMES = ("red, green", "blue, count")
_BLOCK = 16_384  # pixels worked on at a time, so that they stay in the processor's cache
LARGEST = 5  # pixels across, of a counted point
COVERED = 15  # the weight of a pixel that a small disc covers whole
# How a counted point of that many pixels across is spread: each pass adds the picture to itself, moved by so many
# pixels, along both sides. Middle pixels then weigh the product of the passes' lengths at most.
_PASSES: dict[int, tuple[tuple[int, ...], ...]] = {
    1: (), 2: ((1,),), 3: ((1,), (1,)), 4: ((1,), (1, 2)), 5: ((1, 2), (1, 2)),
}  # fmt: skip
_PEAK = {1: 1, 2: 1, 3: 4, 4: 4, 5: 9}  # the weight of a point in its middle pixel


def count(
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
        canvas: MapSource into.
        x: Across, in pixels of the canvas, (n,).
        y: Downwards, (n,).
        steps: The largest value of a colour's channel.
        packed: Red and green, and blue and one, of each point, (n,).
        across: Pixels that a point is wide.
        opacity: Of a single point.
    """
    across = min(max(across, 1), LARGEST)
    places = _pixel_index(canvas, x, y, across)
    first, second = (
        _spread(name, sums_at(name, places, each, canvas.pixels.shape), across)
        for name, each in zip(NAMES, packed, strict=True)
    )
    resolve(canvas, first, second, steps, _PEAK[across], opacity)


def resolve(
    canvas: Canvas,
    red_green: NDArray[np.int64],
    blue_count: NDArray[np.int64],
    steps: int,
    peak: int,
    opacity: float,
) -> None:
    """Turn packed sums into colours; a single point weighs `peak`, and more points hide more of the background."""
    flat, first_sums, second_sums = canvas.pixels.reshape(-1), red_green.reshape(-1), blue_count.reshape(-1)
    signed = flat.view(np.int32)  # numpy turns these into floats and back several times faster
    heaviest = min(int(second_sums.max(initial=0) >> HALF), _WEIGHTS)
    hidden = _hiding(opacity, np.arange(heaviest + 1, dtype=np.float32) / np.float32(peak))
    for block in _blocks(second_sums):
        # The halves of each sum, (n, 2); all machines that Qt and torch run on keep the lower one first.
        first, second = first_sums[block].view(np.int32), second_sums[block].view(np.int32)
        base, weight = signed[block], second[1::2]
        alpha = hidden.take(weight, mode="clip")
        share = alpha * np.float32(255 / steps)
        share /= np.maximum(weight, 1).astype(np.float32)
        kept = 1 - alpha
        result = np.full(len(weight), -1 << 24, dtype=np.int32)
        for sums, shift in ((first[::2], 16), (first[1::2], 8), (second[::2], 0)):
            part = sums.astype(np.float32)
            part *= share
            under = ((base >> shift) & 255).astype(np.float32)
            under *= kept
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


def _hiding(opacity: float, number: Floats) -> Floats:
    """Return how much of the background a number of points in one pixel hides, each of some opacity."""
    hidden: Floats = 1 - np.exp(number * np.float32(np.log1p(-min(opacity, 0.999))))
    return np.asarray(np.minimum(hidden, number * np.float32(opacity)))


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


def sums_at(
    name: str, places: NDArray[np.intp], values: NDArray[np.int64], shape: tuple[int, ...]
) -> NDArray[np.int64]:
    """Sum the values at each flat pixel index."""
    found = _SHEETS.sheet(name, shape)
    found.fill(0)
    np.add.at(found.reshape(-1), places, values)
    return found


def _pixel_index(canvas: Canvas, x: Floats, y: Floats, across: int) -> NDArray[np.intp]:
    """Return the flat pixel index of each point; those outside go to the margin. Changes x and y."""
    height, width = canvas.pixels.shape
    x -= np.float32((across - 1) / 2)  # the passes spread to the right and downwards
    y -= np.float32((across - 1) / 2)
    columns, places = x.astype(np.int32), y.astype(np.int32)  # whole numbers are clipped many times faster
    np.clip(columns, 0, width - 1, out=columns)
    np.clip(places, 0, height - 1, out=places)
    places *= np.int32(width)
    places += columns
    return places.astype(np.intp)


def _spread(name: str, picture: NDArray[np.int64], across: int) -> NDArray[np.int64]:
    """Spread each sum over so many pixels; what leaves at an edge is lost in the margin. Changes the picture."""
    spare = _SHEETS.sheet("spread " + name, picture.shape)
    for steps in _PASSES[across]:
        for stride in (1, picture.shape[1]):
            values, found = picture.reshape(-1), spare.reshape(-1)
            found[:stride] = 0  # nothing of an earlier frame may come in
            np.add(values[stride:], values[:-stride], out=found[stride:])
            for step in steps[1:]:
                found[step * stride :] += values[: -step * stride]
            picture, spare = spare, picture
    return picture
