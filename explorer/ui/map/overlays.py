"""Paint what is over and behind the points: focus, hits, query, lasso, density and contours."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QImage,
    QPainter,
    QPainterPath,
    QPen,
    QPixmap,
    QPolygonF,
    QRadialGradient,
    QTransform,
)

from explorer.rendering.camera import Camera
from explorer.rendering.density import Field, contours, heights
from explorer.rendering.point_layers import GlowPoint
from explorer.rendering.style import MapStyle
from explorer.rendering.svg import contour_opacity

_GLOWS = 4  # strengths of a glow that are told apart


def paint_ring(painter: QPainter, x: float, y: float, radius: float, colour: str, style: MapStyle) -> None:
    """A ring around a point that stands out from whatever is below."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for width, stroke in ((5.5, style.ground), (2.5, colour)):
        painter.setPen(QPen(QColor(stroke), width))
        painter.drawEllipse(QPointF(x, y), radius, radius)


def paint_hits(
    painter: QPainter, hits: Sequence[GlowPoint], radius: float, ratio: float, style: MapStyle
) -> None:
    """Glows first, so that none covers a point, then the points themselves."""
    reach = max(12.0, 4.2 * radius)
    glows = [_glow(reach, (step + 1) / _GLOWS, ratio, style) for step in range(_GLOWS)]
    for hit in hits:
        glow = glows[min(int(hit.strength * _GLOWS), _GLOWS - 1)]
        painter.drawPixmap(QPointF(hit.x - reach, hit.y - reach), glow)
    painter.setPen(QPen(QColor(style.accent), 1.6))
    for hit in hits:
        size = max(radius, 2.6) + 1.4 * hit.strength
        painter.setBrush(QColor(hit.colour))
        painter.drawEllipse(QPointF(hit.x, hit.y), size, size)


def paint_query(painter: QPainter, x: float, y: float, style: MapStyle) -> None:
    """The query's own place: a cross with a free middle."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    inner, outer = 4.0, 12.0
    lines = [
        QLineF(x + across * inner, y + down * inner, x + across * outer, y + down * outer)
        for across, down in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    for width, colour in ((6.0, style.ground), (2.5, style.accent)):
        painter.setPen(QPen(QColor(colour), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLines(lines)


def paint_lasso(painter: QPainter, line: Sequence[tuple[float, float]], style: MapStyle) -> None:
    """The line that is being drawn, closed, with a tinted inside."""
    fill = QColor(style.accent)
    fill.setAlphaF(0.12)
    painter.setBrush(fill)
    painter.setPen(QPen(QColor(style.accent), 1.5))
    painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in line]), Qt.FillRule.WindingFill)


def paint_frame(painter: QPainter, width: float, height: float, style: MapStyle) -> None:
    """The sign that the keyboard is here."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(QColor(style.accent), 2))
    painter.drawRect(QRectF(1, 1, width - 2, height - 2))


class Terrain:
    """Density and contours of one field, drawn many times."""

    def __init__(self, field: Field, style: MapStyle) -> None:
        self._field = field
        self._style = style
        self._tint: QImage | None = None
        self._lines: list[list[NDArray[np.float64]]] | None = None
        self._paths: list[QPainterPath] = []

    def backdrop(self, camera: Camera, width: int, height: int) -> NDArray[np.uint32]:
        """The ground, tinted where points lie thick, as pixels, (height, width)."""
        self._tint = self._tint or _tint(self._field, self._style)
        box = self._field.box
        left, top = camera.on_screen(box.left, box.high)
        right, bottom = camera.on_screen(box.right, box.low)
        image = QImage(width, height, QImage.Format.Format_RGB32)
        image.fill(QColor(self._style.ground))
        painter = QPainter(image)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.scale(width / camera.width, height / camera.height)
        painter.drawImage(QRectF(left, top, right - left, bottom - top), self._tint)
        painter.end()
        return np.frombuffer(image.constBits(), np.uint32).reshape(height, width).copy()

    def paint_contours(self, painter: QPainter, camera: Camera) -> None:
        """Draw the lines of equal density, the inner ones stronger."""
        if not self._paths:
            self._paths = [_path(lines) for lines in self.contours()]
        painter.save()
        middle_x, middle_y = camera.on_screen(0.0, 0.0)
        painter.setTransform(QTransform(camera.scale, 0, 0, -camera.scale, middle_x, middle_y), True)
        colour = QColor(self._style.text)
        for number, path in enumerate(self._paths):
            colour.setAlphaF(contour_opacity(number, len(self._paths)))
            pen = QPen(colour, 1.0)
            pen.setCosmetic(True)
            painter.strokePath(path, pen)
        painter.restore()

    def contours(self) -> list[list[NDArray[np.float64]]]:
        """The lines of each density, the outermost first."""
        if self._lines is None:
            self._lines = [contours(self._field, height) for height in heights(self._field)]
        return self._lines


def _path(lines: Sequence[NDArray[np.float64]]) -> QPainterPath:
    path = QPainterPath()
    for line in lines:
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in line.tolist()]))
    return path


def _tint(field: Field, style: MapStyle) -> QImage:
    """The accent colour, the less transparent the thicker the points lie, y downwards."""
    thick = field.values[field.values > 0]
    top = float(np.quantile(thick, 0.98)) if len(thick) else 1.0
    alpha = np.rint(np.sqrt(np.clip(field.values / top, 0, 1))[::-1] * (0.34 if style.dark else 0.26) * 255)
    colour = QColor(style.accent)
    parts = [
        np.rint(alpha * (part / 255)) for part in (colour.red(), colour.green(), colour.blue())
    ]  # premultiplied
    alpha, red, green, blue = (part.astype(np.uint32) for part in (alpha, *parts))
    pixels = np.ascontiguousarray(alpha << 24 | red << 16 | green << 8 | blue)
    height, width = pixels.shape
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()


def _glow(reach: float, strength: float, ratio: float, style: MapStyle) -> QPixmap:
    side = math.ceil(2 * reach * ratio)
    pixmap = QPixmap(side, side)
    pixmap.setDevicePixelRatio(ratio)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    gradient = QRadialGradient(QPointF(reach, reach), reach)
    for place, share in ((0.0, 0.85), (0.4, 0.5), (0.7, 0.16), (1.0, 0.0)):
        colour = QColor(style.accent)
        colour.setAlphaF(share * (0.3 + 0.7 * strength))
        gradient.setColorAt(place, colour)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(gradient)
    painter.drawEllipse(QPointF(reach, reach), reach, reach)
    painter.end()
    return pixmap
