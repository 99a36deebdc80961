"""Paint the labels of the map: coarser from afar, finer close up, none over another."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap

from explorer.rendering.camera import Camera
from explorer.rendering.labels import Label, PlacedLabel, by_size, place_labels
from explorer.rendering.style import MapStyle

_MOST_LETTERS = 42
_HALO = 5.0
_CACHED = 400  # painted labels


class LabelPainter:
    """Chooses, places and paints the labels of a map.

    Painted labels are cached as pixmaps: stroking the halo of a path takes longer than all other painting.
    """

    def __init__(self, style: MapStyle, font: QFont) -> None:
        self._levels: tuple[tuple[Label, ...], ...] = ()
        self._pixmaps: dict[tuple[str, float], QPixmap] = {}
        self.set_look(style, font)

    def set_look(self, style: MapStyle, font: QFont) -> None:
        """Use other colours or another font."""
        self._style = style
        self._font = QFont(font)
        self._font.setPointSizeF(style.text_size)
        self._font.setWeight(QFont.Weight.DemiBold)
        self._metrics = QFontMetricsF(self._font)
        self._widths: dict[str, float] = {}
        self._pixmaps.clear()

    def set_levels(self, levels: Sequence[Sequence[Label]]) -> None:
        """Set the labels, from a few for the whole map to many for close up."""
        self._levels = tuple(tuple(by_size(level)) for level in levels if level)

    def place(self, camera: Camera, closeness: float, lift: float = 0.0) -> list[PlacedLabel]:
        """Return the labels that find room, the largest first.

        Args:
            camera: The view.
            closeness: The magnification relative to the view of the whole map.
            lift: Pixels by which labels are moved up, so that they hide no point.
        """
        half_height = self._metrics.height() / 2 + 1
        return place_labels(self._level(closeness), camera, self._measure, half_height, lift=lift)

    def paint(
        self, painter: QPainter, labels: Sequence[PlacedLabel], ratio: float, *, quiet: bool = False
    ) -> None:
        """Paint placed labels, fainter if `quiet`."""
        painter.setOpacity(0.75 if quiet else 1.0)
        for label in labels:
            pixmap = self._pixmap(label.text, ratio)
            size = pixmap.deviceIndependentSize()
            left, top = label.x - size.width() / 2, label.y - size.height() / 2
            # Whole pixels keep letters sharp.
            painter.drawPixmap(QPointF(round(left * ratio) / ratio, round(top * ratio) / ratio), pixmap)
        painter.setOpacity(1.0)

    def _level(self, closeness: float) -> tuple[Label, ...]:
        """The next finer level each time the map is twice as large."""
        if not self._levels:
            return ()
        number = math.floor(math.log2(max(closeness, 1e-9) * 1.15))
        return self._levels[min(max(number, 0), len(self._levels) - 1)]

    def _measure(self, name: str) -> tuple[str, float]:
        text = _shorten(name)
        return text, self._width(text)

    def _width(self, text: str) -> float:
        if text not in self._widths:
            self._widths[text] = self._metrics.horizontalAdvance(text)
        return self._widths[text]

    def _pixmap(self, text: str, ratio: float) -> QPixmap:
        """Return the label with its halo, painted once."""
        key = text, ratio
        if key not in self._pixmaps:
            if len(self._pixmaps) >= _CACHED:
                self._pixmaps.clear()
            self._pixmaps[key] = self._render(text, ratio)
        return self._pixmaps[key]

    def _render(self, text: str, ratio: float) -> QPixmap:
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
        painter.setPen(QColor(self._style.text))
        painter.drawText(QRectF(_HALO + 1, _HALO, width, height), Qt.AlignmentFlag.AlignLeft, text)
        painter.end()
        return pixmap


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1].rstrip(" ·,") + "…"
