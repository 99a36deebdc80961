"""Paint the whole map (points, density, contours, labels, hits, focus, query, lasso) on a screen or an image."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
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
from explorer.rendering.colours import MapStyle
from explorer.rendering.labels import FreeRoom, Label, Offsets, PlacedLabel, by_size, place_labels
from explorer.rendering.picture import Snapshot, contour_opacity
from explorer.rendering.point_grid import gather
from explorer.rendering.point_layers import GlowPoint, MapPoints
from explorer.rendering.raster import Canvas, Field, Scene, contours, density, heights, paint
from explorer.ui.map.hover_card import wrap_text

_LINE, _LINES = 190.0, 3  # pixels of a label's line, and lines at most
_TITLE = 200  # pixels of a document's title
_BESIDE_POINT = 6  # pixels between a point and its title
_TITLED = 60  # documents in sight at most for their titles to be shown
_NEAR = 3.0  # times the view of the whole map, from which titles are shown
_AROUND = 200  # pixels around the picture in which labels are settled
_SAMPLED = 100_000  # points that show where there is room
_HALO = 5.0
_CACHED = 400  # painted labels
_GLOWS = 4  # strengths of a glow that can be distinguished


class LabelPainter:
    """Chooses, places and paints the labels of a map, and close up the titles of its documents.

    Painted labels are cached as pixmaps: stroking the halo of a path takes longer than all other painting.
    """

    def __init__(self, style: MapStyle, font: QFont) -> None:
        self._levels: tuple[tuple[Label, ...], ...] = ()
        self.colours: Mapping[int, str] = {}
        self._pixmaps: dict[tuple[str, float, str, bool], QPixmap] = {}
        self._offsets: dict[Label, Offsets] = {}
        self._settled: tuple[object, ...] = ()  # what the offsets were found for
        self.set_look(style, font)

    def set_look(self, style: MapStyle, font: QFont) -> None:
        """Use other colours or another font."""
        self._style = style
        self._font, self._small = QFont(font), QFont(font)
        self._font.setPointSizeF(style.text_size)
        self._font.setWeight(QFont.Weight.DemiBold)
        self._small.setPointSizeF(max(9.0, style.text_size - 1))
        self._metrics, self._small_metrics = QFontMetricsF(self._font), QFontMetricsF(self._small)
        self._measured: dict[str, tuple[str, float]] = {}
        self._pixmaps.clear()
        self._settled = ()

    def set_levels(self, levels: Sequence[Sequence[Label]]) -> None:
        """Set the labels, from a few for the whole map to many for close up."""
        self._levels = tuple(tuple(by_size(level)) for level in levels if level)
        self._settled = ()

    def fit_labels(
        self, camera: Camera, closeness: float, *, lift: float = 0.0, taken: Sequence[PlacedLabel] = ()
    ) -> list[PlacedLabel]:
        """Return the labels that find room, the largest first.

        Args:
            camera: The view.
            closeness: The magnification relative to the view of the whole map.
            lift: Pixels by which labels are moved up that `settle` has not found a place for.
            taken: Room that is taken already.
        """
        above = ((0.0, -lift),)
        return place_labels(
            self._level(closeness),
            camera,
            self._measure,
            self._metrics.height() / 2 + 1,
            offsets=lambda label: self._offsets.get(label, above),
            taken=taken,
        )

    def settle(self, camera: Camera, closeness: float, points: MapPoints, covered: Sequence[PlacedLabel] = ()) -> None:
        """Find places beside the points for the labels in sight; while the scale stays, none moves again."""
        state = (camera.scale, camera.width, camera.height, points.grid, tuple(covered))
        if state != self._settled:
            self._settled = state
            self._offsets.clear()
        around = camera.seen(_AROUND)
        unsettled = [
            label
            for label in self._level(closeness)
            if (label not in self._offsets or self._is_cut(label, camera))
            and around.left < label.x < around.right
            and around.low < label.y < around.high
        ]
        if not unsettled:
            return
        spans = points.grid.spans(around)
        x, y = gather(points.grid.x, spans), gather(points.grid.y, spans)
        every = max(1, len(x) // _SAMPLED)
        room = FreeRoom(
            (x[::every] - camera.x) * camera.scale + camera.width / 2,
            camera.height / 2 - (y[::every] - camera.y) * camera.scale,
            camera.width,
            camera.height,
            radius=points.radius(camera) + 1,
            covered=covered,
        )
        half_line = self._metrics.height() / 2 + 1
        for label in unsettled:
            text, width = self._measure(label.text)
            half_height = half_line * (1 + text.count("\n"))
            self._offsets[label] = room.offsets(*camera.on_screen(label.x, label.y), width / 2, half_height)

    def _is_cut(self, label: Label, camera: Camera) -> bool:
        """Return whether a label of a part in sight would be moved inside the picture, and so over points."""
        x, y = camera.on_screen(label.x, label.y)
        (right, down), (text, width) = self._offsets[label][0], self._measure(label.text)
        half_height = (self._metrics.height() / 2 + 1) * (1 + text.count("\n"))
        return (0 <= x <= camera.width and 0 <= y <= camera.height) and not (
            width / 2 <= x + right <= camera.width - width / 2
            and half_height <= y + down <= camera.height - half_height
        )

    def titles(
        self, titles: Sequence[tuple[str, float, float]], radius: float, width: float, taken: Sequence[PlacedLabel]
    ) -> list[PlacedLabel]:
        """Return the titles of documents that find room beside their points.

        Args:
            titles: Each with the pixel of its point, the most important first.
            radius: Of a point.
            width: Of the view.
            taken: The labels that are placed already.
        """
        placed = list(taken)
        half_height = self._small_metrics.height() / 2
        across, down = (np.array([title[axis] for title in titles], np.float32) for axis in (1, 2))
        room = FreeRoom(across, down, width, float(down.max(initial=0.0)), radius=radius)
        for title, x, y in titles:
            text = self._small_metrics.elidedText(" ".join(title.split()), Qt.TextElideMode.ElideRight, _TITLE)
            half_width = self._small_metrics.horizontalAdvance(text) / 2 + 3
            for side in (1, -1):
                middle = x + side * (radius + _BESIDE_POINT + half_width)
                candidate = PlacedLabel(text, middle, y, half_width, half_height, title=True)
                inside = half_width <= middle <= width - half_width
                free = inside and room.is_free(middle, y, half_width, half_height)
                if text and free and not any(candidate.overlaps(other) for other in placed):
                    placed.append(candidate)
                    break
        return placed[len(taken) :]

    def paint(self, painter: QPainter, labels: Sequence[PlacedLabel], ratio: float, *, quiet: bool = False) -> None:
        """Paint placed labels, fainter if `quiet`."""
        painter.setOpacity(0.75 if quiet else 1.0)
        for label in labels:
            pixmap = self._pixmap(label, ratio)
            size = pixmap.deviceIndependentSize()
            left, top = label.x - size.width() / 2, label.y - size.height() / 2
            # Whole pixels keep letters sharp.
            painter.drawPixmap(QPointF(round(left * ratio) / ratio, round(top * ratio) / ratio), pixmap)
        painter.setOpacity(1.0)

    def _level(self, closeness: float) -> tuple[Label, ...]:
        """Return the next finer level each time the map is twice as large."""
        if not self._levels:
            return ()
        number = math.floor(math.log2(max(closeness, 1e-9) * 1.15))
        return self._levels[min(max(number, 0), len(self._levels) - 1)]

    def _measure(self, name: str) -> tuple[str, float]:
        """Return a name wrapped to a few lines, and the width of the widest."""
        if name not in self._measured:
            lines = wrap_text(name, self._font, _LINE, _LINES)
            widest = max((self._metrics.horizontalAdvance(line) for line in lines), default=0.0)
            self._measured[name] = "\n".join(lines), widest
        return self._measured[name]

    def _pixmap(self, label: PlacedLabel, ratio: float) -> QPixmap:
        """Return the label with its halo, painted once."""
        colour = self.colours.get(label.cluster, self._style.text)
        key = label.text, ratio, colour, label.title
        if key not in self._pixmaps:
            if len(self._pixmaps) >= _CACHED:
                self._pixmaps.clear()
            self._pixmaps[key] = self._render(label, colour, ratio)
        return self._pixmaps[key]

    def _render(self, label: PlacedLabel, colour: str, ratio: float) -> QPixmap:
        font, metrics = (self._small, self._small_metrics) if label.title else (self._font, self._metrics)
        lines = label.text.split("\n")
        widths = [metrics.horizontalAdvance(line) for line in lines]
        width, height = max(widths) + 2 * _HALO + 2, len(lines) * metrics.height() + 2 * _HALO
        pixmap = QPixmap(math.ceil(width * ratio), math.ceil(height * ratio))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        halo = QColor(self._style.background)
        halo.setAlphaF(0.9)
        pen = QPen(halo, _HALO, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
        starts = [
            QPointF((width - wide) / 2, _HALO + number * metrics.height() + metrics.ascent())
            for number, wide in enumerate(widths)
        ]
        path = QPainterPath()
        for start, line in zip(starts, lines, strict=True):
            path.addText(start, font, line)
        painter.strokePath(path, pen)
        painter.setFont(font)
        painter.setPen(QColor(colour))
        for start, line in zip(starts, lines, strict=True):
            painter.drawText(start, line)
        painter.end()
        return pixmap


def _paint_ring(painter: QPainter, x: float, y: float, radius: float, colour: str, style: MapStyle) -> None:
    """Draw a ring around a point that stands out from whatever is below."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for width, stroke in ((5.5, style.background), (2.5, colour)):
        painter.setPen(QPen(QColor(stroke), width))
        painter.drawEllipse(QPointF(x, y), radius, radius)


def _paint_hits(painter: QPainter, hits: Sequence[GlowPoint], radius: float, ratio: float, style: MapStyle) -> None:
    """Draw the glows first, so that none covers a point, then the points."""
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


def _paint_query(painter: QPainter, x: float, y: float, style: MapStyle) -> None:
    """Paint the query's position: a cross with a free middle."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    inner, outer = 4.0, 12.0
    lines = [
        QLineF(x + across * inner, y + down * inner, x + across * outer, y + down * outer)
        for across, down in ((1, 0), (-1, 0), (0, 1), (0, -1))
    ]
    for width, colour in ((6.0, style.background), (2.5, style.accent)):
        painter.setPen(QPen(QColor(colour), width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        painter.drawLines(lines)


def _paint_lasso(painter: QPainter, line: Sequence[tuple[float, float]], style: MapStyle) -> None:
    """Draw the line of the selection, closed, with a tinted inside."""
    fill = QColor(style.accent)
    fill.setAlphaF(0.12)
    painter.setBrush(fill)
    painter.setPen(QPen(QColor(style.accent), 1.5))
    painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in line]), Qt.FillRule.WindingFill)


def _paint_frame(painter: QPainter, width: float, height: float, style: MapStyle) -> None:
    """Draw the sign that the keyboard is here."""
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
        """Return the background, tinted where points are dense, as pixels, (height, width)."""
        self._tint = self._tint or _tint(self._field, self._style)
        box = self._field.box
        left, top = camera.on_screen(box.left, box.high)
        right, bottom = camera.on_screen(box.right, box.low)
        image = QImage(width, height, QImage.Format.Format_RGB32)
        image.fill(QColor(self._style.background))
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
        """Return the lines of each density, the outermost first."""
        if self._lines is None:
            self._lines = [contours(self._field, height) for height in heights(self._field)]
        return self._lines


def _path(lines: Sequence[NDArray[np.float64]]) -> QPainterPath:
    path = QPainterPath()
    for line in lines:
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in line.tolist()]))
    return path


def _tint(field: Field, style: MapStyle) -> QImage:
    """Return the accent colour, less transparent where points are denser, y downwards."""
    thick = field.values[field.values > 0]
    top = float(np.quantile(thick, 0.98)) if len(thick) else 1.0
    alpha = np.rint(np.sqrt(np.clip(field.values / top, 0, 1))[::-1] * (0.34 if style.dark else 0.26) * 255)
    colour = QColor(style.accent)
    parts = [np.rint(alpha * (part / 255)) for part in (colour.red(), colour.green(), colour.blue())]  # premultiplied
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
    for stop, share in ((0.0, 0.85), (0.4, 0.5), (0.7, 0.16), (1.0, 0.0)):
        colour = QColor(style.accent)
        colour.setAlphaF(share * (0.3 + 0.7 * strength))
        gradient.setColorAt(stop, colour)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(gradient)
    painter.drawEllipse(QPointF(reach, reach), reach, reach)
    painter.end()
    return pixmap


@dataclass(frozen=True)
class Overlays:
    """What is shown over the points.

    Attributes:
        focused: The row with the ring, or -1.
        hovered: The row under the cursor, or -1.
        query: The query's position on the map.
        line: The lasso being drawn, in pixels.
        density: Whether the background is tinted where points are dense.
        contours: Whether lines of equal density are drawn.
        framed: Whether the keyboard is here.
        covered: Parts of the map under cards, in pixels, where no label stands.
    """

    focused: int = -1
    hovered: int = -1
    query: tuple[float, float] | None = None
    line: Sequence[tuple[float, float]] = ()
    density: bool = False
    contours: bool = False
    framed: bool = False
    covered: tuple[QRectF, ...] = ()


class MapPainter:
    """Paints points in one style, and caches what it drew."""

    def __init__(self, points: MapPoints, style: MapStyle, font: QFont) -> None:
        self._points = points
        self._style = style
        self._frames = FrameCache()
        self._labels = LabelPainter(style, font)
        self._scene: Scene | None = None
        self._terrain: Terrain | None = None
        self._is_settled = False  # whether labels had the time to find their places
        self.title_of: Callable[[int], str] | None = None

    def set_look(self, style: MapStyle, font: QFont) -> None:
        """Use another style or font."""
        self._style = style
        self._labels.set_look(style, font)
        self.renew(moved=True)

    def set_levels(self, levels: Sequence[Sequence[Label]]) -> None:
        """Set the labels, from a few for the whole map to many for close up."""
        self._labels.set_levels(levels)

    def set_label_colours(self, colours: Mapping[int, str]) -> None:
        """Set the colours of the labels of clusters; others are written in the colour of text."""
        self._labels.colours = colours

    def renew(self, *, moved: bool = False) -> None:
        """Drop what was drawn of points that have changed; the terrain only if they have `moved`."""
        self._scene = None
        if moved:
            self._terrain = None

    def sharp(self, ratio: float) -> bool:
        """Return whether the last picture had full resolution, and its labels their places."""
        return self._is_settled and self._frames.sharp(ratio)

    def paint(self, painter: QPainter, camera: Camera, ratio: float, shown: Overlays, *, moving: bool = False) -> None:
        """Paint everything.

        Args:
            painter: Of the screen or an image.
            camera: What is seen.
            ratio: Pixels of the device for one of the window.
            shown: What is shown over the points.
            moving: Whether the next frame is expected at once.
        """
        scene = self._scene_at(camera, shown)
        image = self._frames.image(scene, camera, ratio, moving=moving)
        hints = QPainter.RenderHint
        painter.setRenderHint(hints.SmoothPixmapTransform, on=image.width() < round(camera.width * ratio))
        painter.drawImage(QRectF(0, 0, camera.width, camera.height), image)
        painter.setRenderHint(hints.Antialiasing)
        if shown.contours and len(self._points):
            self._terrain_now().paint_contours(painter, camera)
        hits = self._points.hits(camera)
        _paint_hits(painter, hits, scene.radius, ratio, self._style)
        self._labels.paint(painter, self._placed(camera, shown, moving=moving), ratio, quiet=bool(hits))
        self._paint_overlays(painter, camera, scene.radius, shown)

    def snapshot(self, camera: Camera, shown: Overlays, title: str) -> Snapshot:
        """Return everything on the screen as values, for a file."""
        contours = self._terrain_now().contours() if shown.contours and len(self._points) else ()
        return Snapshot(
            title=title,
            scene=self._scene_at(camera, shown),
            camera=camera,
            style=self._style,
            labels=self._placed(camera, shown),
            label_size=self._style.text_size * 4 / 3,  # points to pixels at 96 dots per inch
            label_colours=self._labels.colours,
            hits=self._points.hits(camera),
            contours=contours,
            focus=None if shown.focused < 0 else self._points.at(shown.focused, camera),
            query=None if shown.query is None else camera.on_screen(*shown.query),
        )

    def _placed(self, camera: Camera, shown: Overlays, *, moving: bool = False) -> list[PlacedLabel]:
        closeness = camera.scale / camera.fitted(self._points.box).scale
        covered = [
            PlacedLabel("", card.center().x(), card.center().y(), card.width() / 2, card.height() / 2)
            for card in shown.covered
        ]
        self._is_settled = not moving
        if not moving:
            self._labels.settle(camera, closeness, self._points, covered)
        radius = self._points.radius(camera)
        labels = self._labels.fit_labels(camera, closeness, lift=radius + 10, taken=covered)
        if self.title_of is None or closeness < _NEAR:
            return labels
        rows = self._points.in_sight(camera)
        if len(rows) > _TITLED:
            return labels
        rows.sort(key=lambda row: row != shown.focused)  # the focused document has its title first
        titles = [(self.title_of(row), *self._points.at(row, camera)) for row in rows]
        return [*labels, *self._labels.titles(titles, radius, camera.width, [*covered, *labels])]

    def _scene_at(self, camera: Camera, shown: Overlays) -> Scene:
        """Return the scene, a new object only if something changed, so that its picture can be cached."""
        radius, layers = self._points.radius(camera), self._points.layers()
        tinted = shown.density and len(self._points) > 0
        last = self._scene
        if last is None or (last.radius, last.backdrop is not None) != (radius, tinted) or last.layers is not layers:
            backdrop = self._terrain_now().backdrop if tinted else None
            self._scene = last = Scene(layers, self._style.background, radius, self._points.strength(camera), backdrop)
        return last

    def _terrain_now(self) -> Terrain:
        if self._terrain is None:
            self._terrain = Terrain(density(self._points.grid), self._style)
        return self._terrain

    def _paint_overlays(self, painter: QPainter, camera: Camera, radius: float, shown: Overlays) -> None:
        if shown.hovered >= 0 and shown.hovered != shown.focused:
            x, y = self._points.at(shown.hovered, camera)
            _paint_ring(painter, x, y, max(radius, 3) + 2.5, self._style.faint, self._style)
        if shown.query is not None:
            _paint_query(painter, *camera.on_screen(*shown.query), self._style)
        if shown.focused >= 0:
            x, y = self._points.at(shown.focused, camera)
            _paint_ring(painter, x, y, max(radius, 3) + 4, self._style.accent, self._style)
            painter.setPen(QColor(self._style.background))
            painter.setBrush(QColor(self._points.colour_of(shown.focused)))
            size = max(radius, 3)
            painter.drawEllipse(QRectF(x - size, y - size, 2 * size, 2 * size))
        if shown.line:
            _paint_lasso(painter, shown.line, self._style)
        if shown.framed:
            _paint_frame(painter, camera.width, camera.height, self._style)


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
    return QImage(canvas.pixels.reshape(-1)[start:].data, width, height, 4 * stride, QImage.Format.Format_RGB32)
