"""Names on the map: coarser from afar, finer close up, never one over another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap

from explorer.rendering.camera import Camera
from explorer.rendering.style import MapStyle
from explorer.workspace.export.map_data import Label

_MOST_LETTERS = 42
_SPACE = 5.0  # pixels between two names
_HALO = 5.0
_KEPT = 400  # drawn names that are remembered


@dataclass(frozen=True)
class PlacedLabel:
    """A name with the room it takes: its middle, and half its width and height, in pixels of the window."""

    text: str
    x: float
    y: float
    half_width: float
    half_height: float

    def overlaps(self, other: PlacedLabel) -> bool:
        """Whether the two are too near to be read."""
        return (
            abs(self.x - other.x) < self.half_width + other.half_width
            and abs(self.y - other.y) < self.half_height + other.half_height
        )


class LabelPlacer:
    """Finds room for names and writes them."""

    def __init__(self, style: MapStyle, font: QFont) -> None:
        self._levels: tuple[tuple[Label, ...], ...] = ()
        self._drawn: dict[tuple[str, float], QPixmap] = {}
        self.set_look(style, font)

    def set_look(self, style: MapStyle, font: QFont) -> None:
        """Write in other colours or letters."""
        self._style = style
        self._font = QFont(font)
        self._font.setPointSizeF(style.text_size)
        self._font.setWeight(QFont.Weight.DemiBold)
        self._metrics = QFontMetricsF(self._font)
        self._widths: dict[str, float] = {}
        self._drawn.clear()

    def set_levels(self, levels: Sequence[Sequence[Label]]) -> None:
        """Take the names, from a few for the whole map to many for close up."""
        self._levels = tuple(
            tuple(sorted(level, key=lambda label: (-label.size, label.text))) for level in levels if level
        )

    def placed(self, camera: Camera, closeness: float, lift: float = 0.0) -> list[PlacedLabel]:
        """The names that find room, the largest first.

        Those just outside take room too, so that none jumps while the map is dragged.

        Args:
            camera: The view.
            closeness: How much larger than in the view of the whole map things are.
            lift: Pixels by which names stand above their place, so that they hide no point.
        """
        found: list[PlacedLabel] = []
        for label in self._level(closeness):
            x, y = camera.on_screen(label.x, label.y)
            if not (-400 < x < camera.width + 400 and -200 < y < camera.height + 200):
                continue
            text = _shortened(label.text)
            half = self._width(text) / 2 + _SPACE
            if 0 <= x <= camera.width and 2 * half < camera.width:
                x = min(max(x, half), camera.width - half)  # the name of what is seen is seen whole
            one = PlacedLabel(text, x, y - lift, half, self._metrics.height() / 2 + 1)
            if text and not any(one.overlaps(other) for other in found):
                found.append(one)
        return found

    def paint(
        self, painter: QPainter, names: Sequence[PlacedLabel], ratio: float, *, quiet: bool = False
    ) -> None:
        """Write names; quietly while something else is to be seen."""
        painter.setOpacity(0.75 if quiet else 1.0)
        for name in names:
            pixmap = self._pixmap(name.text, ratio)
            size = pixmap.deviceIndependentSize()
            left, top = name.x - size.width() / 2, name.y - size.height() / 2
            # Whole pixels keep letters sharp.
            painter.drawPixmap(QPointF(round(left * ratio) / ratio, round(top * ratio) / ratio), pixmap)
        painter.setOpacity(1.0)

    def _level(self, closeness: float) -> tuple[Label, ...]:
        """The next finer level each time the map is twice as large."""
        if not self._levels:
            return ()
        number = math.floor(math.log2(max(closeness, 1e-9) * 1.15))
        return self._levels[min(max(number, 0), len(self._levels) - 1)]

    def _width(self, text: str) -> float:
        if text not in self._widths:
            self._widths[text] = self._metrics.horizontalAdvance(text)
        return self._widths[text]

    def _pixmap(self, text: str, ratio: float) -> QPixmap:
        """The name with its halo, drawn once."""
        key = text, ratio
        if key not in self._drawn:
            if len(self._drawn) >= _KEPT:
                self._drawn.clear()
            self._drawn[key] = self._written(text, ratio)
        return self._drawn[key]

    def _written(self, text: str, ratio: float) -> QPixmap:
        width, height = self._width(text) + 2 * _HALO + 2, self._metrics.height() + 2 * _HALO
        pixmap = QPixmap(math.ceil(width * ratio), math.ceil(height * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        start = QPointF(_HALO + 1, _HALO + self._metrics.ascent())
        path = QPainterPath()
        path.addText(start, self._font, text)
        halo = QColor(self._style.ground)
        halo.setAlphaF(0.9)
        pen = QPen(halo, _HALO, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(path, pen)
        painter.setFont(self._font)
        painter.setPen(QColor(self._style.ink))
        painter.drawText(QRectF(_HALO + 1, _HALO, width, height), Qt.AlignmentFlag.AlignLeft, text)
        painter.end()
        return pixmap


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1].rstrip(" ·,") + "…"
