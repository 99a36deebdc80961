"""Paint the whole map (points, density, contours, labels, hits, focus, query, lasso) on a screen or an image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QFont, QPainter

from explorer.rendering.camera import Camera
from explorer.rendering.density import density
from explorer.rendering.labels import Label, PlacedLabel
from explorer.rendering.point_layers import MapPoints
from explorer.rendering.raster import Scene
from explorer.rendering.snapshot import Snapshot
from explorer.rendering.style import MapStyle
from explorer.ui.map import overlays
from explorer.ui.map.frame_cache import FrameCache
from explorer.ui.map.labels import LabelPainter

_FEW = 2_000  # points; below, a label on top of them would hide them


@dataclass(frozen=True)
class Overlays:
    """What is shown over the points.

    Attributes:
        focused: The row with the ring, or -1.
        hovered: The row under the cursor, or -1.
        query: The query's place on the map.
        line: The lasso being drawn, in pixels.
        density: Whether the ground is tinted where points lie thick.
        contours: Whether lines of equal density are drawn.
        framed: Whether the keyboard is here.
    """

    focused: int = -1
    hovered: int = -1
    query: tuple[float, float] | None = None
    line: Sequence[tuple[float, float]] = ()
    density: bool = False
    contours: bool = False
    framed: bool = False


class MapPainter:
    """Paints points in one style, and caches what it drew."""

    def __init__(self, points: MapPoints, style: MapStyle, font: QFont) -> None:
        self._points = points
        self._style = style
        self._frames = FrameCache()
        self._labels = LabelPainter(style, font)
        self._scene: Scene | None = None
        self._terrain: overlays.Terrain | None = None

    def set_look(self, style: MapStyle, font: QFont) -> None:
        """Use another style or font."""
        self._style = style
        self._labels.set_look(style, font)
        self.renew()

    def set_levels(self, levels: Sequence[Sequence[Label]]) -> None:
        """Set the labels, from a few for the whole map to many for close up."""
        self._labels.set_levels(levels)

    def renew(self) -> None:
        """Drop what was drawn of points that have changed."""
        self._scene = self._terrain = None

    def sharp(self, ratio: float) -> bool:
        """Return whether the last picture had full resolution."""
        return self._frames.sharp(ratio)

    def paint(
        self, painter: QPainter, camera: Camera, ratio: float, shown: Overlays, *, moving: bool = False
    ) -> None:
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
        overlays.paint_hits(painter, hits, scene.radius, ratio, self._style)
        self._labels.paint(painter, self._placed(camera), ratio, quiet=bool(hits))
        self._paint_overlays(painter, camera, scene.radius, shown)

    def snapshot(self, camera: Camera, shown: Overlays, title: str) -> Snapshot:
        """Return everything on the screen as values, for a file."""
        contours = self._terrain_now().contours() if shown.contours and len(self._points) else ()
        return Snapshot(
            title=title,
            scene=self._scene_at(camera, shown),
            camera=camera,
            style=self._style,
            labels=self._placed(camera),
            label_size=self._style.text_size * 4 / 3,  # points to pixels at 96 dots per inch
            hits=self._points.hits(camera),
            contours=contours,
            focus=None if shown.focused < 0 else self._points.at(shown.focused, camera),
            query=None if shown.query is None else camera.on_screen(*shown.query),
        )

    def _placed(self, camera: Camera) -> list[PlacedLabel]:
        closeness = camera.scale / camera.fitted(self._points.box).scale
        lift = self._points.radius(camera) + 10 if len(self._points) < _FEW else 0.0
        return self._labels.place(camera, closeness, lift)

    def _scene_at(self, camera: Camera, shown: Overlays) -> Scene:
        """Return the scene, a new object only if something changed, so that its picture can be cached."""
        radius, layers = self._points.radius(camera), self._points.layers()
        tinted = shown.density and len(self._points) > 0
        last = self._scene
        if (
            last is None
            or (last.radius, last.backdrop is not None) != (radius, tinted)
            or last.layers is not layers
        ):
            backdrop = self._terrain_now().backdrop if tinted else None
            self._scene = last = Scene(
                layers, self._style.ground, radius, self._points.strength(camera), backdrop
            )
        return last

    def _terrain_now(self) -> overlays.Terrain:
        if self._terrain is None:
            grid = (
                self._points.grid
                if self._points.filter is None
                else self._points.grid.part(self._points.filter)
            )
            self._terrain = overlays.Terrain(density(grid), self._style)
        return self._terrain

    def _paint_overlays(self, painter: QPainter, camera: Camera, radius: float, shown: Overlays) -> None:
        if shown.hovered >= 0 and shown.hovered != shown.focused:
            x, y = self._points.at(shown.hovered, camera)
            overlays.paint_ring(painter, x, y, max(radius, 3) + 2.5, self._style.faint, self._style)
        if shown.query is not None:
            overlays.paint_query(painter, *camera.on_screen(*shown.query), self._style)
        if shown.focused >= 0:
            x, y = self._points.at(shown.focused, camera)
            overlays.paint_ring(painter, x, y, max(radius, 3) + 4, self._style.accent, self._style)
            painter.setPen(QColor(self._style.ground))
            painter.setBrush(QColor(self._points.colour_of(shown.focused)))
            size = max(radius, 3)
            painter.drawEllipse(QRectF(x - size, y - size, 2 * size, 2 * size))
        if shown.line:
            overlays.paint_lasso(painter, shown.line, self._style)
        if shown.framed:
            overlays.paint_frame(painter, camera.width, camera.height, self._style)
