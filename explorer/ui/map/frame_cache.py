"""The rendered points of the screen: cached while nothing changes, shifted while the map is dragged.

Frames while dragging may be coarser on a slow machine; the frame at rest is always complete.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

from PySide6.QtGui import QImage

from explorer.rendering.camera import Camera
from explorer.rendering.raster import Canvas, Scene, paint

_SLOW, _QUICK = 0.025, 0.010  # seconds a frame: when to draw less while moving, when to draw more again
_COARSEST = 5


@dataclass(frozen=True, eq=False)
class _Frame:
    canvas: Canvas
    scene: Scene
    camera: Camera
    ratio: float
    every: int


class FrameCache:
    """Draws the points of a scene, reusing as much of the last frame as possible."""

    def __init__(self) -> None:
        self._last: _Frame | None = None
        self._level = 0
        self._quick = 0

    def image(self, scene: Scene, camera: Camera, ratio: float, *, moving: bool) -> QImage:
        """Return the picture, valid until the next call.

        Args:
            scene: The points. The same object as before means that they did not change.
            camera: What is seen of them.
            ratio: Pixels of the screen for one of the window.
            moving: Whether the next frame is expected at once, so that a coarser one will do.
        """
        started = time.perf_counter()
        level = self._level if moving else 0
        drawn_ratio, every = _coarse(level, ratio)
        shifted = self._shifted(scene, camera, drawn_ratio, every)
        if shifted is None:
            canvas = paint(scene, camera, drawn_ratio, every)
            self._last = _Frame(canvas, scene, camera, drawn_ratio, every)
            if moving:
                self._learn(time.perf_counter() - started)
        else:
            self._last = shifted
        return _image(self._last.canvas)

    def sharp(self, ratio: float) -> bool:
        """Return whether the last picture has the full resolution of a screen of that ratio."""
        return self._last is None or (self._last.every == 1 and self._last.ratio == ratio)

    def _learn(self, seconds: float) -> None:
        """Draw less after a slow frame, more again only after many fast ones, because each change flickers."""
        self._quick = self._quick + 1 if seconds < _QUICK else 0
        if seconds > _SLOW:
            self._level = min(_COARSEST, self._level + 1)
        elif self._quick > 20:
            self._level, self._quick = max(0, self._level - 1), 0

    def _shifted(self, scene: Scene, camera: Camera, ratio: float, every: int) -> _Frame | None:
        """Return the last picture moved by whole pixels, with the new strips drawn; None if that is not possible."""
        last = self._last
        if last is None or last.scene is not scene or (last.ratio, last.every) != (ratio, every):
            return None
        if replace(last.camera, x=camera.x, y=camera.y) != camera:
            return None
        step = camera.scale * ratio
        right, down = (last.camera.x - camera.x) * step, (camera.y - last.camera.y) * step
        across, along = round(right), round(down)
        if not (across or along):
            return last
        if abs(right - across) > 0.02 or abs(down - along) > 0.02:
            return None
        height, width = last.canvas.seen.shape
        if abs(across) * height + abs(along) * width > 0.5 * height * width:
            return None
        _move(last.canvas, across, along)
        frame = replace(last, camera=camera)
        if along:
            top = 0 if along > 0 else height + along
            _fill(frame, 0, top, width, abs(along))
        if across:
            left = 0 if across > 0 else width + across
            _fill(frame, left, 0, abs(across), height)
        return frame


def _coarse(level: int, ratio: float) -> tuple[float, int]:
    """Return the pixel ratio and the stride of points to draw; on a high-density screen the ratio drops first."""
    if level and ratio > 1:
        return 1.0, 1 << (level - 1)
    return ratio, 1 << level


def _move(canvas: Canvas, right: int, down: int) -> None:
    height, width = canvas.seen.shape
    onto = slice(max(down, 0), height + min(down, 0)), slice(max(right, 0), width + min(right, 0))
    out_of = slice(max(-down, 0), height + min(-down, 0)), slice(max(-right, 0), width + min(-right, 0))
    canvas.seen[onto] = canvas.seen[out_of].copy()


def _fill(frame: _Frame, left: int, top: int, width: int, height: int) -> None:
    """Redraw a part of the picture, given in its own pixels."""
    whole, ratio = frame.camera, frame.ratio
    rows, columns = frame.canvas.seen.shape
    part = replace(
        whole,
        x=whole.x + (left + width / 2 - columns / 2) / (whole.scale * ratio),
        y=whole.y - (top + height / 2 - rows / 2) / (whole.scale * ratio),
        width=width / ratio,
        height=height / ratio,
    )
    canvas = paint(frame.scene, part, ratio, frame.every)
    frame.canvas.seen[top : top + height, left : left + width] = canvas.seen


def _image(canvas: Canvas) -> QImage:
    """Return the canvas as an image that shares its memory."""
    height, width = canvas.seen.shape
    stride = canvas.pixels.shape[1]
    start = canvas.margin * stride + canvas.margin
    return QImage(
        canvas.pixels.reshape(-1)[start:].data, width, height, 4 * stride, QImage.Format.Format_RGB32
    )
