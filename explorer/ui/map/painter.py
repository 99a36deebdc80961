"""Paints the whole map: points, terrain, names, hits, rings, the query and the lasso, on a screen or into a file."""

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

_FEW = 2_000  # points; fewer would be hidden by a name on top of them


@dataclass(frozen=True)
class Overlays:
    """What is pointed out on the map.

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
    """Paints points in one look, and remembers what it drew."""

    def __init__(self, points: MapPoints, style: MapStyle, font: QFont) -> None:
        self._points = points
        self._style = style
        self._frames = FrameCache()
        self._names = LabelPainter(style, font)
        self._scene: Scene | None = None
        self._terrain: overlays.Terrain | None = None

    def set_look(self, style: MapStyle, font: QFont) -> None:
        """Paint in other colours or letters."""
        self._style = style
        self._names.set_look(style, font)
        self.renew()

    def set_levels(self, levels: Sequence[Sequence[Label]]) -> None:
        """Take the names, from a few for the whole map to many for close up."""
        self._names.set_levels(levels)

    def renew(self) -> None:
        """The points are not what they were."""
        self._scene = self._terrain = None

    def sharp(self, ratio: float) -> bool:
        """Whether the last picture was a whole one."""
        return self._frames.sharp(ratio)

    def paint(
        self, painter: QPainter, camera: Camera, ratio: float, signs: Overlays, *, moving: bool = False
    ) -> None:
        """Paint everything.

        Args:
            painter: Of the screen or an image.
            camera: What is seen.
            ratio: Pixels of the device for one of the window.
            signs: What is pointed out.
            moving: Whether the next frame is expected at once.
        """
        scene = self._scene_at(camera, signs)
        image = self._frames.image(scene, camera, ratio, moving=moving)
        hints = QPainter.RenderHint
        painter.setRenderHint(hints.SmoothPixmapTransform, on=image.width() < round(camera.width * ratio))
        painter.drawImage(QRectF(0, 0, camera.width, camera.height), image)
        painter.setRenderHint(hints.Antialiasing)
        if signs.contours and len(self._points):
            self._terrain_now().paint_contours(painter, camera)
        hits = self._points.hits(camera)
        overlays.paint_hits(painter, hits, scene.radius, ratio, self._style)
        self._names.paint(painter, self._placed(camera), ratio, quiet=bool(hits))
        self._paint_signs(painter, camera, scene.radius, signs)

    def snapshot(self, camera: Camera, signs: Overlays, title: str) -> Snapshot:
        """Everything on the screen, for a file."""
        contours = self._terrain_now().contours() if signs.contours and len(self._points) else ()
        return Snapshot(
            title=title,
            scene=self._scene_at(camera, signs),
            camera=camera,
            style=self._style,
            labels=self._placed(camera),
            label_size=self._style.text_size * 4 / 3,  # points to pixels at 96 dots per inch
            hits=self._points.hits(camera),
            contours=contours,
            focus=None if signs.focused < 0 else self._points.at(signs.focused, camera),
            query=None if signs.query is None else camera.on_screen(*signs.query),
        )

    def _placed(self, camera: Camera) -> list[PlacedLabel]:
        closeness = camera.scale / camera.fitted(self._points.box).scale
        lift = self._points.radius(camera) + 10 if len(self._points) < _FEW else 0.0
        return self._names.place(camera, closeness, lift)

    def _scene_at(self, camera: Camera, signs: Overlays) -> Scene:
        """The scene, a new one only where something changed, so that its picture can be kept."""
        radius, layers = self._points.radius(camera), self._points.layers()
        tinted = signs.density and len(self._points) > 0
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

    def _paint_signs(self, painter: QPainter, camera: Camera, radius: float, signs: Overlays) -> None:
        if signs.hovered >= 0 and signs.hovered != signs.focused:
            x, y = self._points.at(signs.hovered, camera)
            overlays.paint_ring(painter, x, y, max(radius, 3) + 2.5, self._style.faint, self._style)
        if signs.query is not None:
            overlays.paint_query(painter, *camera.on_screen(*signs.query), self._style)
        if signs.focused >= 0:
            x, y = self._points.at(signs.focused, camera)
            overlays.paint_ring(painter, x, y, max(radius, 3) + 4, self._style.accent, self._style)
            painter.setPen(QColor(self._style.ground))
            painter.setBrush(QColor(self._points.colour_of(signs.focused)))
            size = max(radius, 3)
            painter.drawEllipse(QRectF(x - size, y - size, 2 * size, 2 * size))
        if signs.line:
            overlays.paint_lasso(painter, signs.line, self._style)
        if signs.framed:
            overlays.paint_frame(painter, camera.width, camera.height, self._style)
