"""Input of the map: mouse, wheel and gestures (drag, zoom, click, hover, lasso, rectangle), and keys."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QNativeGestureEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QGestureEvent, QPinchGesture, QWidget

from explorer.ui.map.hit_testing import Direction, SelectionMode

Tool = Literal["pan", "lasso", "rectangle"]

_STILL = 4.0  # pixels that a click may move
_STEP = 2.0  # pixels between two corners of a lasso
_TURN = 0.002  # of a wheel: a notch of 120 magnifies by a quarter
_FARTHEST_TURN = 480
_ZOOM = 1.5  # factor of the zoom keys
_ARROWS: dict[int, Direction] = {
    Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down",
}  # fmt: skip
_ZOOMS: dict[int, float] = {
    Qt.Key.Key_Plus: _ZOOM, Qt.Key.Key_Equal: _ZOOM, Qt.Key.Key_Minus: 1 / _ZOOM, Qt.Key.Key_Underscore: 1 / _ZOOM,
}  # fmt: skip

_Key = Qt.KeyboardModifier


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
        """Whether the event was a pinch, which is then followed."""
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
