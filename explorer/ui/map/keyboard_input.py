"""Keyboard input of the map: zoom with + - 0, walk with arrows, pan with Shift and arrows, open with Enter."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from explorer.ui.map.hit_testing import Direction

_STEP = 1.5  # of the zoom keys
_ARROWS: dict[int, Direction] = {
    Qt.Key.Key_Left: "left", Qt.Key.Key_Right: "right", Qt.Key.Key_Up: "up", Qt.Key.Key_Down: "down",
}  # fmt: skip
_ZOOMS: dict[int, float] = {
    Qt.Key.Key_Plus: _STEP, Qt.Key.Key_Equal: _STEP, Qt.Key.Key_Minus: 1 / _STEP, Qt.Key.Key_Underscore: 1 / _STEP,
}  # fmt: skip
_Key = Qt.KeyboardModifier


class KeyboardInput(QObject):
    """Takes from the map's widget the keys that mean something there; all others belong to the window.

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
        """Say what a key means, before the window takes it for a shortcut; whether it means something here."""
        if not isinstance(event, QKeyEvent) or (say := self._meaning(event)) is None:
            return False
        if event.type() == QEvent.Type.ShortcutOverride:
            event.accept()
        elif event.type() == QEvent.Type.KeyPress:
            say()
        else:
            return False
        return True

    def _meaning(self, event: QKeyEvent) -> Callable[[], None] | None:
        key, keys = event.key(), event.modifiers()
        if key in _ARROWS and not keys & ~(_Key.ShiftModifier | _Key.KeypadModifier):
            going = self.moved if keys & _Key.ShiftModifier else self.walked
            return lambda: going.emit(_ARROWS[key])
        if keys & (_Key.ControlModifier | _Key.AltModifier):
            return None
        if key in _ZOOMS:
            return lambda: self.zoomed.emit(_ZOOMS[key])
        if key in (Qt.Key.Key_0, Qt.Key.Key_Home):
            return self.fitted.emit
        return self.entered.emit if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) else None
