"""Input of the map: mouse, wheel, gestures and keys, and which points they mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import (
    QBrush,
    QColor,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPen,
    QPolygonF,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QGestureEvent, QPinchGesture, QWidget

from explorer.rendering.camera import Box, box_of
from explorer.rendering.point_grid import PointGrid, gather

if TYPE_CHECKING:
    from numpy.typing import NDArray


Tool = Literal["pan", "lasso", "rectangle"]

_STILL = 4.0  # pixels that a click may move
_STEP = 2.0  # pixels between two corners of a lasso
_TURN = 0.002  # of a wheel: a notch of 120 magnifies by a quarter
_FARTHEST_TURN = 480
_ZOOM = 1.5  # factor of the zoom keys
_ARROWS: dict[int, Direction] = {
    Qt.Key.Key_Left: "left",
    Qt.Key.Key_Right: "right",
    Qt.Key.Key_Up: "up",
    Qt.Key.Key_Down: "down",
}
_ZOOMS: dict[int, float] = {
    Qt.Key.Key_Plus: _ZOOM,
    Qt.Key.Key_Equal: _ZOOM,
    Qt.Key.Key_Minus: 1 / _ZOOM,
    Qt.Key.Key_Underscore: 1 / _ZOOM,
}

_Key = Qt.KeyboardModifier
Direction = Literal["left", "right", "up", "down"]
SelectionMode = Literal["replace", "add", "subtract", "intersect"]

DIRECTIONS: dict[Direction, tuple[float, float]] = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}
_FINE = 1024  # pixels along the longer side of the stencil in which a lasso is filled
_INSIDE, _UNSURE = 255, 128


class MouseInput(QObject):
    """Turns mouse, wheel and gesture events of the map into signals.

    Signals:
        dragged: The map is pulled by pixels to the right and downwards.
        zoomed: It is magnified by a factor around a pixel.
        pointed: The cursor is over a pixel, nothing pressed.
        left: It is over none.
        clicked: A pixel was clicked, with the keys that were down.
        doubled: A pixel was double-clicked, with the keys.
        drawn: A closed line was drawn: its corners in pixels, and how it is to be combined.
        changed: The line being drawn is another.
        moved: Dragging began (true) or ended (false).
    """

    dragged = Signal(float, float)
    zoomed = Signal(float, float, float)
    pointed = Signal(float, float)
    left = Signal()
    clicked = Signal(float, float, object)
    doubled = Signal(float, float, object)
    drawn = Signal(object, str)
    changed = Signal()
    moved = Signal(bool)

    def __init__(self, view: QAbstractScrollArea) -> None:
        super().__init__(view)
        # A scroll area gets keys itself, but mouse and gestures through its viewport.
        self._surface: QWidget = view.viewport()
        self._surface.setMouseTracking(True)
        self._surface.grabGesture(Qt.GestureType.PinchGesture)
        self._surface.installEventFilter(self)
        view.installEventFilter(self)
        self.tool: Tool = "pan"
        self.mode: SelectionMode = "replace"
        self.line: list[tuple[float, float]] = []
        self._doing: Literal["", "press", "pan", "lasso", "rectangle"] = ""
        self._drawing: Literal["pan", "lasso", "rectangle"] = "pan"
        self._how: SelectionMode = "replace"
        self._mouse: dict[QEvent.Type, Callable[[QMouseEvent], None]] = {
            QEvent.Type.MouseButtonPress: self._press,
            QEvent.Type.MouseMove: self._move,
            QEvent.Type.MouseButtonRelease: self._release,
            QEvent.Type.MouseButtonDblClick: self._double,
        }
        self._from = QPointF()
        self._last = QPointF()

    @property
    def busy(self) -> bool:
        """Return whether a button is down."""
        return bool(self._doing)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if isinstance(event, QKeyEvent):
            return event.key() == Qt.Key.Key_Escape and self._escape(event)
        if watched is not self._surface:
            return False
        if isinstance(event, QWheelEvent):
            self._wheel(event)
        elif isinstance(event, QMouseEvent) and kind in self._mouse:
            self._mouse[kind](event)
        elif kind == QEvent.Type.Leave:
            self.left.emit()
            return False
        else:
            return self._gesture(event)
        return True

    def _escape(self, event: QKeyEvent) -> bool:
        """Discard what is drawn, before Esc is one step back in the window; return whether there was something."""
        if event.type() == QEvent.Type.ShortcutOverride and self.line:
            event.accept()
            return True
        return event.type() == QEvent.Type.KeyPress and self.cancel()

    def _press(self, event: QMouseEvent) -> None:
        if self._doing or event.button() not in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            return
        self._from = self._last = event.position()
        keys = event.modifiers()
        self._drawing = "pan"
        if event.button() == Qt.MouseButton.LeftButton:
            # With the pan tool, Shift draws a lasso all the same.
            self._drawing = "lasso" if self.tool == "pan" and keys & _Key.ShiftModifier else self.tool
        self._how = self.mode if self.tool == "pan" else selection_mode(keys, self.mode)
        self._doing = "press"

    def _move(self, event: QMouseEvent) -> None:
        at = event.position()
        if not self._doing:
            self.pointed.emit(at.x(), at.y())
            return
        if self._doing == "press":
            if math.hypot(at.x() - self._from.x(), at.y() - self._from.y()) <= _STILL:
                return
            self._doing = self._drawing
            self.moved.emit(True)
            if self._doing != "pan":
                self.line = [(self._from.x(), self._from.y())]
        if self._doing == "pan":
            self.dragged.emit(at.x() - self._last.x(), at.y() - self._last.y())
            self._last = at
        else:
            self._draw(at.x(), at.y())

    def _release(self, event: QMouseEvent) -> None:
        doing, line = self._doing, self.line
        if not doing or event.buttons() & (Qt.MouseButton.LeftButton | Qt.MouseButton.MiddleButton):
            return
        self._doing, self.line = "", []
        if doing != "press":
            self.moved.emit(False)
        if doing == "press" and event.button() == Qt.MouseButton.LeftButton:
            at = event.position()
            self.clicked.emit(at.x(), at.y(), event.modifiers())
        elif doing in ("lasso", "rectangle"):
            self.changed.emit()
            if len(line) >= 3:
                self.drawn.emit(line, self._how)

    def _double(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            at = event.position()
            self.doubled.emit(at.x(), at.y(), event.modifiers())

    def _wheel(self, event: QWheelEvent) -> None:
        turn = event.angleDelta().y() or event.angleDelta().x()
        if turn and not self.line:
            turn = max(-_FARTHEST_TURN, min(_FARTHEST_TURN, turn))
            at = event.position()
            self.zoomed.emit(math.exp(turn * _TURN), at.x(), at.y())
        event.accept()

    def _gesture(self, event: QEvent) -> bool:
        """Return whether the event was a pinch, which is then followed."""
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                at = event.position()
                self.zoomed.emit(max(0.2, 1 + event.value()), at.x(), at.y())
                return True
            return False
        if isinstance(event, QGestureEvent):
            pinch = event.gesture(Qt.GestureType.PinchGesture)
            if isinstance(pinch, QPinchGesture):
                self._pinch(pinch)
                event.accept(pinch)
                return True
        return False

    def cancel(self) -> bool:
        """Discard the line being drawn; return whether there was one."""
        if not self.line:
            return False
        self._doing, self.line = "", []
        self.moved.emit(False)
        self.changed.emit()
        return True

    def _pinch(self, pinch: QPinchGesture) -> None:
        self.cancel()
        self._doing = ""
        at = self._surface.mapFromGlobal(pinch.centerPoint())
        before = self._surface.mapFromGlobal(pinch.lastCenterPoint())
        self.zoomed.emit(pinch.scaleFactor(), at.x(), at.y())
        self.dragged.emit(at.x() - before.x(), at.y() - before.y())

    def _draw(self, x: float, y: float) -> None:
        if self._doing == "rectangle":
            left, top = self._from.x(), self._from.y()
            self.line = [(left, top), (x, top), (x, y), (left, y)]
        elif math.hypot(x - self.line[-1][0], y - self.line[-1][1]) >= _STEP:
            self.line.append((x, y))
        self.changed.emit()


class KeyboardInput(QObject):
    """Turns the keys that mean something on the map into signals; all others go on to the window.

    Signals:
        zoomed: Magnify by a factor.
        fitted: Show all of the map.
        walked: Go to the neighbour in a direction.
        moved: Move the view in a direction.
        entered: Open what is focused.
    """

    zoomed = Signal(float)
    fitted = Signal()
    walked = Signal(str)
    moved = Signal(str)
    entered = Signal()

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        widget.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent) or (emit := self._meaning(event)) is None:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()  # or the window would take the key for a shortcut
        elif event.type() == QEvent.Type.KeyPress:
            emit()
        else:
            return False
        return True

    def _meaning(self, event: QKeyEvent) -> Callable[[], None] | None:
        key, keys = event.key(), event.modifiers()
        if key in _ARROWS and not keys & ~(_Key.ShiftModifier | _Key.KeypadModifier):
            arrow = self.moved if keys & _Key.ShiftModifier else self.walked
            return lambda: arrow.emit(_ARROWS[key])
        if keys & (_Key.ControlModifier | _Key.AltModifier):
            return None
        if key in _ZOOMS:
            return lambda: self.zoomed.emit(_ZOOMS[key])
        if key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            return self.fitted.emit
        return self.entered.emit if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) else None


def selection_mode(keys: Qt.KeyboardModifier, mode: SelectionMode) -> SelectionMode:
    """Return how a selection is combined: Shift adds, Ctrl or Alt subtracts, both intersect, none keeps the mode."""
    plus = bool(keys & _Key.ShiftModifier)
    minus = bool(keys & (_Key.ControlModifier | _Key.AltModifier))
    if plus and minus:
        return "intersect"
    return "add" if plus else "subtract" if minus else mode


def nearest(grids: Sequence[PointGrid], x: float, y: float, reach: float) -> int:
    """Return the row of the point nearest to a position within reach, -1 for none; earlier grids come first."""
    for grid in grids:
        spans = grid.spans(Box(x - reach, y - reach, x + reach, y + reach))
        far = (gather(grid.x, spans) - x) ** 2 + (gather(grid.y, spans) - y) ** 2
        if len(far):
            best = int(far.argmin())
            if far[best] <= reach * reach:
                return int(gather(grid.rows, spans)[best])
    return -1


def inside_line(grid: PointGrid, line: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the rows of the points inside a closed line of the map, (M, 2), ascending.

    What the line goes round is inside, also where it crosses itself. Most points are decided by a mask drawn once;
    only for those near the line is the winding number computed.
    """
    if len(line) < 3:
        return np.empty(0, dtype=np.intp)
    box = box_of(line.astype(np.float32))
    scale = (_FINE - 8) / max(box.right - box.left, box.high - box.low, 1e-30)
    stencil = _stencil(line, box, scale)
    spans = grid.spans(box)
    x, y, rows = gather(grid.x, spans), gather(grid.y, spans), gather(grid.rows, spans)
    across = np.clip((x - np.float32(box.left)) * np.float32(scale) + 4, 0, _FINE - 1).astype(np.int32)
    down = np.clip((y - np.float32(box.low)) * np.float32(scale) + 4, 0, _FINE - 1).astype(np.int32)
    value = stencil.reshape(-1)[down * np.int32(_FINE) + across]
    unsure = np.flatnonzero(value == _UNSURE)
    sure = rows[value == _INSIDE]
    near = rows[unsure[_winding(x[unsure], y[unsure], line) != 0]]
    return _ascending(np.concatenate((sure, near)))


def towards(
    positions: NDArray[np.float32], row: int, neighbours: Sequence[int] | NDArray[np.intp], direction: Direction
) -> int:
    """Return the neighbour that is best reached in a direction, -1 if there is none.

    Neighbours are given by similarity, the most similar first; a nearer and straighter one on the map is preferred.
    """
    rows = np.array([other for other in neighbours if other != row], dtype=np.intp)
    if not len(rows):
        return -1
    away = positions[rows].astype(np.float64) - positions[row]
    far = np.hypot(away[:, 0], away[:, 1])
    right, up = DIRECTIONS[direction]
    along = away[:, 0] * right + away[:, 1] * up
    ahead = along > 0.5 * far  # within 60 degrees; the four directions leave no gap
    if not ahead.any():
        return -1
    cost = np.where(ahead, far * (2 - along / np.maximum(far, 1e-30)), np.inf)
    return int(rows[cost.argmin()])


def _ascending(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Sort rows, each once, by a mask, which takes a fraction of the time of sorting."""
    mask = np.zeros(int(rows.max(initial=-1)) + 1, dtype=np.bool_)
    mask[rows] = True
    return np.flatnonzero(mask)


def _stencil(line: NDArray[np.float64], box: Box, scale: float) -> NDArray[np.uint8]:
    """Draw a mask of the pixels certainly inside a line, and of those near it, (fine, fine), y upwards."""
    image = QImage(_FINE, _FINE, QImage.Format.Format_Grayscale8)
    image.fill(0)
    shifted = (line - (box.left, box.low)) * scale + 4
    polygon = QPolygonF([QPointF(x, y) for x, y in shifted.tolist()])
    painter = QPainter(image)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(_INSIDE, _INSIDE, _INSIDE))
    painter.drawPolygon(polygon, Qt.FillRule.WindingFill)
    painter.setBrush(QBrush())
    painter.setPen(QPen(QColor(_UNSURE, _UNSURE, _UNSURE), 4))
    painter.drawPolygon(polygon)
    painter.end()
    return np.frombuffer(image.constBits(), np.uint8).reshape(_FINE, image.bytesPerLine())[:, :_FINE].copy()


def _winding(x: NDArray[np.float32], y: NDArray[np.float32], line: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the winding number of the line around each point, (n,)."""
    turns = np.zeros(len(x), dtype=np.int64)
    if not len(x):
        return turns
    for (x0, y0), (x1, y1) in zip(line.tolist(), np.roll(line, -1, axis=0).tolist(), strict=True):
        if y0 == y1:
            continue
        crossed = (y >= min(y0, y1)) & (y < max(y0, y1))
        at = np.flatnonzero(crossed)
        left = x0 + (y[at] - y0) * ((x1 - x0) / (y1 - y0)) > x[at]
        turns[at[left]] += 1 if y1 > y0 else -1
    return turns
