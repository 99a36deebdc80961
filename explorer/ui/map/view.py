"""The map widget: shows up to a million documents as points, and reports hovering, clicks and selections."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QBrush, QContextMenuEvent, QFocusEvent, QImage, QKeyEvent, QPainter
from PySide6.QtWidgets import QGraphicsScene, QGraphicsView, QWidget

from explorer.rendering.colours import Amounts, Categories, MapStyle, style
from explorer.rendering.labels import Label
from explorer.rendering.picture import Snapshot
from explorer.rendering.point_layers import MapPoints
from explorer.ui.map.hover_card import CardText, HoverCard
from explorer.ui.map.input import (
    DIRECTIONS,
    Direction,
    KeyboardInput,
    MouseInput,
    SelectionMode,
    Tool,
    inside_line,
    nearest,
    towards,
)
from explorer.ui.map.painter import MapPainter, Overlays
from explorer.ui.map.view_box import MapViewBox, StepAnimation
from explorer.ui.widgets.charts import remove_export_action

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = Sequence[int] | NDArray[np.integer]
    _GraphicsView = QGraphicsView  # pyqtgraph has no type hints
else:
    _GraphicsView = pg.GraphicsView

_REST = 120  # milliseconds without a move, after which the whole picture is drawn
_CARD = 70  # milliseconds over a point before its card shows
_TRAVELLING = 60_000  # points; more jump to their new positions
_REACH = 6.0  # pixels beside a point that still mean it
_BY_KEY = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason)
_COMING_BACK = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason)


class MapView(_GraphicsView):
    """A map that shows the values it is given and reports what the user does; it changes no focus and no marks itself.

    Attributes:
        view_box: The visible region: its camera, zooming and panning.

    Signals:
        hovered: The row under the cursor, or -1.
        menu_requested: The row that was right-clicked (-1 beside all points), and the point of the screen.
        clicked: The row that was clicked or walked to (-1 beside all points), and the keys that were down.
        activated: The focused row, when Enter is pressed.
        selected: Rows inside a lasso or rectangle, ascending, and how: "replace", "add", "subtract", "intersect".
        camera_changed: Another part of the map is seen.
    """

    hovered = Signal(int)
    clicked = Signal(int, object)
    menu_requested = Signal(int, QPoint)
    activated = Signal(int)
    selected = Signal(object, str)
    camera_changed = Signal()

    def __init__(self, parent: QWidget | None = None, look: MapStyle | None = None) -> None:
        super().__init__(parent)
        self._style = look or style()
        self._points = MapPoints(self._style)
        self._painter = MapPainter(self._points, self._style, self.font())
        self._overlays = Overlays()
        self._by_key = False  # the keyboard came here by a key
        self._describe: Callable[[int], CardText] | None = None
        self._neighbours: Callable[[int], Sequence[int]] | None = None
        self._travel = StepAnimation(self)
        self._rest = QTimer(self, interval=_REST, singleShot=True)
        self._rest.timeout.connect(self._on_rest)
        self._card_wait = QTimer(self, interval=_CARD, singleShot=True)
        self._card_wait.timeout.connect(self._show_card)
        self.view_box = MapViewBox(self, self._points)
        self._item = _MapItem(self)
        self._set_up_scene()
        self._card = HoverCard(self, self._style)
        self._mouse = MouseInput(self)
        self.setMinimumSize(120, 90)
        self.view_box.changed.connect(self._on_view_changed)
        self._listen()
        self._update_accessible_text()

    def _set_up_scene(self) -> None:
        """Show one item that covers the whole widget; everything that QGraphicsView does for more costs frame time."""
        pg.GraphicsView.setCentralItem(self, self.view_box)
        self._item.setParentItem(self.view_box)
        self.setAcceptDrops(False)  # folders dropped here are the window's
        self.setBackgroundBrush(QBrush())
        self.setCacheMode(QGraphicsView.CacheModeFlag.CacheNone)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        self.setOptimizationFlags(
            QGraphicsView.OptimizationFlag.DontSavePainterState
            | QGraphicsView.OptimizationFlag.DontAdjustForAntialiasing
        )
        remove_export_action(self)
        self.scene().setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def _listen(self) -> None:
        """Follow mouse and keyboard."""
        keys = KeyboardInput(self)
        keys.zoomed.connect(self.view_box.zoom)
        keys.fitted.connect(self.view_box.fit)
        keys.walked.connect(self._walk)
        keys.moved.connect(self._move)
        keys.entered.connect(self._on_entered)
        self._mouse.dragged.connect(self.view_box.move)
        self._mouse.zoomed.connect(lambda factor, x, y: self.view_box.zoom(factor, (x, y), animate=False))
        self._mouse.pointed.connect(lambda x, y: self._hover(self.row_at(x, y)))
        self._mouse.left.connect(lambda: self._hover(-1))
        self._mouse.clicked.connect(lambda x, y, keys: self.clicked.emit(self.row_at(x, y), keys))
        self._mouse.doubled.connect(self._on_doubled)
        self._mouse.drawn.connect(self._on_drawn)
        self._mouse.changed.connect(lambda: self._set_overlays(line=tuple(self._mouse.line)))
        self._mouse.moved.connect(lambda _: self._hover(-1))

    def set_positions(self, positions: NDArray[np.float32], *, animate: bool = True) -> None:
        """Move the points to positions, (N, 2), y upwards; the view stays where it is.

        If their number changes, they are other points: their colours, filter, marks, hits and focus must be set again.

        Raises:
            ValueError: A position is not a pair of finite numbers.
        """
        same = len(positions) == len(self._points)
        if animate and self.view_box.may_animate() and same and 0 < len(positions) <= _TRAVELLING:
            if not np.isfinite(positions).all():
                raise ValueError("a position is not a number")
            start, goal = self._points.positions, np.array(positions, dtype=np.float32)
            self._travel.run(lambda share: self._set_positions(start + (goal - start) * np.float32(share)))
            return
        self._travel.stop()
        self._set_positions(positions)
        if not same:
            self._hover(-1)
            self.set_focused(-1)

    def set_colouring(self, colouring: Categories | Amounts) -> None:
        """Colour the points by category or by amount.

        Raises:
            ValueError: There are more or fewer values than points.
        """
        self._points.colour(colouring)
        self._changed()

    def set_filter(self, mask: NDArray[np.bool_] | None) -> None:
        """Show the points of a mask, (N,), in colour and the others as grey context; None means all in colour.

        Raises:
            ValueError: The mask is longer or shorter.
        """
        self._points.keep(mask)
        self._changed()

    def set_marks(self, rows: Rows) -> None:
        """Show rows as marked. Without a filter all others become context.

        Raises:
            ValueError: There is no such row.
        """
        self._points.mark(rows)
        self._changed()

    def set_focused(self, row: int, *, show: bool = False) -> None:
        """Put the ring around a row, -1 for none; on demand move the view so that it is seen."""
        self._set_overlays(focused=row if row < len(self._points) else -1)
        if show:
            self.view_box.show_row(row)
        self._update_accessible_text()

    def set_hits(self, rows: Rows, scores: Sequence[float] | NDArray[np.floating]) -> None:
        """Let the rows that answer a query glow, the more the higher their score.

        Raises:
            ValueError: There is no such row, or the lengths differ.
        """
        self._points.glow(rows, scores)
        self._item.update()

    def set_query(self, at: tuple[float, float] | None) -> None:
        """Show the query's cross at a position of the map, or hide it."""
        self._set_overlays(query=at)

    def set_levels(self, levels: Sequence[Sequence[Label]]) -> None:
        """Set the names on the map, from a few for all of it to many for close up."""
        self._painter.set_levels(levels)
        self._item.update()

    def set_label_colours(self, colours: Mapping[int, str]) -> None:
        """Write the labels of clusters in their colours; others in the colour of text."""
        self._painter.set_label_colours(colours)
        self._item.update()

    def set_covered(self, cards: Sequence[QRectF]) -> None:
        """Keep labels away from cards that lie on the map."""
        self._set_overlays(covered=tuple(cards))

    def set_style(self, look: MapStyle) -> None:
        """Change to another theme or font size."""
        self._style = look
        self._points.restyle(look)
        self._painter.set_look(look, self.font())
        self._card.set_style(look)
        self._changed()

    def set_terrain(self, *, density: bool, contours: bool) -> None:
        """Tint the map where points are dense, and draw lines of equal density."""
        self._set_overlays(density=density, contours=contours)

    def set_tool(self, tool: Tool, mode: SelectionMode = "replace") -> None:
        """Set what dragging does, and how a selection is combined when no key says otherwise."""
        self._mouse.tool, self._mouse.mode = tool, mode
        self.setCursor(Qt.CursorShape.ArrowCursor if tool == "pan" else Qt.CursorShape.CrossCursor)

    def set_describe(self, describe: Callable[[int], CardText] | None) -> None:
        """Set the source of the texts of the card and of the screen reader."""
        self._describe = describe
        self._painter.title_of = None if describe is None else lambda row: describe(row).title
        self._update_accessible_text()

    def set_neighbours(self, neighbours: Callable[[int], Sequence[int]] | None) -> None:
        """Set where the arrow keys go: the true neighbours of a row, the most similar first."""
        self._neighbours = neighbours

    @property
    def terrain(self) -> tuple[bool, bool]:
        """Whether density is tinted, and whether contours are drawn."""
        return self._overlays.density, self._overlays.contours

    def row_at(self, x: float, y: float) -> int:
        """Return the row under a pixel, -1 for none; points that match come before context."""
        at_x, at_y = self.view_box.camera.on_map(x, y)
        reach = (self._points.radius(self.view_box.camera) + _REACH) / self.view_box.camera.scale
        return nearest([layer.grid for layer in reversed(self._points.layers())], at_x, at_y, reach)

    def image(self, ratio: float = 2.0) -> QImage:
        """Return the visible map without card and cursor, with `ratio` pixels for one of the window."""
        image = QImage(round(self.width() * ratio), round(self.height() * ratio), QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        painter = QPainter(image)
        self._painter.paint(
            painter, self.view_box.camera, ratio, replace(self._overlays, hovered=-1, line=(), framed=False)
        )
        painter.end()
        return image

    def snapshot(self) -> Snapshot:
        """Return everything on the screen as values, for an SVG file."""
        return self._painter.snapshot(self.view_box.sized, self._overlays, self.accessibleName())

    def paint_map(self, painter: QPainter) -> None:
        """Paint the map; a coarser one while it moves on a slow machine, and the whole soon after."""
        moving = self._rest.isActive() or self.view_box.moving
        ratio = self.devicePixelRatioF()
        self._painter.paint(painter, self.view_box.camera, ratio, self._overlays, moving=moving)
        if not len(self._points):
            painter.setPen(self._style.faint)
            text = self.tr("No map yet. It appears once the first documents are encoded.")
            room = self.rect().adjusted(40, 0, -40, 0)
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._update_accessible_text()
        elif event.type() == QEvent.Type.FontChange:
            self._painter.set_look(self._style, self.font())
            self._item.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        row, at = self.row_at(event.pos().x(), event.pos().y()), event.globalPos()
        if event.reason() == QContextMenuEvent.Reason.Keyboard and self._overlays.focused >= 0:
            row = self._overlays.focused
            at = self.mapToGlobal(QPointF(*self._points.at(row, self.view_box.camera)).toPoint())
        self._hover(-1)
        self.menu_requested.emit(row, at)

    def close(self) -> bool:
        return QWidget.close(self)  # pyqtgraph's own clears the scene, but a map may be shown again

    def sizeHint(self) -> QSize:
        return self.minimumSize()  # not that of the scene

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.ignore()  # what the map does not use is the window's, not the scene's

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        # The frame shows only where the keyboard came by a key; coming back to the window changes nothing.
        if event.reason() not in _COMING_BACK:
            self._by_key = event.reason() in _BY_KEY
        self._set_overlays(framed=self._by_key)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._set_overlays(framed=False)

    def _walk(self, direction: Direction) -> None:
        """Go to a true neighbour of the focus, or to the point in the middle; move the view where there is no way."""
        focused = self._overlays.focused
        if focused < 0 and len(self._points):
            start = nearest([self._points.grid], self.view_box.camera.x, self.view_box.camera.y, np.inf)
            self.clicked.emit(start, Qt.KeyboardModifier.NoModifier)
        elif self._neighbours is not None and len(self._points):
            row = towards(self._points.positions, focused, self._neighbours(focused), direction)
            if row >= 0:
                self.view_box.show_row(row)
                self.clicked.emit(row, Qt.KeyboardModifier.NoModifier)
        else:
            self._move(direction)

    def _move(self, direction: Direction) -> None:
        right, up = DIRECTIONS[direction]
        away = 0.15 * min(self.width(), self.height())
        self.view_box.move(-right * away, up * away, animate=True)

    def _on_entered(self) -> None:
        if self._overlays.focused >= 0:
            self.activated.emit(self._overlays.focused)

    def _on_rest(self) -> None:
        if not self._painter.sharp(self.devicePixelRatioF()):
            self._item.update()

    def _on_doubled(self, x: float, y: float, keys: Qt.KeyboardModifier) -> None:
        factor = 0.5 if keys & Qt.KeyboardModifier.ShiftModifier else 2.0
        self.view_box.zoom(factor, (x, y))

    def _on_drawn(self, line: list[tuple[float, float]], how: str) -> None:
        corners = np.array([self.view_box.camera.on_map(x, y) for x, y in line])
        rows = self._points.matching(inside_line(self._points.grid, corners))
        self.selected.emit(rows, how)

    def _set_positions(self, positions: NDArray[np.float32]) -> None:
        self._points.move(positions)
        self._painter.renew(moved=True)
        self.view_box.follow()
        self._changed()

    def _on_view_changed(self) -> None:
        self._rest.start()
        self._card.hide()
        self._item.update()
        self.camera_changed.emit()

    def _changed(self) -> None:
        self._painter.renew()
        self._item.update()

    def _set_overlays(self, **shown: object) -> None:
        self._overlays = replace(self._overlays, **shown)  # type: ignore[arg-type]
        self._item.update()

    def _hover(self, row: int) -> None:
        if row == self._overlays.hovered:
            return
        self._set_overlays(hovered=row)
        self._card.hide()
        if row >= 0:
            self._card_wait.start()
        else:
            self._card_wait.stop()
        self.hovered.emit(row)

    def _show_card(self) -> None:
        row = self._overlays.hovered
        if row >= 0 and self._describe is not None and not self._mouse.busy:
            x, y = self._points.at(row, self.view_box.camera)
            self._card.show_text(self._describe(row), x, y, self._points.radius(self.view_box.camera) + 12)

    def _update_accessible_text(self) -> None:
        """Tell screen readers what is focused."""
        self.setAccessibleName(self.tr("Map of documents"))
        row = self._overlays.focused
        text = self.tr("No document selected. Use the arrow keys to move between documents.")
        if row >= 0 and self._describe is not None:
            card = self._describe(row)
            text = ". ".join(part for part in (card.title, card.source, card.text) if part)
        self.setAccessibleDescription(text)


class _MapItem(pg.GraphicsObject):  # type: ignore[misc]
    """The whole map as one item of the scene, as large as the view box."""

    def __init__(self, view: MapView) -> None:
        super().__init__()
        self._view = view
        view.view_box.sigResized.connect(lambda _: self.prepareGeometryChange())

    def boundingRect(self) -> QRectF:
        return QRectF(self._view.view_box.rect())

    def paint(self, painter: QPainter, *_args: object) -> None:
        self._view.paint_map(painter)
